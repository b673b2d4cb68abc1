"""
The baseline: what the base says in every run, taken together.

Only what all runs agree on counts: an id that passed in one and failed in another wavers, and is
neither a target nor held against a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from pydantic import BaseModel, ConfigDict

from bot.core.verdict import Expectation, Standing
from bot.errors import ReleaseImpossible, SpecError


class GateBaseline(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: tuple[str, ...]
    targets: tuple[str, ...]
    failing: tuple[str, ...]
    known: tuple[str, ...]
    wavering: tuple[str, ...]
    patched: tuple[str, ...] = ()


class Baseline(BaseModel):
    """One ``GateBaseline`` for each gate. Kept as evidence, cited by the ledger."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gates: Mapping[str, GateBaseline]

    @property
    def targets(self) -> tuple[str, ...]:
        return _sorted(t for gate in self.gates.values() for t in gate.targets)

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(i for gate in self.gates.values() for i in gate.passed)

    @property
    def wavering(self) -> tuple[str, ...]:
        return _sorted(i for gate in self.gates.values() for i in gate.wavering)

    @property
    def failing(self) -> int:
        """How many fail on the base and are no target."""
        return sum(len(set(g.failing) - set(g.targets)) for g in self.gates.values())

    def aiming_at(self, ids: frozenset[str]) -> Baseline:
        """Only these of the targets; the others fail on the base and are held against nobody."""
        return Baseline(
            gates={
                name: gate.model_copy(update={"targets": _sorted(ids & set(gate.targets))})
                for name, gate in self.gates.items()
            }
        )

    def releasing(self, ids: Sequence[str]) -> Baseline:
        """These pin the bug: a person said that they need not pass. ``ReleaseImpossible`` unless
        each is a test that the base passes; a target is never released."""
        for one in ids:
            self._demand_releasable(one)
        return Baseline(
            gates={
                name: gate.model_copy(update={"passed": _sorted(set(gate.passed) - set(ids))})
                for name, gate in self.gates.items()
            }
        )

    def _demand_releasable(self, one: str) -> None:
        if one in self.targets:
            raise ReleaseImpossible(f"{one!r} is a target: it has to pass, so it is not released")
        if one in self.passed:
            return
        known = {i for gate in self.gates.values() for i in gate.known}
        if one in known:
            raise ReleaseImpossible(
                f"{one!r} does not pass on the base every time: nothing holds it against a change"
            )
        near = get_close_matches(one, self.passed, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ReleaseImpossible(f"no test to release is called {one!r}{hint}")

    def expectation(
        self,
        gate: str,
        *,
        select: tuple[str, ...] | None = None,
        watched: frozenset[str] = frozenset(),
    ) -> Expectation:
        """What ``gate`` must show; where only some ids are run, only of these."""
        here = self.gates[gate]
        wanted = frozenset(select) if select is not None else None
        passed, targets = frozenset(here.passed), frozenset(here.targets)
        return Expectation(
            passed=passed if wanted is None else passed & wanted,
            targets=targets if wanted is None else targets & wanted,
            known=frozenset(here.known) | frozenset(here.wavering),
            watched=watched,
            patched=frozenset(here.patched),
            whole=wanted is None,
        )


def settle(runs: Sequence[Mapping[str, Standing]], *, named: tuple[str, ...] = ()) -> Baseline:
    """``named``: the targets that a person chose; none: whatever fails in every run."""
    gates = {name: _gate([run[name] for run in runs]) for name in runs[0]}
    if named:
        _refuse_unknown(gates, named)
        gates = {
            name: gate.model_copy(update={"targets": _sorted(set(named) & set(gate.failing))})
            for name, gate in gates.items()
        }
    return Baseline(gates=gates)


def _gate(runs: Sequence[Standing]) -> GateBaseline:
    passed = frozenset.intersection(*(run.passed for run in runs))
    failing = frozenset.intersection(*(run.failing for run in runs))
    ever_passed = frozenset.union(*(run.passed for run in runs))
    ever_failed = frozenset.union(*(run.failing for run in runs))
    return GateBaseline(
        passed=_sorted(passed),
        targets=_sorted(failing),
        failing=_sorted(failing),
        known=_sorted(frozenset.union(*(run.known for run in runs))),
        patched=_sorted(frozenset.union(*(run.patched for run in runs))),
        wavering=_sorted((ever_passed - passed) | (ever_failed - failing)),
    )


def _refuse_unknown(gates: Mapping[str, GateBaseline], named: tuple[str, ...]) -> None:
    failing = {i for gate in gates.values() for i in gate.failing}
    known = {i for gate in gates.values() for i in gate.known}
    wavering = {i for gate in gates.values() for i in gate.wavering}
    for target in named:
        if target in failing:
            continue
        if target in wavering:
            raise SpecError("spec.not_red", f"target {target!r} does not fail every time")
        if target in known:
            raise SpecError("spec.not_red", f"target {target!r} is not red on the base")
        near = get_close_matches(target, known | failing, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecError("spec.not_red", f"no test is called {target!r}{hint}")


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
