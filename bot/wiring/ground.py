"""
What a command on this machine stands on: the repository, the commit, its contract, a sandbox and
a state folder.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Protocol

from bot.adapters import sandbox
from bot.adapters.repository import Repository, open_repository
from bot.adapters.store import Store
from bot.app.case import Case
from bot.app.opening import Base, Wanted, open_session
from bot.core import contract_file
from bot.core.contract import Contract, SandboxKind
from bot.errors import RequestError, SpecError
from bot.ports import Say
from bot.wiring import local
from bot.wiring.settings import read

CONTRACT = ".github/jam.yml"


class Request(Protocol):
    """What every command that opens a session is told."""

    @property
    def repo(self) -> Path: ...
    @property
    def base(self) -> str: ...
    @property
    def config(self) -> Path | None: ...
    @property
    def oracle(self) -> str: ...
    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def state(self) -> Path | None: ...
    @property
    def sandbox(self) -> SandboxKind | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    base: str
    wanted: Wanted  # an objective and what else is wanted are still to be filled in
    site: local.Site

    def open(self, wanted: Wanted) -> Case:
        opened = open_session(
            wanted,
            evidence=local.discreet(self.site.store),
            now=local.now(),
            chance=secrets.token_hex(4),
        )
        return Case(opened=opened, contract=wanted.contract, objective=wanted.objective)


def ground(request: Request, *, say: Say, stop: Event) -> Ground:
    """Everything that can be wrong with the request itself is found here."""
    settings = read()
    repository = open_repository(request.repo)
    base = repository.resolve(request.base)
    contract, source = contract_of(repository, base, request.config)
    jail = sandbox.choose(request.sandbox or contract.sandbox.kind)
    store = Store((request.state or settings.state).absolute())
    return Ground(
        base=base,
        wanted=Wanted(
            contract=contract,
            contract_from=source,
            objective="",
            base=base_of(repository, base, request.base),
            oracle=request.oracle,
            targets=request.targets,
            sandbox=jail.level,
        ),
        site=local.Site(
            repository=repository, store=store, jail=jail, settings=settings, say=say, stop=stop
        ),
    )


def contract_of(repository: Repository, base: str, config: Path | None) -> tuple[Contract, str]:
    """The contract and where it came from: a file that the person named, or the base commit."""
    if config is not None:
        try:
            content = config.read_bytes()
        except OSError as error:
            raise RequestError(f"{config} cannot be read: {error.strerror}") from error
        return contract_file.read(content, name=str(config)), str(config)
    found = repository.read(base, CONTRACT)
    if found is None:
        raise SpecError(
            "spec.no_oracle", f"there is no {CONTRACT} in {base[:12]}: {_remedy(repository)}"
        )
    return contract_file.read(found, name=CONTRACT), f"{CONTRACT} of {base[:12]}"


def _remedy(repository: Repository) -> str:
    """One that was written and not committed is the likeliest, right after `jam init`."""
    file = repository.top / CONTRACT
    if file.is_file():
        return f"it lies in the checkout and not in that commit; commit it, or say --config {file}"
    return (
        f"`jam init --repo {repository.top}` writes one (commit it), or name a file with --config"
    )


def base_of(repository: Repository, commit: str, name: str) -> Base:
    return Base(
        repository=str(repository.top),
        commit=commit,
        tree=repository.tree_of(commit),
        name=name,
    )
