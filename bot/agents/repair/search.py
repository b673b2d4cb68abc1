"""
One search seen from outside: listens, shows progress, and says in words how it ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from bot.agents.lab import Lab
from bot.agents.repair import heard as heard_
from bot.agents.repair import words
from bot.agents.repair.heard import Heard
from bot.core.experiment import Experiment
from bot.ports import Bench, Ended, Ran, Say

EVERY_S = 1.0


@dataclass(slots=True)
class Listener:
    say: Say
    heard: Heard = field(default_factory=Heard)
    _said_at: float = -EVERY_S
    _lock: Lock = field(default_factory=Lock)

    def hear(self, line: bytes) -> None:
        known = heard_.read(line)
        if known is None:
            return
        with self._lock:
            self.heard = heard_.learn(self.heard, known)
            now = monotonic()
            is_first = isinstance(known, heard_.Observing | heard_.Suspects)
            if is_first or now - self._said_at >= EVERY_S:
                self._said_at = now
                self.say(words.progress(self.heard))


def search(lab: Lab, experiment: Experiment, bench: Bench) -> tuple[Heard, str]:
    """All that was said, and why there is no more of it."""
    listener = Listener(bench.say)
    ran = lab.run(experiment, bench, on_line=listener.hear)
    return listener.heard, why(listener.heard, ran, bench)


def why(heard: Heard, ran: Ran, bench: Bench) -> str:
    if bench.stop.is_set():
        return "The search was stopped."
    if heard.broken:
        return f"The search itself failed:\n{heard.broken[-1500:]}"
    if heard.done is not None:
        return _DONE.get(heard.done.why, f"The search ended: {heard.done.why}.")
    if heard.is_absent:
        return "The failing tests were not among those that pytest collected."
    if heard.observing is None:
        end = ran.output.strip()[-600:]
        return f"The gate's command did not lead to pytest (it ended: {_how(ran)}).\n{end}".strip()
    return "The search ran out of time."


def _how(ran: Ran) -> str:
    return f"exit {ran.exit_code}" if ran.ended is Ended.EXITED else ran.ended.value


_DONE = {
    "out of time": "The search ran out of time.",
    "out of candidates": "The search ran out of small changes to try.",
    "found": "The search found changes that pass all tests.",
    "located": "The most suspicious lines were found.",
}
