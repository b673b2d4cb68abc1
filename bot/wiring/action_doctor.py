"""
``jam doctor`` in a job of a workflow: what would keep the Action from its work, asked with the
job's own token. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.adapters.github.by_token import TokenForges, WorkflowForge
from bot.adapters.github.secret import Secret
from bot.adapters.sandbox import by_sudo
from bot.app.github import contracts
from bot.core.thread import Repository
from bot.errors import RequestError, TransientError
from bot.wiring import action_settings
from bot.wiring.action_settings import ActionSettings
from bot.wiring.finding import Finding
from bot.wiring.with_github import means_for

ALLOW = "Settings, Actions, General: allow GitHub Actions to create and approve pull requests"


def look(environment: Mapping[str, str]) -> Iterator[Finding]:
    try:
        told = action_settings.read(environment)
    except RequestError as refused:
        yield Finding(what="job", good=False, told=str(refused))
        return
    yield Finding(what="job", good=True, told=f"{told.event} of {told.repository}")
    if by_sudo.is_needed(told.sandbox):
        works = by_sudo.is_possible()
        yield Finding(
            what="sandbox by sudo",
            good=works,
            told="works: jam goes on as root, which drops to nobody's number"
            if works
            else "sudo asks for a password, or is not there",
        )
    if not told.token or not told.repository_id:
        remedy = "hand it over as JAM_TOKEN: ${{ github.token }}"
        yield Finding(what="token", good=False, told="there is none", remedy=remedy)
        return
    yield from _with_token(told)


def _with_token(told: ActionSettings) -> Iterator[Finding]:
    where = Repository(id=told.repository_id, name=told.repository)
    forges = TokenForges(
        secret=Secret(told.token),
        repository=where.id,
        acts_as=told.acts_as,
        base_url=told.api_url,
        config=told.config,
        means=means_for(told.api_url),
    )
    try:
        forge = forges.of(where)
        name = forge.repository().name
    except (RequestError, TransientError) as refused:
        yield Finding(what="token", good=False, told=str(refused))
        return
    yield Finding(what="token", good=True, told=f"reads {name}, as {told.acts_as}")
    yield from _contract(forge)
    yield Finding(what="pull requests", good=None, told=f"only an owner sees it: {ALLOW}")


def _contract(forge: WorkflowForge) -> Iterator[Finding]:
    try:
        agreed = contracts.read(forge)
    except (RequestError, TransientError) as refused:
        yield Finding(what="contract", good=False, told=str(refused))
        return
    oracles = ", ".join(agreed.contract.oracles)
    yield Finding(what="contract", good=True, told=f"{agreed.source}: {oracles}")
