"""
What experiments showed of one wavering test.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category
from bot.core.flaky.reduce import Part
from bot.core.flaky.runs import Count, Leaked


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """``before``: of ``condition``. ``certain``: it fails every time there, and never under
    ``counter``. ``shown``: the condition that a person is given, where it is another one."""

    category: Category
    condition: Condition
    before: Count
    counter: Condition | None = None
    after: Count | None = None  # of ``counter``
    certain: bool = False
    shown: Condition | None = None
    others: tuple[Count, ...] = ()
    why: tuple[str, ...] = ()
    polluters: Part = ()
    setters: Part = ()
    victims: tuple[str, ...] = ()
    leaked: tuple[Leaked, ...] = ()
    failing: tuple[Condition, ...] = ()
