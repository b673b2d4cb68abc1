"""
One root cause of flaky tests, with all that is known of it. What a mend starts from.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Count
from bot.core.flaky.runs import Leaked as Leaked
from bot.core.parts import Fact
from bot.core.spoken import ShaGit


class Category(StrEnum):
    """What an experiment showed, never what the code looks like."""

    VICTIM = "order-dependent: victim"  # passes alone, fails after a polluter
    BRITTLE = "order-dependent: brittle"  # fails alone, passes after a state-setter
    REPEATED = "not idempotent"  # fails when run twice in one process
    RANDOM = "randomness"
    TIME = "time"
    CONCURRENCY = "concurrency and waiting"
    UNORDERED = "unordered collections"
    NETWORK = "network"
    RESOURCE = "resources"
    PLATFORM = "platform"
    UNKNOWN = "unknown"


class Standing(StrEnum):
    FLAKY = "flaky"  # proven: it passed and it failed, same code, same condition or one apart
    REPEATED = "not idempotent"  # proven: it fails only when it runs twice in one process
    BROKEN = "broken"  # always fails
    SUSPECT = "suspect"  # failed, and not often enough to prove anything
    ERROR = "error"  # could not be judged


class Finding(Fact):
    """
    ``tests``: all that fail of this cause; ``test`` is the one that was measured. ``condition``:
    the smallest under which it fails, and ``counter`` one apart from it under which it passes.
    """

    kind: Literal["finding"] = "finding"
    commit: ShaGit
    gate: str
    test: str
    tests: tuple[str, ...]
    standing: Standing
    category: Category
    condition: Condition
    counter: Condition | None = None
    before: Count  # under ``condition``
    plain: Count  # as the command runs it
    others: tuple[Count, ...] = ()  # what told the category apart
    polluters: tuple[str, ...] = ()
    setters: tuple[str, ...] = ()  # for a brittle: what makes it pass
    leaked: tuple[Leaked, ...] = ()
    signature: str
    failure: str = ""  # the end of one failure, bounded
    command: str = ""  # for a person to paste
    why: tuple[str, ...] = ()  # the reasons for the category, a sentence each
    #: conditions under which it failed, to be replayed one by one
    failing: tuple[Condition, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Stable over commits: what an issue or a pull request is found again by."""
        return f"{self.test}|{self.category.value}|{self.signature}"
