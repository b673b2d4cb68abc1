"""
``repair``: finds small bugs in Python code by search, with no model and no network.

It decides which files may be changed, how long to search, and which of the plausible changes to
put forward first. It never judges: the stop gate and the clean room do, and a refusal means the
next plausible change, not another search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from bot.agents.lab import Lab
from bot.agents.repair import memory, patch, words
from bot.agents.repair.editable import editable_files
from bot.agents.repair.heard import Heard, Plausible
from bot.agents.repair.memory import Memory
from bot.agents.repair.search import search
from bot.agents.tools.files import Files, Refused
from bot.core.contract import Dialect, Gate
from bot.core.experiment import Experiment
from bot.ports import Bench, Brief, Remaining, Suspect, TurnDone, Wish

LONGEST_S = 600.0
LOCATE_S = 120.0
SHARE = 0.6  # of the seconds left: the gate and the clean rooms need theirs


@dataclass(frozen=True, slots=True)
class Repair:
    lab: Lab
    longest_s: float = LONGEST_S
    clock: Callable[[], float] = monotonic

    @property
    def name(self) -> str:
        return "repair"

    def turn(
        self,
        brief: Brief,
        bench: Bench,
        *,
        history: Sequence[bytes],
        feedback: str,  # noqa: ARG002  # a refusal is all it can say to a search
        remaining: Remaining,
    ) -> TurnDone:
        before = memory.last(history)
        if before is None:
            return self._first(brief, bench, seconds=remaining.seconds)
        return self._again(before, self._files(bench, remaining.seconds))

    def _first(self, brief: Brief, bench: Bench, *, seconds: float) -> TurnDone:
        heard, why = look(
            self.lab, brief.targets, bench, seconds=min(seconds * SHARE, self.longest_s)
        )
        files = self._files(bench, seconds)
        allowed = [one for one in heard.ranked if is_writable(bench, one.path)]
        for place, change in enumerate(allowed):
            done = _put(files, change)
            if done is None:
                continue
            others = _unlike_first(change, allowed[place + 1 :], heard)
            kept = Memory(put=change, base=done, left=others, tried=place + 1)
            return TurnDone(
                wish=Wish.FINISH,
                said=words.found(change, others, heard),
                memory=kept.to_bytes(),
                suspects=heard.suspects,
            )
        return TurnDone(
            wish=Wish.GIVE_UP,
            said=words.nothing(heard, why=why),
            memory=Memory(over=True).to_bytes(),
            suspects=heard.suspects,
        )

    def _again(self, before: Memory, files: Files) -> TurnDone:
        restored = _restore(files, before)
        if restored:
            for place, change in enumerate(before.left):
                done = _put(files, change)
                if done is not None:
                    left = before.left[place + 1 :]
                    kept = Memory(put=change, base=done, left=left, tried=before.tried + place + 1)
                    said = words.next_one(change, left=len(left))
                    return TurnDone(wish=Wish.FINISH, said=said, memory=kept.to_bytes())
        kept = Memory(over=True, tried=before.tried)
        return TurnDone(
            wish=Wish.GIVE_UP, said=words.refused(tried=before.tried), memory=kept.to_bytes()
        )

    def _files(self, bench: Bench, seconds: float) -> Files:
        until = self.clock() + max(seconds, 30.0)
        return Files(bench, lambda: until - self.clock())


def locate(
    lab: Lab,
    bench: Bench,
    *,
    targets: tuple[str, ...],
    seconds: float = LOCATE_S,
) -> tuple[Suspect, ...]:
    """The lines to blame for the targets, worst first. Empty where nothing could be watched."""
    heard, _ = look(lab, targets, bench, seconds=seconds, locate_only=True)
    return heard.suspects


def look(
    lab: Lab, targets: tuple[str, ...], bench: Bench, *, seconds: float, locate_only: bool = False
) -> tuple[Heard, str]:
    """What the first gate that leads to pytest and holds a target brings, or why there is none."""
    editable = editable_files(bench)
    if not editable:
        return Heard(), "There is no Python file here that may be changed."
    why = "No gate of the oracle leads to pytest, which the search needs."
    until = monotonic() + seconds
    for gate in _gates(bench.oracle.gates):
        experiment = Experiment(
            gate=gate,
            editable=editable,
            targets=targets,
            passing=bench.passing,
            seconds=max(until - monotonic(), 1.0),
            locate_only=locate_only,
        )
        heard, why = search(lab, experiment, bench)
        if heard.suspects or heard.plausible or bench.stop.is_set():
            return heard, why
    return Heard(), why


def is_writable(bench: Bench, path: str) -> bool:
    return not bench.is_read_only(path) and bench.may_write(path)[0] == "allow"


def _gates(gates: Iterable[Gate]) -> list[Gate]:
    """Those whose report says pytest first, then those that may lead to it all the same."""
    first = (Dialect.PYTEST, Dialect.UNITTEST, Dialect.JUNIT, Dialect.TAP, Dialect.EXIT)
    return sorted(
        (gate for gate in gates if gate.report in first), key=lambda gate: first.index(gate.report)
    )


def _unlike_first(
    put: Plausible, others: Sequence[Plausible], heard: Heard
) -> tuple[Plausible, ...]:
    """Should ``put`` be refused, what behaves as it does would be refused as well."""
    same = heard.behaviour.get(put.digest)
    return tuple(sorted(others, key=lambda one: heard.behaviour.get(one.digest) == same))


def _put(files: Files, change: Plausible) -> str | None:
    """The file as it was, packed, once the change is in it; None where it does not fit."""
    try:
        base = files.read(change.path)
        files.write(change.path, patch.apply(base, change))
    except (patch.DoesNotFit, Refused):
        return None
    return memory.packed(base)


def _restore(files: Files, before: Memory) -> bool:
    if before.put is None:
        return not before.over
    try:
        now = files.read(before.put.path)
        files.write(before.put.path, patch.undo(now, before.put, base=before.base_content))
    except (patch.DoesNotFit, Refused):
        return False
    return True
