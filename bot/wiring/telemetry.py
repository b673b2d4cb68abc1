"""
How the server is, for machines that ask: ``/healthz`` and ``/metrics``, from what is in the
database, which all processes share.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot import __version__
from bot.adapters import workers
from bot.adapters.docket import Docket
from bot.adapters.inbox import Inbox
from bot.core.delivery import Fault
from bot.errors import TransientError

STUCK_S = 300.0
"""A delivery that waits this long means that the inbox is not emptied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    docket: Docket
    inbox: Inbox
    now: Callable[[], datetime]
    _refused: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refused(self, fault: Fault) -> None:
        with self._lock:
            self._refused[fault.value] += 1

    def health(self) -> tuple[bool, dict[str, object]]:
        try:
            mail, docket = self.inbox.counts(), self.docket.counts()
        except TransientError as busy:
            return False, {"ok": False, "version": __version__, "why": str(busy)}
        waits = self._age(mail.oldest)
        is_well = waits < STUCK_S
        return is_well, {
            "ok": is_well,
            "version": __version__,
            "deliveries_waiting": mail.waiting,
            "oldest_delivery_s": round(waits, 1),
            "sessions": dict(docket.states),
            "oldest_queued_s": round(self._age(docket.oldest_queued), 1),
        }

    def metrics(self) -> str:
        mail, docket = self.inbox.counts(), self.docket.counts()
        with self._lock:
            refused = dict(self._refused)
        lines = [
            *_family(
                "jam_info", "gauge", "The version that runs.", {f'version="{__version__}"': 1}
            ),
            *_family("jam_deliveries_waiting", "gauge", "Not dealt with yet.", {"": mail.waiting}),
            *_family(
                "jam_oldest_delivery_seconds",
                "gauge",
                "How long the oldest of them waits.",
                {"": self._age(mail.oldest)},
            ),
            *_family(
                "jam_deliveries_total",
                "counter",
                "Settled, by what came of them.",
                _labelled("outcome", mail.settled),
            ),
            *_family(
                "jam_refused_requests_total",
                "counter",
                "Not GitHub's, or not readable; since the start.",
                _labelled("fault", refused),
            ),
            *_family("jam_sessions", "gauge", "By state.", _labelled("state", docket.states)),
            *_family(
                "jam_sessions_ended_total", "counter", "By end.", _labelled("end", docket.ends)
            ),
            *_family(
                "jam_oldest_queued_seconds",
                "gauge",
                "How long the oldest queued session waits.",
                {"": self._age(docket.oldest_queued)},
            ),
            *_family("jam_spent_usd_total", "counter", "By models.", {"": docket.cents / 100}),
            *_family("jam_turns_total", "counter", "Calls of agents.", {"": docket.turns}),
            *_family("jam_tokens_total", "counter", "Of models.", {"": docket.tokens}),
            *_family(
                "jam_oracle_seconds_total",
                "counter",
                "How long oracles ran.",
                {"": docket.judged_s},
            ),
            *self._workers(),
        ]
        return "\n".join(lines) + "\n"

    def _workers(self) -> Iterator[str]:
        """Of all processes on this database, by what each said last."""
        known = {
            f'worker="{one.name}",role="{one.role}"': one
            for one in sorted(workers.heard(self.docket.database), key=lambda w: -w.silent_s)
        }
        yield from _family(
            "jam_worker_silent_seconds",
            "gauge",
            "Since a process was last heard of.",
            {labels: one.silent_s for labels, one in known.items()},
        )
        yield from _family(
            "jam_github_calls_total",
            "counter",
            "Requests to GitHub since the process began.",
            {labels: one.calls for labels, one in known.items()},
        )
        yield from _family(
            "jam_github_calls_left",
            "gauge",
            "What GitHub said last that is left of the hour.",
            {k: one.calls_left for k, one in known.items() if one.calls_left is not None},
        )

    def _age(self, then: datetime | None) -> float:
        return max(0.0, (self.now() - then).total_seconds()) if then else 0.0


def _labelled(name: str, values: Mapping[str, int]) -> dict[str, float]:
    return {f'{name}="{value}"': count for value, count in sorted(values.items())}


def _family(name: str, kind: str, about: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values.items():
        yield f"{name}{{{labels}}} {_plain(value)}" if labels else f"{name} {_plain(value)}"


def _plain(value: float) -> str:
    """All digits of a count: what grows by one must be seen to grow."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"
