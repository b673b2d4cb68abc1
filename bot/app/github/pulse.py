"""
That a run is alive, said again and again from its beginning to its end, whatever else takes long;
and what is heard in answer: that somebody wants it to stop, or that it is another run's by now.
"""

from __future__ import annotations

import contextvars
import threading
from dataclasses import dataclass, field
from threading import Event

from bot.app.github.needs import Docket
from bot.core.docket import Listed
from bot.errors import RequestError, TransientError
from bot.ports import Say

BEAT_EVERY_S = 1.0


@dataclass(slots=True, kw_only=True, eq=False)
class Pulse:
    """``stop`` is set when the session is to end: somebody wants it, or it was taken over."""

    docket: Docket
    listed: Listed
    say: Say
    stop: Event = field(default_factory=Event)
    is_lost: bool = False  # another run has it
    _over: Event = field(default_factory=Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Pulse:
        context = contextvars.copy_context()  # what it says is of this session, too
        self._thread = threading.Thread(
            target=context.run, args=(self._run,), name=f"pulse-{self.listed.session}", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(BEAT_EVERY_S):
            try:
                wants = self.docket.beat(self.listed.session, run=self.listed.run)
            except (TransientError, RequestError) as busy:
                self.say(f"the docket did not answer: {busy}")
                continue
            if wants is None:
                # Ended or resting by its own hand, it is over soon; else it is somebody else's.
                self.is_lost = True
            if wants is None or wants:
                self.stop.set()
