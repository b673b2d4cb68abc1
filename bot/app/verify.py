"""
Judges a change that somebody else made, as if an agent had just left it.

Nothing that the change says of itself counts. Its tests, laid over the base, must be red there and
green on the head; the tests of the base must stay green. Where no test tells the two apart, that is
the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.app.candidate import Composer
from bot.app.court import Court, Trial
from bot.core.entries import AnyFact, Hooked, Judged, Reproduced, Turned
from bot.core.frozen import Hold, Rules
from bot.core.parts import Held, Purpose
from bot.core.session import Session
from bot.core.steps import AskHook, Work
from bot.core.tree import TreeEntry
from bot.core.verdict import Error, Standing
from bot.errors import NoTestLeft
from bot.ports import Evidence, Workcopy

GIVEN = "given"
"""The name of the agent whose work is there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenWork:
    """The one turn of a change that exists: its tree is the checkpoint."""

    evidence: Evidence
    commit: str
    tree: str
    changed: int
    composer: Composer
    court: Court
    tests: HeadTests | None  # None: the change may bring none of its own

    def mended(self, session: Session, ours: frozenset[str]) -> frozenset[str]:
        """
        What passes where the change is: a test that nobody mended is nobody's target. Where the
        head cannot be judged everything stays one, and adjudication says why.
        """
        held = Held(number=1, commit=self.commit, tree=self.tree, changed=self.changed)
        candidate = self.composer.compose(session, held)
        trial = Trial(
            purpose=Purpose.PREFLIGHT, number=len(session.preflights), tree=candidate.tree
        )
        said = self.court.standings(self.court.of_base(trial, ours=ours), ours=ours).values()
        if any(isinstance(one, Error) for one in said):
            return frozenset(i for run in session.preflights for i in self._failing(run, ours))
        passed = frozenset(i for one in said if isinstance(one, Standing) for i in one.passed)
        return passed | self._own_and_red(session, ours)

    def _own_and_red(self, session: Session, ours: frozenset[str]) -> frozenset[str]:
        """A test that the change itself brings must pass, whatever else was red before."""
        brought = session.reproduced.paths if session.reproduced else ()
        base = self.composer.workcopy.entries(session.opened.base_tree) if session.opened else {}
        new = tuple(path for path in brought if path not in base)
        dotted = tuple(path.removesuffix(".py").replace("/", ".") for path in new)
        failing = frozenset(i for run in session.preflights for i in self._failing(run, ours))
        return frozenset(i for i in failing if i.startswith((*new, *dotted)))

    def _failing(self, run: Judged, ours: frozenset[str]) -> frozenset[str]:
        standings = self.court.standings(run, ours=ours).values()
        return frozenset(i for one in standings if isinstance(one, Standing) for i in one.failing)

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        if self.tests is None:
            return ()
        ground = self.tests.ground(session.ground, self.tree, session)
        return (ground,) if ground else ()

    def turn(self, step: Work, session: Session) -> Turned:
        begins = session.head is None
        held = Held(number=step.number, commit=self.commit, tree=self.tree, changed=self.changed)
        return Turned(
            number=step.number,
            agent=GIVEN,
            wish="finish" if begins else "give up",
            seconds=0.0,
            memory_sha256=self.evidence.put(b""),
            checkpoint=held if begins else None,
        )

    def ask_hook(self, step: AskHook, session: Session) -> Hooked:
        raise AssertionError(f"{step} of {session}: nobody is asked about a change that exists")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTests:
    """The tests of the head over the base: the ground that the head is measured against."""

    workcopy: Workcopy
    composer: Composer

    def ground(self, base_tree: str, head_tree: str, session: Session) -> Reproduced | None:
        """None where the head changes no test: then the base is the ground."""
        base, head = self.workcopy.entries(base_tree), self.workcopy.entries(head_tree)
        rules = self.composer.rules(session)
        changed = changed_tests(base, head, rules)
        if not changed:
            return None
        if not any(rules.hold(path) is Hold.FROZEN for path in head):
            raise NoTestLeft
        put = [head[path] for path in changed if path in head]
        drop = [path for path in changed if path not in head]
        return Reproduced(
            checkpoint=0,
            tree=self.workcopy.compose(base_tree, put=put, drop=drop),
            paths=changed,
            by="the change",
        )


def changed_tests(
    base: Mapping[str, TreeEntry], head: Mapping[str, TreeEntry], rules: Rules
) -> tuple[str, ...]:
    """Frozen paths, not surface, that differ between the two; new ones among them."""
    paths = base.keys() | head.keys()
    return tuple(
        sorted(
            path
            for path in paths
            if base.get(path) != head.get(path) and rules.hold(path) is Hold.FROZEN
        )
    )
