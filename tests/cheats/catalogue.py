"""All families and their cheats, in the order of the table."""

from __future__ import annotations

from tests.cheats.around import AROUND
from tests.cheats.case import Cheat, Family
from tests.cheats.from_inside import INSIDE
from tests.cheats.hijack import HIJACKS, UNITTEST_HIJACKS
from tests.cheats.invented import INVENTED
from tests.cheats.with_others import (
    GO,
    GOES,
    MAKE,
    MAKES,
    NODE,
    NODES,
    RUST,
    RUSTS,
    UNITTEST,
    UNITTESTS,
)
from tests.cheats.with_pytest import CONFIGURATION, HOOKS, PYTEST, TEXT
from tests.cheats.written import JUNIT, JUNITS, UNKNOWN, UNKNOWNS

CATALOGUE: tuple[tuple[Family, tuple[Cheat, ...]], ...] = (
    (PYTEST, (*TEXT, *HOOKS, *CONFIGURATION, *INSIDE, *HIJACKS, *AROUND, *INVENTED)),
    (UNITTEST, (*UNITTESTS, *UNITTEST_HIJACKS)),
    (MAKE, MAKES),
    (NODE, NODES),
    (GO, GOES),
    (RUST, RUSTS),
    (JUNIT, JUNITS),
    (UNKNOWN, UNKNOWNS),
)
FAMILIES: tuple[Family, ...] = tuple(family for family, _ in CATALOGUE)
ALL: tuple[tuple[Family, Cheat], ...] = tuple(
    (family, cheat) for family, cheats in CATALOGUE for cheat in cheats
)
NAMED: dict[str, tuple[Family, Cheat]] = {cheat.id: (family, cheat) for family, cheat in ALL}
