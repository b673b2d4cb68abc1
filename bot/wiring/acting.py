"""
``jam action``: one job of a workflow, from the runner's event to the step's end.

What is printed may quote what others wrote, so the runner is told first to obey nothing of it.
Secrets are in the runner's environment and nowhere else; commands of others get none of it.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.adapters import artifact
from bot.adapters.sandbox import by_sudo
from bot.app.github.workflow import BUG, Asked, Came
from bot.core import action_report, cited, ledger, runner_words
from bot.core.docket import Kind
from bot.core.ledger import Sealed
from bot.core.redact import Redactor
from bot.core.session import replay
from bot.core.thread import Repository
from bot.errors import EvidenceMissing, RequestError
from bot.ports import Say
from bot.wiring import action_settings, settings
from bot.wiring.action_parts import Bench, Parts
from bot.wiring.action_settings import ActionSettings, Run

PAYLOAD_BYTES = 25 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is written for the runner and for people."""

    outcome: str
    exit_code: int
    summary: str
    session: str = ""
    pull_url: str = ""
    ledger: str = ""


def action(*, say: Say, shout: Say) -> int:
    """``shout``: a line to the runner. The step's exit code."""
    told, mine = action_settings.read(), settings.read()
    if by_sudo.is_needed(told.sandbox) and by_sudo.is_possible():
        by_sudo.again((sys.executable, *sys.orig_argv[1:]), os.environ, say=say)
    if told.is_on_runner:
        for line in runner_words.masks((told.token, mine.anthropic_key)):
            shout(line)
        shout(runner_words.deaf(secrets.token_hex(16)))
    try:
        came = _flaky(told, mine, say) if _is_flaky(told) else _job(told, mine, say)
    except Exception as broken:
        code = getattr(broken, "exit_code", BUG)
        write(told, Told(outcome="error", exit_code=code, summary="## jam: could not begin"))
        raise
    finally:
        artifact.hand_over(told.folder)
    write(told, came)
    say(f"{came.outcome} (exit code {came.exit_code})")
    return action_report.step_code(came.exit_code, fail_on=told.fail_on)


def _is_flaky(told: ActionSettings) -> bool:
    """The clock asks for nothing else."""
    return told.what is Run.FLAKY or told.event == "schedule"


def _job(told: ActionSettings, mine: settings.Settings, say: Say) -> Told:
    body = _payload(told.payload)
    where = Repository(id=_number(body, told), name=told.repository)
    parts = Bench(told=told, mine=mine, where=where, say=say).parts()
    key = f"actions-{told.run}"
    came = parts.workflow.run(Asked(event=told.event, body=body, key=key, repository=where.id))
    return _of(came, parts, told)


def _payload(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(PAYLOAD_BYTES + 1)
    except OSError as error:
        raise RequestError(f"the event's file {path} cannot be read: {error.strerror}") from error
    if len(body) > PAYLOAD_BYTES:
        raise RequestError("the event is larger than any that GitHub sends")
    return body


def _number(body: bytes, told: ActionSettings) -> int:
    """Of the repository whose job this is, as the runner says, or the event."""
    if told.repository_id:
        return told.repository_id
    try:
        said = json.loads(body)["repository"]
        number, name = int(said["id"]), str(said["full_name"])
    except (ValueError, KeyError, TypeError):
        raise RequestError("the event does not say which repository it is about") from None
    if name.casefold() != told.repository.casefold():
        raise RequestError("the event is about another repository than this job's")
    return number


def _of(came: Came, parts: Parts, told: ActionSettings) -> Told:
    listed = came.listed
    if listed is None:
        said = action_report.summary(came.outcome, came.why, entries=(), thread=0, text="")
        return Told(outcome=came.outcome, exit_code=came.exit_code, summary=said)
    lines = parts.store.read(came.session)
    entries = ledger.read(lines)
    ended = replay(entries).ended is not None
    text = parts.status.text(listed.where, listed.thread) if listed.thread else ""
    said = action_report.summary(
        came.outcome,
        came.why,
        entries=entries if ended and listed.kind is Kind.FIX else (),
        thread=listed.thread,
        text=text,
    )
    kept = artifact.lay(
        told.folder / "artifact",
        {
            "summary.md": said.encode(),
            "ledger.jsonl": "".join(f"{line}\n" for line in lines).encode(),
            **{f"evidence/{sha}": content for sha, content in _evidence(entries, parts)},
        },
        redactor=parts.forges.means.redactor,
    )
    pull = listed.pull or (listed.thread if listed.is_pull else None)
    return Told(
        outcome=came.outcome,
        exit_code=came.exit_code,
        summary=said,
        session=came.session,
        pull_url=f"{told.server_url}/{told.repository}/pull/{pull}" if pull else "",
        ledger=str(kept / "ledger.jsonl") if lines else "",
    )


def _evidence(entries: Sequence[Sealed], parts: Parts) -> Iterator[tuple[str, bytes]]:
    for sha in cited.cited(entries):
        try:
            yield sha, parts.store.get(sha)
        except EvidenceMissing as missing:
            parts.workflow.say(f"note: {missing}")


def _flaky(told: ActionSettings, mine: settings.Settings, say: Say) -> Told:
    """Of the default branch, with a token: issues and changes as well. Else it is told, no more."""
    from bot.wiring import action_flaky

    body = _payload(told.payload)
    event = _event(body)
    default = str((event.get("repository") or {}).get("default_branch") or "")
    is_default = told.event == "schedule" or event.get("ref") == f"refs/heads/{default}"
    forge = None
    if told.token and default and is_default:
        where = Repository(id=_number(body, told), name=told.repository)
        bench = Bench(told=told, mine=mine, where=where, say=say)
        forge = bench.forge
    came = action_flaky.Search(
        told=told, mine=mine, forge=forge, default_branch=default, say=say
    ).run()
    return Told(
        outcome="flaky",
        exit_code=came.exit_code,
        summary=came.summary,
        session=came.session,
        pull_url=came.pull_url,
    )


def _event(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except ValueError:
        raise RequestError("the event's file holds no JSON") from None
    return said if isinstance(said, dict) else {}


def write(told: ActionSettings, came: Told) -> None:
    """For the runner, for people, and for the steps that follow."""
    folder = told.folder / "artifact"
    values = {
        "outcome": came.outcome,
        "exit-code": str(came.exit_code),
        "pull-request-url": came.pull_url,
        "session": came.session,
        "ledger": came.ledger,
        "artifact": str(folder) if folder.is_dir() else "",
    }
    redactor = Redactor((told.token,))
    if told.output:
        text = runner_words.outputs(values, nonce=secrets.token_hex(16))
        artifact.add(told.output, redactor.told(text).encode())
    if told.summary:
        text = runner_words.summary(redactor.told(came.summary))
        artifact.add(told.summary, text.encode())
