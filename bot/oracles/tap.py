"""
TAP 13 and 14, with subtests as node:test, Test::More and others write them.

A plan must be there and agree with what came, at every depth; numbers must follow each other. An
id is the descriptions from the outermost test inwards, joined by ``::``. Lines that are no TAP are
what tests print, and are left aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.core.report import Case, Mark, Reading, Report, Unreadable
from bot.oracles.raw import MESSAGE, Raw, agreed, merged, not_judged

STEP = 4  # spaces that a subtest is moved in by
POINT = re.compile(r"(?P<not>not )?ok\b *(?P<number>\d{1,9})?(?: *- *| +|$)(?P<rest>.*)")
PLAN = re.compile(r"1\.\.(\d{1,9})(?: *#.*)?")
DIRECTIVE = re.compile(r"(?<!\\)# *(skip|todo)\S*\s*(.*)$", re.IGNORECASE)
BAIL = re.compile(r"Bail out!\s*(.*)")
ESCAPED = re.compile(r"\\([\\#])")


class Refused(ValueError):
    """The lines do not agree with each other."""


class Cut(Refused):
    """Something is missing at the end."""


@dataclass(slots=True)
class _Level:
    """The tests of one depth since the last one of the depth above."""

    points: int = 0
    plan: int | None = None
    cases: list[Case] = field(default_factory=list)


def read_tap(raw: Raw) -> Reading:
    if problem := not_judged(raw):
        return problem
    reader = _Reader()
    try:
        # A last line without its end may be half of one.
        for line in raw.text.rpartition("\n")[0].split("\n"):
            if bail := reader.learn(line):
                return Unreadable(f"the tests gave up: {bail}", cut=True)
        if not reader.began:
            return Unreadable("the command wrote no TAP")
        cases = reader.close()
    except Refused as error:
        return Unreadable(str(error), cut=isinstance(error, Cut))
    return agreed(Report(cases=merged(cases)), raw)


class _Reader:
    def __init__(self) -> None:
        self.levels = [_Level()]
        self._yaml = ""  # the line that ends the block that is open
        self._block: list[str] = []

    @property
    def began(self) -> bool:
        return len(self.levels) > 1 or self.levels[0] != _Level()

    def learn(self, line: str) -> str:
        """The reason, if the tests gave up."""
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if self._yaml:
            self._learn_of_block(line)
        elif bare.rstrip() == "---" and indent % STEP == 2:
            self._yaml = " " * indent + "..."
            self._block = []
        elif indent % STEP == 0 and indent // STEP <= len(self.levels):
            return self._learn_at(indent // STEP, bare.rstrip())
        return ""

    def close(self) -> list[Case]:
        if self._yaml:
            raise Cut("the report breaks off inside of a diagnostic block")
        if len(self.levels) > 1:
            raise Cut("the report breaks off inside of a subtest")
        return self._closed().cases

    def _learn_of_block(self, line: str) -> None:
        if line.rstrip() == self._yaml:
            self._yaml = ""
            self._explain("\n".join(self._block))
        else:
            self._block.append(line.strip())

    def _learn_at(self, depth: int, bare: str) -> str:
        if found := BAIL.fullmatch(bare):
            return found[1] or "no reason was given"
        if found := PLAN.fullmatch(bare):
            level = self._at(depth)
            if level.plan is not None:
                raise Refused("there are two plans where one belongs")
            level.plan = int(found[1])
        elif found := POINT.fullmatch(bare):
            self._learn_point(depth, found)
        elif bare.startswith("#") and not bare.startswith("# Subtest"):
            self._explain(bare)
        return ""

    def _learn_point(self, depth: int, found: re.Match[str]) -> None:
        level = self._at(depth)
        level.points += 1
        if found["number"] and int(found["number"]) != level.points:
            raise Refused(f"test {level.points} calls itself test {found['number']}")
        rest, directive = found["rest"], DIRECTIVE.search(found["rest"])
        if directive:
            rest = rest[: directive.start()]
        name = ESCAPED.sub(r"\1", rest).strip() or f"test {level.points}"
        inner = self._closed() if len(self.levels) > depth + 1 else _Level()
        level.cases.extend(_inside(name, inner.cases))
        word = directive[1].lower() if directive else ""
        message = directive[2] if directive else ""
        level.cases.append(Case(name, _mark(bool(found["not"]), word), message))

    def _at(self, depth: int) -> _Level:
        if depth == len(self.levels):
            self.levels.append(_Level())
        elif depth + 1 < len(self.levels) and depth + 2 != len(self.levels):
            raise Refused("a subtest has no end")
        return self.levels[depth]

    def _closed(self) -> _Level:
        """The innermost depth, taken off once it is known to be whole."""
        level = self.levels[-1]
        if level.plan is None:
            raise Cut("there is no plan" if len(self.levels) == 1 else "a subtest has no plan")
        if level.plan != level.points:
            kind = Cut if level.points < level.plan else Refused
            raise kind(f"{level.plan} tests were planned, {level.points} came")
        if len(self.levels) > 1:
            self.levels.pop()
        return level

    def _explain(self, text: str) -> None:
        """Adds to the last test, which is where diagnostics belong, if it was not a good one."""
        cases = self.levels[-1].cases
        if cases and cases[-1].mark is not Mark.PASSED:
            last = cases[-1]
            message = f"{last.message}\n{text}".strip()[-MESSAGE:]
            cases[-1] = Case(last.id, last.mark, message)


def _inside(name: str, cases: Iterable[Case]) -> list[Case]:
    return [Case(f"{name}::{case.id}", case.mark, case.message) for case in cases]


def _mark(is_bad: bool, word: str) -> Mark:  # noqa: FBT001  # private, and both are plain facts
    if word == "skip":
        return Mark.SKIPPED
    if word == "todo":
        return Mark.XFAILED if is_bad else Mark.XPASSED
    return Mark.FAILED if is_bad else Mark.PASSED
