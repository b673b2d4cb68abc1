"""
The contract: what one session may do and how it will be judged.

Only shapes and defaults. Reading one from a file, with line numbers for every mistake, is
``bot.core.contract_file``; agreeing to one for a session is ``bot.app.agree``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from bot.core import proxied
from bot.core.sandbox_kind import SandboxKind as SandboxKind


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _is_command(text: str) -> str:
    if "\0" in text:
        raise ValueError("a command cannot hold a NUL")
    return text


def _is_not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("a command is missing here")
    return text


BASELINE = "baseline"
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Command = Annotated[str, AfterValidator(_is_command)]
Variable = Annotated[str, AfterValidator(proxied.demand_name)]
Host = Annotated[str, AfterValidator(proxied.demand_host)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$")]


def _several(description: str, *, default: tuple[str, ...] = ()) -> Any:
    """A list in the file, a tuple in the contract."""
    return Field(default=default, strict=False, description=description)


class Dialect(StrEnum):
    """How a gate reports."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    JUNIT = "junit"
    GO_JSON = "go-json"
    TAP = "tap"
    EXIT = "exit"

    @property
    def has_ids(self) -> bool:
        return self is not Dialect.EXIT

    @property
    def is_written(self) -> bool:
        """The report is a file or the output, where the code under test can write as well."""
        return self not in (Dialect.PYTEST, Dialect.UNITTEST)


class Accept(StrEnum):
    """The lowest evidence level that may be called verified."""

    L2 = "L2"
    L3 = "L3"


class Gate(Strict):
    """One command of an oracle."""

    name: Name = Field(default="tests", description="How the gate is called in reports.")
    run: Annotated[Command, AfterValidator(_is_not_blank)] = Field(
        min_length=1,
        description="The command, run by sh -c in the workcopy with the repository's interpreter.",
    )
    report: Dialect = Field(
        default=Dialect.PYTEST,
        strict=False,
        description="How the command reports; exit knows no tests, only the exit code.",
    )
    report_file: str = Field(
        default="",
        description="With junit: where the command writes its report, relative to the checkout.",
    )
    select: tuple[str, ...] = _several(
        "Arguments that narrow the command to test ids, where the dialect cannot."
    )
    min_pass: Annotated[int, Field(ge=0)] | Literal["baseline"] | None = Field(
        default=None,
        description="How many tests must pass: a number, or baseline for as many as before.",
    )
    timeout_s: Seconds = Field(default=600, description="Seconds until the gate is ended.")

    @model_validator(mode="after")
    def _counts_only_where_there_are_ids(self) -> Gate:
        if self.report is Dialect.EXIT and self.min_pass == BASELINE:
            raise ValueError("min_pass: baseline needs a report with test ids; exit has none")
        return self


class Oracle(Strict):
    """A judge: gates that must all be green, and the paths that no agent may change."""

    gates: tuple[Gate, ...] = Field(
        default=(), strict=False, description="The commands that judge; all of them must be green."
    )
    frozen: tuple[str, ...] = _several(
        "Paths and patterns restored before every run, such as tests/; each must match something."
    )
    require_red_start: bool = Field(
        default=True, description="Refuse to begin unless the oracle is red on the base."
    )


class Reproduce(Strict):
    """Where an agent may write a first failing test; absent: never."""

    paths: tuple[str, ...] = Field(strict=False, description="Folders and patterns, as in frozen.")


def _one_is_a_list_of_one(value: object) -> object:
    return (value,) if isinstance(value, str) else value


class AgentSpec(Strict):
    """Who changes the checkout, and how long it may."""

    backend: Annotated[tuple[str, ...], BeforeValidator(_one_is_a_list_of_one)] = Field(
        default=("repair",),
        strict=False,
        description="anthropic, repair, command:CMD or scripted:FILE; of several, each in turn.",
        json_schema_extra={"type": ["string", "array"]},
    )
    model: str = Field(
        default="claude-sonnet-5-5", description="Which model the anthropic agent asks."
    )
    max_turns: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=60, description="Turns of the agent, at most."
    )
    env: tuple[Variable, ...] = _several(
        "Variables with keys for agent.hosts: a command: agent's calls get them from jam's proxy."
    )
    hosts: tuple[Host, ...] = _several(
        "Hosts that a command: agent may reach, through jam's proxy."
    )


class Budget(Strict):
    """What a session may cost. Whatever ends first ends the work; the change is still judged. None
    of it can be 0: some would read that as nothing, and others as without end."""

    usd: Annotated[float, Field(gt=0)] = Field(default=5, description="Money for one session.")
    tokens: Annotated[int, Field(gt=0)] = Field(
        default=2_000_000, description="Tokens for one session."
    )
    seconds: Seconds = Field(default=3600, description="Time for one session.")
    attempts: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3, description="Sessions for one issue."
    )
    usd_per_day: Annotated[float, Field(gt=0)] = Field(
        default=50, description="Money for one repository in a day."
    )


class SandboxSpec(Strict):
    """Where commands run."""

    kind: SandboxKind = Field(
        default=SandboxKind.AUTO,
        strict=False,
        description="auto: bubblewrap; without a sandbox only when none is written here.",
    )
    read: tuple[str, ...] = _several("Paths of the machine that commands may read, besides.")
    network: Literal["none"] = Field(
        default="none", description="Commands reach localhost and nothing else; setup excepted."
    )
    services: tuple[str, ...] = _several("Commands started inside before the gates: a database.")


class PolicySpec(Strict):
    """Commands and paths; layers may only narrow."""

    deny: tuple[str, ...] = _several("What an agent may never run or write.")
    ask: tuple[str, ...] = _several("What a person is asked about first.")


class Protection(StrEnum):
    BLOCK = "block"
    REVIEW = "review"


class Hooks(Strict):
    """The repository's own commands at fixed points of a session."""

    stop: tuple[str, ...] = _several("Asked after a green gate; a non-zero exit is a veto.")


class Publish(Strict):
    """How a change is handed over."""

    branch_prefix: str = Field(
        default="jam/",
        pattern=r"^[a-z0-9][a-z0-9._/-]{0,40}$",
        description="What the names of jam's branches begin with.",
    )
    draft: Literal["auto", "always"] = Field(
        default="auto", description="auto: a draft unless verified."
    )
    agent_tests: Literal["commit", "drop"] = Field(
        default="commit",
        description="What becomes of new tests by the agent: a second commit, or nothing.",
    )
    accept: Accept = Field(
        default=Accept.L3,
        strict=False,
        description="The lowest evidence level that may be called verified.",
    )
    max_files: Annotated[int, Field(ge=1)] = Field(
        default=100, description="Files that a change may touch."
    )


class Flaky(Strict):
    """What `jam flaky` does when nobody says otherwise."""

    oracle: str = Field(default="", description="Which oracle; the first one, when empty.")
    minutes: Annotated[int, Field(ge=1)] = Field(default=30, description="How long it may look.")
    quarantine: Literal["off", "on"] = Field(
        default="off", description="Whether tests found flaky may be set aside."
    )
    issues: Literal["off", "on"] = Field(
        default="on", description="Whether a scheduled search keeps an issue for each cause."
    )
    pulls: Annotated[int, Field(ge=0, le=10)] = Field(
        default=1, description="Open pull requests for flaky tests at a time; 0 for none."
    )
    attempts: Annotated[int, Field(ge=1, le=10)] = Field(
        default=3, description="Mends that scheduled searches begin for one cause."
    )


class Contract(Strict):
    """The whole of ``.github/jam.yml``. Every field has a default but what no default can guess."""

    version: Literal[1] = Field(default=1, description="The format of this file.")
    label: str = Field(default="jam", min_length=1, description="The label that starts a session.")
    setup: Command = Field(
        default="",
        description="Run once, before any agent exists; may use the network, but not for a fork.",
    )
    build: Command = Field(
        default="", description="Run offline before the gates, in every room: what compiles."
    )
    oracles: Mapping[Name, Oracle] = Field(
        default_factory=dict,
        description="The judges by name; the first one is used unless another is named.",
    )
    checks: Mapping[str, str] = Field(
        default_factory=dict, description="Which oracle judges which failing check."
    )
    reproduce: Reproduce | None = Field(
        default=None, description="Where an agent may write a first failing test; absent: never."
    )
    agent: AgentSpec = Field(default=AgentSpec(), description="Who changes the checkout.")
    budget: Budget = Field(default=Budget(), description="What a session may cost.")
    sandbox: SandboxSpec = Field(default=SandboxSpec(), description="Where commands run.")
    policy: PolicySpec = Field(default=PolicySpec(), description="What an agent may not do.")
    protect: Mapping[str, Annotated[Protection, Field(strict=False)]] = Field(
        default_factory=lambda: {".github/**": Protection.BLOCK, "*.lock": Protection.REVIEW},
        description="Paths whose change is blocked, or keeps the pull request a draft.",
    )
    hooks: Hooks = Field(default=Hooks(), description="The repository's own commands.")
    publish: Publish = Field(default=Publish(), description="How a change is handed over.")
    flaky: Flaky = Field(default=Flaky(), description="What `jam flaky` does.")


def digest(contract: Contract) -> str:
    """Sha256 of the canonical JSON: two contracts that mean the same have the same digest."""
    return hashlib.sha256(contract.model_dump_json().encode()).hexdigest()
