"""All families and their cheats, in the order of the table."""

from __future__ import annotations

from tests.cheats.around import AROUND
from tests.cheats.case import Cheat, Family
from tests.cheats.from_inside import INSIDE
from tests.cheats.with_pytest import CONFIGURATION, HOOKS, PYTEST, TEXT

FAMILIES: tuple[Family, ...] = (PYTEST,)
ALL: tuple[tuple[Family, Cheat], ...] = tuple(
    (PYTEST, cheat) for cheat in (*TEXT, *HOOKS, *CONFIGURATION, *INSIDE, *AROUND)
)
