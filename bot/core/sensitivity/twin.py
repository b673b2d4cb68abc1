"""
Copies of a test module whose target tests expect something else than they should.

Besides the targets, a copy holds tests that fail always: whatever reports those as passed reports
nothing. They also confess which targets came to an expectation that had been disturbed, since one
that never did says nothing either.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from bot.core.contract import Dialect
from bot.core.sensitivity.ids import TestName, beside
from bot.core.sensitivity.module import Module
from bot.core.sensitivity.renamed import Copy
from bot.core.sensitivity.runtime import runtime
from bot.core.sensitivity.sites import Pen, Site
from bot.core.sensitivity.source import Edit, Opaque

SAID = re.compile(r"<<(.*?)>>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """``places``: of each target, the numbers of the functions that expect something for it."""

    hard: Copy
    soft: Copy
    held: str  # the name of the exception that says that an expectation held all the same
    canaries: tuple[TestName, ...]  # in the hard copy
    places: Mapping[str, frozenset[int]]
    without: tuple[str, ...]  # targets that have no expectation in this text


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Names that nothing in the tree knows."""

    hard: str
    soft: str
    name: str


def disturb(
    module: Module, tests: Mapping[str, TestName], *, dialect: Dialect, tokens: Tokens
) -> Twin | Opaque:
    """``tests``: by id, all of them of this module."""
    path = next(iter(tests.values())).path
    held = f"Held{tokens.name}"
    name = f"jam{tokens.name}"
    plan = _plan(module, tests, Pen(source=module.source, name=name))
    if not plan.places:
        return Opaque("its tests say in their text nothing that they expect")
    first = module.source.put_first(runtime(name, held=held))
    classes = sorted({one.names[0] for one in tests.values() if len(one.names) == 2})
    copies = []
    for token, kind in ((tokens.hard, "hard"), (tokens.soft, "soft")):
        wrap = f"{name}.call" if kind == "hard" else f"{name}.trying"
        edits = [first, *(e for site in plan.sites for e in getattr(site, kind))]
        tail = [*_inverting(plan.inverted, name, wrap), *_canaries(tokens, name, classes)]
        end = len(module.source.text)
        content = module.source.edited([*edits, Edit(end, end, "\n" + "\n".join(tail) + "\n")])
        if isinstance(content, Opaque):
            return content
        there = beside(path, token)
        copies.append(Copy(there, content, {t: n.moved(there, n.names) for t, n in tests.items()}))
    any_test = next(iter(copies[0].names.values()))
    return Twin(
        hard=copies[0],
        soft=copies[1],
        held=held,
        canaries=_canary_names(any_test, tokens, dialect, classes),
        places=plan.places,
        without=tuple(sorted(set(tests) - set(plan.places))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    sites: tuple[Site, ...]
    places: Mapping[str, frozenset[int]]
    inverted: tuple[tuple[str, str, int], ...]  # class, method, place


def _plan(module: Module, tests: Mapping[str, TestName], pen: Pen) -> _Plan:
    numbers = {name: at for at, name in enumerate(module.functions)}
    own = frozenset(name.rpartition(".")[2] for name in module.functions)
    sites: dict[str, tuple[Site, ...]] = {}
    places: dict[str, frozenset[int]] = {}
    inverted: set[tuple[str, str, int]] = set()
    for test, name in tests.items():
        found = module.find(name)
        used = module.with_helpers(found) if found else ()
        for one in used:
            if one not in sites:
                at = pen.sites(module.functions[one], place=numbers[one], own=own)
                sites[one] = tuple(at)
        acting = frozenset(numbers[one] for one in used if sites[one])
        if (
            not acting
            and len(name.names) == 2
            and name.names[0] in {*module.bases, *module.imported}
        ):
            place = len(numbers) + len(inverted)
            inverted.add((name.names[0], name.names[1], place))
            acting = frozenset({place})
        if acting:
            places[test] = acting
    once = {id(s.statement): s for found in sites.values() for s in found}
    return _Plan(sites=tuple(once.values()), places=places, inverted=tuple(sorted(inverted)))


def _inverting(inverted: Iterable[tuple[str, str, int]], name: str, wrap: str) -> Iterable[str]:
    return (f"{name}.invert({kind}, {method!r}, {at}, {wrap})" for kind, method, at in inverted)


def _canaries(tokens: Tokens, name: str, classes: Iterable[str]) -> Iterator[str]:
    """
    Also in the targets' own classes, which may run their tests as they like. Not under them: what
    a class says to those that would stand under it is no test's affair.
    """
    function = f"test_{tokens.name}"
    yield f"def {function}(): {name}.confess()"
    yield f"class Test{tokens.name}(__import__('unittest').TestCase):"
    yield f"    def {function}(self): {name}.confess()"
    for owner in classes:
        yield f"type.__setattr__({owner}, {function!r}, lambda self: {name}.confess())"


def _canary_names(
    test: TestName, tokens: Tokens, dialect: Dialect, classes: Iterable[str]
) -> tuple[TestName, ...]:
    function, bare = f"test_{tokens.name}", replace(test, parameters="")
    owners = (f"Test{tokens.name}", *classes)
    within = tuple(replace(bare, names=(owner, function)) for owner in owners)
    alone = () if dialect is Dialect.UNITTEST else (replace(bare, names=(function,)),)
    return (*alone, *within)


def reached(confession: str, test: TestName, places: frozenset[int]) -> bool:
    """Did this test come to a disturbed expectation of its own? unittest tells only the place."""
    found = SAID.search(confession)
    said = re.findall(r"([0-9a-f]*)\|(\d+)", found.group(1)) if found else []
    name = "::".join(test.names) + test.parameters
    own = f"{zlib.crc32(name.encode('utf-8', 'replace')):08x}"
    return any(who in ("", own) and int(place) in places for who, place in said)
