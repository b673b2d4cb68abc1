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

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Seconds = Annotated[float, Field(gt=0, le=86_400, strict=False)]


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


class Accept(StrEnum):
    """The lowest evidence level that may be called verified."""

    L2 = "L2"
    L3 = "L3"


class Gate(Strict):
    name: str = "tests"
    run: str = Field(min_length=1)
    report: Dialect = Field(default=Dialect.PYTEST, strict=False)
    report_file: str = ""  # junit: where the command writes it, relative to the checkout
    select: tuple[str, ...] = Field(default=(), strict=False)
    min_pass: Annotated[int, Field(ge=0)] | Literal["baseline"] | None = None
    timeout_s: Seconds = 600

    @model_validator(mode="after")
    def _counts_only_where_there_are_ids(self) -> Gate:
        if self.report is Dialect.EXIT and self.min_pass == "baseline":  # noqa: S105  # a count
            raise ValueError("min_pass: baseline needs a report with test ids; exit has none")
        return self


class Oracle(Strict):
    gates: tuple[Gate, ...] = Field(default=(), strict=False)
    frozen: tuple[str, ...] = Field(default=(), strict=False)
    require_red_start: bool = True


class Reproduce(Strict):
    paths: tuple[str, ...] = Field(strict=False)


class AgentSpec(Strict):
    backend: tuple[str, ...] = Field(default=("repair",), strict=False)
    model: str = "claude-sonnet-5-5"
    max_turns: Annotated[int, Field(ge=1, le=1000)] = 60
    env: tuple[str, ...] = Field(default=(), strict=False)
    hosts: tuple[str, ...] = Field(default=(), strict=False)

    @model_validator(mode="before")
    @classmethod
    def _one_backend_is_a_list_of_one(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("backend"), str):
            return {**value, "backend": (value["backend"],)}
        return value


class Budget(Strict):
    usd: Annotated[float, Field(ge=0, strict=False)] = 5
    tokens: Annotated[int, Field(ge=0)] = 2_000_000
    seconds: Seconds = 3600
    attempts: Annotated[int, Field(ge=1, le=100)] = 3
    usd_per_day: Annotated[float, Field(ge=0, strict=False)] = 50


class SandboxKind(StrEnum):
    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


class SandboxSpec(Strict):
    kind: SandboxKind = Field(default=SandboxKind.AUTO, strict=False)
    read: tuple[str, ...] = Field(default=(), strict=False)
    network: Literal["none"] = "none"
    services: tuple[str, ...] = Field(default=(), strict=False)


class PolicySpec(Strict):
    deny: tuple[str, ...] = Field(default=(), strict=False)
    ask: tuple[str, ...] = Field(default=(), strict=False)


class Protection(StrEnum):
    BLOCK = "block"
    REVIEW = "review"


class Hooks(Strict):
    stop: tuple[str, ...] = Field(default=(), strict=False)


class Publish(Strict):
    branch_prefix: str = Field(default="jam/", pattern=r"^[a-z0-9][a-z0-9._/-]{0,40}$")
    draft: Literal["auto", "always"] = "auto"
    agent_tests: Literal["commit", "drop"] = "commit"
    accept: Accept = Field(default=Accept.L3, strict=False)
    max_files: Annotated[int, Field(ge=1)] = 100


class Flaky(Strict):
    oracle: str = ""
    minutes: Annotated[int, Field(ge=1)] = 30
    quarantine: Literal["off", "on"] = "off"


class Contract(Strict):
    """The whole of ``.github/jam.yml``. Every field has a default but what no default can guess."""

    version: Literal[1] = 1
    label: str = "jam"
    setup: str = ""
    build: str = ""
    oracles: Mapping[str, Oracle] = Field(default_factory=dict)
    checks: Mapping[str, str] = Field(default_factory=dict)
    reproduce: Reproduce | None = None
    agent: AgentSpec = AgentSpec()
    budget: Budget = Budget()
    sandbox: SandboxSpec = SandboxSpec()
    policy: PolicySpec = PolicySpec()
    protect: Mapping[str, Annotated[Protection, Field(strict=False)]] = Field(
        default_factory=lambda: {".github/**": Protection.BLOCK, "*.lock": Protection.REVIEW}
    )
    hooks: Hooks = Hooks()
    publish: Publish = Publish()
    flaky: Flaky = Flaky()


def digest(contract: Contract) -> str:
    """Sha256 of the canonical JSON: two contracts that mean the same have the same digest."""
    return hashlib.sha256(contract.model_dump_json().encode()).hexdigest()
