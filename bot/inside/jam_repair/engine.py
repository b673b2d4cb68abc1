"""
One search, from the collected tests to the list of plausible changes.

Knows the order of things and the time; how a test is run, a function swapped or a change ranked is
the affair of the modules beside it. Everything that may be told is told as it is found, so that a
search that is ended from outside has still said what it knew.
"""

from __future__ import annotations

import gc
import hashlib
import os
import time
from typing import Any, Sequence

from . import choose, ids
from .afresh import Afresh
from .blame import Watch, blame, suspects
from .cold import Other
from .evaluate import UNSWAPPABLE, Hot
from .rank import Candidate, candidates
from .settings import Settings
from .shape import edited, is_parsed, looks
from .source import FUNCTIONS, Source, Unreadable
from .swap import Live
from .trace import Files, Place
from .trial import OVERDUE, PASSED, Trials
from .turns import Queue
from .wire import Wire

PLAUSIBLE = 40
TELL_EVERY = 0.4
#: Seconds to go on after the first plausible change, and when none of them looks right.
LEAST_MORE, MOST_MORE, LEAST_ELSE = 2.0, 10.0, 60.0
LOOKS_WELL, LOOKS_ODD = 24.0, 24.0


class Search:
    def __init__(self, settings: Settings, wire: Wire, other: Other) -> None:
        self._settings, self._wire, self._other = settings, wire, other
        self._began = time.monotonic()
        self._until = self._began + max(settings.until - time.time(), 0.0)
        self._files = Files(settings.root, settings.editable)
        self._plausible: list[Candidate] = []
        self._best, self._found_at = 1e9, 0.0
        self._is_second = False  # on the look-out for a better one
        self._tried = 0
        self._told_at = 0.0

    def run(self, session: Any, broken: dict[str, Any]) -> None:
        """``broken``: files that could not be collected, with the exception."""
        targets = self._targets(session, broken)
        if not targets:
            self._wire.say("absent", collected=len(session.items))
            return
        self._prepare(session)
        watch = Watch(self._trials, self._files, self._left)
        known = ids.find(self._settings.passing, self._trials.by_id)
        self._wire.say("observing", **watch.choose(targets, frozenset(known.values())))
        case = watch.observe(broken)
        self._suite, self._collectable = case.suite, case.collectable
        self._scores = blame(self._sources, case.seen)
        self._wire.say("suspects", lines=suspects(self._scores))
        if not case.is_red or not self._scores:
            why = "no failing test runs a line that may be changed"
            why = why if case.is_red else "the failing tests pass here"
            self._wire.say("done", why=why, tried=0, order=[])
            return
        self._seen, self._types = case.seen, case.types
        if self._settings.locate_only:
            self._wire.say("done", why="located", tried=0, order=[])
            return
        self._search()
        self._finish()

    def _left(self, share: float = 1.0) -> float:
        return self._began + (self._until - self._began) * share

    def _targets(self, session: Any, broken: dict[str, Any]) -> list[str]:
        have = [*(item.nodeid for item in session.items), *broken]
        wanted = list(ids.find(self._settings.targets, have).values())
        return wanted or sorted(broken.keys() & {t.split("::")[0] for t in self._settings.targets})

    def _prepare(self, session: Any) -> None:
        capture = session.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.stop_global_capturing()
            capture._method = "no"
            capture.start_global_capturing()
        session.config.option.tbstyle = "line"  # nobody reads what a failure looks like
        self._trials = Trials(session)
        self._trials.remember_params()
        self._sources = list(self._read())
        self._live = Live(source.file for source in self._sources)
        gc.collect()
        gc.freeze()

    def _read(self) -> Any:
        for path in sorted(self._settings.editable):
            file = os.path.join(self._settings.root, path)
            try:
                with open(file, "rb") as opened:
                    raw = opened.read(2 << 20)
                yield Source(path, file, raw)
            except (OSError, Unreadable):
                continue

    # Trying

    def _search(self) -> None:
        ordered = [c for c in candidates(self._scores, self._types) if not self._is_skipped(c)]
        self._queue = Queue(ordered)
        self._wire.say("candidates", count=len(ordered))
        root = str(self._trials.session.config.rootpath)
        self._afresh = Afresh(self._other, self._suite, root)
        self._hot = Hot(self._trials, self._live, self._suite)
        self._enough_at = self._until
        self._covering = self._coverage()
        self._go_on()

    def _go_on(self) -> None:
        while self._queue and time.monotonic() < min(self._until, self._enough_at):
            turn, began = self._queue.next(), time.monotonic()
            if turn.cold or self._collectable or not self._suite.targets:
                for candidate in turn.candidates:
                    self._try_cold(candidate)
            else:
                self._try_hot(turn.candidates, turn.level)
            self._queue.spent[turn.cold] += time.monotonic() - began
            self._progress()

    def _is_skipped(self, candidate: Candidate) -> bool:
        return bool(self._settings.skip) and candidate.digest in self._settings.skip

    def _coverage(self) -> dict[str, set[Place]]:
        return {test.id: set(test.lines) for test in self._seen}

    def _covers(self, id_: str, candidate: Candidate) -> bool:
        unit = candidate.unit
        lines = self._covering.get(id_, set())
        if not isinstance(unit, FUNCTIONS):
            return any(path == candidate.source.path for path, _ in lines)
        last = unit.end_lineno or unit.lineno
        return any(p == candidate.source.path and unit.lineno <= at <= last for p, at in lines)

    def _try_hot(self, batch: Sequence[Candidate], level: int) -> None:
        ready = [candidate for candidate in batch if self._is_swappable(candidate)]
        for candidate, answer in zip(ready, self._hot.screen(ready, level, self._until)):
            self._tried += 1
            if answer.mark == PASSED:
                self._confirm(candidate)
            elif answer.mark == OVERDUE:
                hope = answer.passed / len(self._suite.targets)
                self._queue.later(candidate, level, hope=hope)
            elif answer.mark == UNSWAPPABLE and is_parsed(candidate):
                self._queue.cold(candidate)

    def _is_swappable(self, candidate: Candidate) -> bool:
        if candidate.unit is None:
            return False
        covering = [i for i in self._suite.targets if self._covers(i.nodeid, candidate)]
        covering = covering or list(self._suite.targets)
        if self._hot.is_noticed(candidate.source, candidate.unit, covering[:5]):
            return True
        self._queue.cold(candidate)
        return False

    def _confirm(self, candidate: Candidate) -> None:
        near = {item.nodeid for item in self._suite.passing if self._covers(item.nodeid, candidate)}
        seconds = max((self._until - time.monotonic()) * 0.6, 1.0)
        if self._hot.confirm(candidate, near, seconds=seconds):
            self._found(candidate)

    def _try_cold(self, candidate: Candidate) -> None:
        self._tried += 1
        if not self._afresh.may_be_heard(candidate.source.path) or not is_parsed(candidate):
            return
        targets = [item.nodeid for item in self._suite.targets] + sorted(self._collectable)
        if not self._afresh.passes(candidate, targets, narrow=True, until=self._until):
            return
        near = [i.nodeid for i in self._suite.passing if self._covers(i.nodeid, candidate)]
        rest = [i.nodeid for i in self._suite.passing if i.nodeid not in set(near)]
        everything = [*targets, *near, *rest]
        if self._afresh.passes(candidate, everything, narrow=False, until=self._until):
            self._found(candidate)

    def _found(self, candidate: Candidate) -> None:
        now = time.monotonic()
        self._plausible.append(candidate)
        seen = looks(candidate)
        self._best = min(self._best, seen.cost + (LOOKS_ODD if seen.why else 0.0))
        self._found_at = self._found_at or now
        more = min(max(0.5 * (self._found_at - self._began), LEAST_MORE), MOST_MORE)
        # One that looks like nothing a person would write is no reason to stop soon.
        if self._best > LOOKS_WELL:
            more = max(3 * more, min(LEAST_ELSE, (self._until - self._found_at) / 3))
        self._enough_at = self._found_at + more
        if self._is_second:
            self._enough_at = now + (LEAST_MORE if seen.cost <= LOOKS_WELL else LEAST_ELSE / 3)
        if len(self._plausible) >= PLAUSIBLE:
            self._enough_at = now
        before, after = edited(candidate)
        self._wire.say(
            "plausible",
            path=candidate.source.path,
            base=hashlib.sha256(candidate.source.text.encode()).hexdigest(),
            splices=[list(one) for one in candidate.splices],
            digest=candidate.digest,
            op=candidate.op,
            line=candidate.line,
            before=before[:2000],
            after=after[:2000],
            tried=self._tried,
        )

    def _progress(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= TELL_EVERY:
            self._told_at = now
            self._wire.say(
                "progress",
                tried=self._tried,
                plausible=len(self._plausible),
                seconds=round(now - self._began, 1),
            )

    # Choosing

    def _finish(self) -> None:
        ranked = self._ranked()
        left = self._until - time.monotonic()
        if ranked and ranked[0].why and self._best <= LOOKS_WELL and self._queue:
            # It looked well, but what it does speaks against it: there may be a better one.
            self._enough_at = time.monotonic() + min(LEAST_ELSE, left / 3)
            self._is_second = True
            self._go_on()
            ranked = self._ranked()
        self._wire.say(
            "done",
            why="found" if ranked else "out of time" if self._queue else "out of candidates",
            tried=self._tried,
            order=[[r.candidate.digest, r.cluster, r.alike, r.why] for r in ranked],
        )

    def _ranked(self) -> list[choose.Ranked]:
        behaviours: dict[str, tuple[str, ...]] = {}
        if self._plausible:
            among = choose.Behaviours(self._trials, self._live, self._suite, self._files)
            for unit, found in choose.functions_of(self._plausible).items():
                behaviours.update(among.of(unit, found, 15.0))
        return choose.choose(self._plausible, behaviours)
