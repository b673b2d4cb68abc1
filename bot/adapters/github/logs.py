"""
Workflow runs, their jobs, and what the jobs wrote.

A log is fetched from an address that GitHub names for a minute. That address is its own permission,
so no token goes there, and it is never repeated in an error.
"""

from __future__ import annotations

from itertools import islice

from bot.adapters.github.line import LineBroken, is_safe
from bot.adapters.github.part import Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import JobAnswer, RunAnswer
from bot.core.forge_values import JobFacts, Log, RunFacts
from bot.errors import ForgeMissing, ForgeUnavailable

KEPT = 8 << 20
LONGEST = 1 << 30


class Logs(Part):
    def run(self, run: int) -> RunFacts | None:
        path = self._at(f"/actions/runs/{run}")
        found = self._talk.find(path, RunAnswer, purpose=Purpose.INSPECT)
        return found.say() if found else None

    def recent_runs(self, *, most: int) -> tuple[RunFacts, ...]:
        path, params = self._at("/actions/runs"), {"status": "completed"}
        pages = self._talk.pages(
            path, RunAnswer, purpose=Purpose.INSPECT, params=params, under="workflow_runs"
        )
        return tuple(one.say() for one in islice(pages, most))

    def jobs(self, run: int) -> tuple[JobFacts, ...]:
        """Of the last attempt."""
        return self._jobs(run, which="latest")

    def attempts(self, run: int) -> tuple[JobFacts, ...]:
        return self._jobs(run, which="all")

    def _jobs(self, run: int, *, which: str) -> tuple[JobFacts, ...]:
        path = self._at(f"/actions/runs/{run}/jobs")
        try:
            pages = self._talk.pages(
                path, JobAnswer, purpose=Purpose.INSPECT, params={"filter": which}, under="jobs"
            )
            return tuple(one.say() for one in pages)
        except ForgeMissing:
            return ()

    def log(self, job: int) -> Log | None:
        path = self._at(f"/actions/jobs/{job}/logs")
        with self._talk.within() as until:
            where = self._talk.location(path, purpose=Purpose.INSPECT)
            if where is None:
                return None
            if not is_safe(where):
                raise ForgeUnavailable("GitHub names a log's address that is not safe")
            try:
                found = self._talk.tail(where, keep=KEPT, most=LONGEST, until=until)
            except LineBroken as broken:
                raise ForgeUnavailable(f"the log did not come: {broken}") from None
            return Log(content=found[0], cut=found[1]) if found else None
