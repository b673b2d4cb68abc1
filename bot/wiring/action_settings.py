"""
What a job of a workflow is told: by GitHub's runner, and by the inputs of ``action.yml``, which
come as variables and never inside of a script.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from bot.core import workflow_event
from bot.core.contract import SandboxKind
from bot.core.narrowing import Narrowing
from bot.errors import RequestError
from bot.wiring.serve_settings import GITHUB_API, numbers


class NotInAJob(RequestError):
    """`jam action` is for a job of a GitHub workflow."""


class FailOn(StrEnum):
    """When the step is red."""

    NEVER = "never"
    ERROR = "error"
    FAILED = "failed"
    UNVERIFIED = "unverified"


class Run(StrEnum):
    SESSION = "session"
    FLAKY = "flaky"


RUNNER = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
"""Without these there is no job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSettings:
    event: str
    payload: Path
    repository: str
    repository_id: int  # 0: only the event says
    run: int
    attempt: int
    api_url: str
    server_url: str
    workspace: Path
    folder: Path  # of this job alone
    output: Path | None
    summary: Path | None
    token: str = field(repr=False)
    acts_as: str
    agent: str
    config: str
    sandbox: SandboxKind
    narrowing: Narrowing
    bots: frozenset[int]
    what: Run
    fail_on: FailOn
    is_on_runner: bool


def read(environment: Mapping[str, str] | None = None) -> ActionSettings:
    env = os.environ if environment is None else environment
    missing = [name for name in RUNNER if not env.get(name)]
    if missing:
        raise NotInAJob(f"`jam action` runs in a job of a workflow: {', '.join(missing)} not set")
    if unheard := workflow_event.unheard(env["GITHUB_EVENT_NAME"]):
        raise RequestError(unheard)
    temp = Path(env.get("RUNNER_TEMP") or env.get("TMPDIR") or "/tmp")  # noqa: S108
    return ActionSettings(
        event=env["GITHUB_EVENT_NAME"],
        payload=Path(env["GITHUB_EVENT_PATH"]),
        repository=env["GITHUB_REPOSITORY"],
        repository_id=_whole(env, "GITHUB_REPOSITORY_ID"),
        run=_whole(env, "GITHUB_RUN_ID"),
        attempt=_whole(env, "GITHUB_RUN_ATTEMPT", default=1),
        api_url=(env.get("GITHUB_API_URL") or GITHUB_API).rstrip("/"),
        server_url=(env.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/"),
        workspace=Path(env.get("GITHUB_WORKSPACE") or Path.cwd()),
        folder=temp / "jam",
        output=_path(env, "GITHUB_OUTPUT"),
        summary=_path(env, "GITHUB_STEP_SUMMARY"),
        token=env.get("JAM_TOKEN") or env.get("GITHUB_TOKEN", ""),
        acts_as=env.get("JAM_ACTS_AS") or "github-actions[bot]",
        agent=env.get("JAM_AGENT", ""),
        config=env.get("JAM_CONFIG", ""),
        sandbox=_one_of(env, "JAM_SANDBOX", SandboxKind, SandboxKind.AUTO),
        narrowing=Narrowing(
            oracle=env.get("JAM_ORACLE", ""),
            usd=_amount(env, "JAM_BUDGET_USD"),
            seconds=60 * _amount(env, "JAM_BUDGET_MINUTES"),
        ),
        bots=numbers(env.get("JAM_TRUSTED_BOTS", ""), name="trusted-bots"),
        what=_one_of(env, "JAM_RUN", Run, Run.SESSION),
        fail_on=_one_of(env, "JAM_FAIL_ON", FailOn, FailOn.ERROR),
        is_on_runner=env.get("GITHUB_ACTIONS") == "true",
    )


def input_name(variable: str) -> str:
    """As ``action.yml`` calls it."""
    return variable.removeprefix("JAM_").lower().replace("_", "-")


def _path(env: Mapping[str, str], name: str) -> Path | None:
    return Path(env[name]) if env.get(name) else None


def _whole(env: Mapping[str, str], name: str, *, default: int = 0) -> int:
    text = env.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise NotInAJob(f"{name} is {text!r}, and no number")
    return int(text)


def _amount(env: Mapping[str, str], name: str) -> float:
    text = env.get(name, "").strip()
    try:
        amount = float(text or 0)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < 1e9:
        raise RequestError(f"the input {input_name(name)} is {text!r}: it takes a positive number")
    return amount


Kind = TypeVar("Kind", bound=StrEnum)


def _one_of(env: Mapping[str, str], name: str, kind: type[Kind], default: Kind) -> Kind:
    text = env.get(name, "").strip()
    if not text:
        return default
    known = [str(one.value) for one in kind]
    if text not in known:
        raise RequestError(f"the input {input_name(name)} is {text!r}: it takes {', '.join(known)}")
    return kind(text)
