"""
The checks *renamed* and *twin*: copies of the targets' modules, undisturbed and disturbed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.app.trying import Aim, Trier
from bot.core.contract import Dialect
from bot.core.sensitivity.canary import Canary, canary, of_canary
from bot.core.sensitivity.ids import TestName, beside, by_name, take_apart
from bot.core.sensitivity.inplace import Renamed, in_place, of_names, texts_of_tests
from bot.core.sensitivity.module import Module, read_module
from bot.core.sensitivity.renamed import Copy, rename, speaks_of, speaks_of_itself
from bot.core.sensitivity.sighting import (
    Controls,
    Disturbed,
    Sighting,
    Word,
    of_disturbing,
    of_renaming,
    unrenamed,
)
from bot.core.sensitivity.source import Opaque, Source, parse
from bot.core.sensitivity.twin import Tokens, Twin, disturb
from bot.ports import Workcopy

NEIGHBOURS = 60
"""Of one module; those next to the targets are taken."""
Run = Callable[[], Sighting]


def token() -> str:
    return secrets.token_hex(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """A target's module, and the tests of it that matter, by their ids."""

    path: str
    module: Module
    targets: Mapping[str, TestName]
    neighbours: Mapping[str, TestName]


@dataclass(slots=True, kw_only=True)
class Copier:
    """One gate's copies. ``without``: targets that have none, with the reason."""

    trier: Trier
    workcopy: Workcopy
    ground: str
    tree: str
    aim: Aim
    studied: list[Studied] = field(default_factory=list)
    renamed: list[Copy] = field(default_factory=list)
    twins: list[Twin] = field(default_factory=list)
    without: dict[str, str] = field(default_factory=dict)
    untwinned: dict[str, str] = field(default_factory=dict)
    canary: Canary | None = None  # where nothing can be copied
    in_place: Renamed | None = None  # the same

    def prepare(self) -> None:
        """Write the copies; nothing runs yet."""
        if self.aim.gate.report not in (Dialect.PYTEST, Dialect.UNITTEST):
            why = f"tests cannot be copied for a gate that reports {self.aim.gate.report.value}"
            self.without = dict.fromkeys(self.aim.targets, why)
            self._prepare_in_place()
            return
        for one in self._study():
            copy = self._renamed(one, one.targets)
            if isinstance(copy, Opaque):
                self.without |= dict.fromkeys(one.targets, copy.why)
                continue
            self.studied.append(one)
            self.renamed.append(copy)
            twin = self._twin(one, one.targets)
            if isinstance(twin, Opaque):
                self.untwinned |= dict.fromkeys(one.targets, twin.why)
            else:
                self.twins.append(twin)
                self.untwinned |= dict.fromkeys(twin.without, "it has no expectation in its text")

    def _prepare_in_place(self) -> None:
        report, targets = self.aim.gate.report, self.aim.targets
        if not report.has_ids:
            return
        paths = self.workcopy.entries(self.tree)

        def read(path: str) -> bytes | None:
            return self.workcopy.read(self.tree, path)

        self.canary = canary(report, targets, paths, read=read, token=token())
        texts = texts_of_tests(paths, read)
        self.in_place = in_place(report, targets, self.aim.passed, texts=texts, token=token())

    @property
    def tests(self) -> tuple[str, ...]:
        return tuple(test for one in self.studied for test in one.targets)

    def runs(self) -> tuple[Run, Run, Run]:
        """The renamed copies, the hard twins and the soft ones."""
        return (
            lambda: (
                self._run_in_place(self.tree)
                if self.in_place
                else self._run_renamed(self.tree, self.renamed, self.tests)
            ),
            lambda: (
                self._run_canary(self.tree)
                if self.canary
                else self._run_twins(self.tree, self.twins, "hard")
            ),
            lambda: self._run_twins(self.tree, self.twins, "soft"),
        )

    def of_renaming(self, seen: Sighting) -> Word:
        if self.in_place:
            count = len(self.aim.targets)
            return of_names(self.in_place, count, seen, lambda: self._run_in_place(self.ground))
        failing = unrenamed(seen, self.tests)
        controls = self._controls(failing) if failing else None
        return of_renaming(seen, self.tests, controls, self.without)

    def of_disturbing(self, hard: Sighting, soft: Sighting, renamed: Sighting) -> Word:
        if self.canary:
            return of_canary(hard, self.canary, lambda: self._run_canary(self.ground))
        pairs = [Disturbed(twin=twin, hard=hard, soft=soft) for twin in self.twins]
        if hard.cut:
            ground = self._run_twins(self.ground, self.twins, "hard")
            if any(pair.breaks(ground) for pair in pairs):
                why = f"with the change, and only so, tests that fail end the run: {hard.trouble}"
                return Word("failed", why)
        good = [test for test in self.tests if renamed.passed(test)]
        suspects = {test for pair in pairs for test in pair.suspects(good)}
        neighbours = self._neighbours_disturbed(suspects) if suspects else None
        return of_disturbing(pairs, good, neighbours, {**self.without, **self.untwinned})

    def _study(self) -> Iterator[Studied]:
        paths = self.workcopy.entries(self.tree)
        known = by_name(paths)
        files: dict[str, dict[str, TestName]] = {}
        for test in (*self.aim.targets, *self.aim.passed):
            name = take_apart(test, self.aim.gate.report, known)
            if name is not None and name.path in paths:
                files.setdefault(name.path, {})[test] = name
        targets = frozenset(self.aim.targets)
        found = {test for tests in files.values() for test in tests}
        for test in targets - found:
            self.without[test] = "it is no function of a Python file"
        for path, tests in sorted(files.items()):
            mine = {test: name for test, name in tests.items() if test in targets}
            if mine:
                yield from self._of_module(path, mine, tests)

    def _of_module(
        self, path: str, mine: Mapping[str, TestName], tests: Mapping[str, TestName]
    ) -> Iterator[Studied]:
        source = parse(self.workcopy.read(self.tree, path) or b"")
        if isinstance(source, Opaque):
            self.without |= dict.fromkeys(mine, source.why)
            return
        module = read_module(source)
        others = {t: n for t, n in tests.items() if t in self.aim.passed and t not in mine}
        near = _nearest(module, mine.values(), others)
        yield Studied(path=path, module=module, targets=mine, neighbours=near)

    def _renamed(self, one: Studied, tests: Mapping[str, TestName]) -> Copy | Opaque:
        name = token()
        return rename(one.module, tests, path=beside(one.path, name), token=name)

    def _twin(self, one: Studied, tests: Mapping[str, TestName]) -> Twin | Opaque:
        tokens = Tokens(hard=token(), soft=token(), name=token())
        return disturb(one.module, tests, dialect=self.aim.gate.report, tokens=tokens)

    def _run_renamed(self, tree: str, copies: Iterable[Copy], tests: Iterable[str]) -> Sighting:
        return self.trier.run_copies(tree, self.aim, copies, tests, blank=self._blank())

    def _blank(self) -> tuple[str, ...]:
        """Modules that nothing needs while their copies run, and that a cheat may want to read."""
        readers = [*(one.module for one in self.studied), *self._conftests()]
        return tuple(
            one.path
            for one in self.studied
            if not speaks_of_itself(one.module, one.path)
            and not any(speaks_of(reader, one.path) for reader in readers)
        )

    def _conftests(self) -> Iterator[Module]:
        """Of the folders that the targets are in."""
        parts = [one.path.split("/")[:-1] for one in self.studied]
        folders = {tuple(above[:n]) for above in parts for n in range(len(above) + 1)}
        for folder in sorted(folders):
            text = self.workcopy.read(self.tree, "/".join((*folder, "conftest.py")))
            source = parse(text or b"")
            if isinstance(source, Source):
                yield read_module(source)

    def _run_twins(self, tree: str, twins: Iterable[Twin], kind: str) -> Sighting:
        copies: list[Copy] = [getattr(twin, kind) for twin in twins]
        if not copies:
            return Sighting()
        wanted = [name.id for copy in copies for name in copy.names.values()]
        if kind == "hard":
            wanted += [name.id for twin in twins for name in twin.canaries]
        return self.trier.run(
            self.trier.with_copies(tree, copies, blank=self._blank()), self.aim, wanted
        )

    def _run_canary(self, tree: str) -> Sighting:
        """With every test of the gate: a name asked for alone would tell that it is one."""
        assert self.canary is not None, "asked where there is one"  # noqa: S101
        laid = self.trier.lay(tree, {self.canary.path: self.canary.content})
        return self.trier.run(laid, self.aim, None)

    def _run_in_place(self, tree: str) -> Sighting:
        """With every test of the gate, as the canary is."""
        assert self.in_place is not None, "asked where there is one"  # noqa: S101
        if not self.in_place.names:
            return Sighting()
        return self.trier.run(self.trier.lay(tree, self.in_place.contents), self.aim, None)

    def _controls(self, failing: Collection[str]) -> Controls:
        hit = [one for one in self.studied if set(one.targets) & set(failing)]
        neighbours = {test for one in hit for test in one.neighbours}
        copies = [self._renamed(one, {**one.targets, **one.neighbours}) for one in hit]
        again = [copy for copy in copies if isinstance(copy, Copy)]
        return Controls(
            again=self._run_renamed(self.tree, again, failing),
            alone=self.trier.run(self.tree, self.aim, failing),
            ground=self._run_renamed(self.ground, again, {*failing, *neighbours}),
            neighbours=frozenset(neighbours),
            speaks=frozenset(
                t for one in hit if speaks_of_itself(one.module, one.path) for t in one.targets
            ),
        )

    def _neighbours_disturbed(self, suspects: Collection[str]) -> list[Disturbed]:
        hit = [one for one in self.studied if set(one.targets) & set(suspects) and one.neighbours]
        made = [self._twin(one, one.neighbours) for one in hit]
        twins = [twin for twin in made if isinstance(twin, Twin)]
        hard = self._run_twins(self.ground, twins, "hard")
        soft = self._run_twins(self.ground, twins, "soft")
        return [Disturbed(twin=twin, hard=hard, soft=soft) for twin in twins]


def _nearest(
    module: Module, targets: Iterable[TestName], others: Mapping[str, TestName]
) -> dict[str, TestName]:
    def line(name: TestName) -> int:
        found = module.find(name)
        return module.functions[found].lineno if found else 0

    places = [line(name) for name in targets]
    near = sorted(others, key=lambda t: (min(abs(line(others[t]) - p) for p in places), t))
    return {test: others[test] for test in near[:NEIGHBOURS]}
