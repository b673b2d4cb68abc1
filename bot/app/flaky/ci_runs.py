"""
What CI itself saw waver: jobs that failed and passed on one commit, and the tests that their logs
name. It only points: jam's own runs decide whether anything is flaky.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from bot.core import check_log
from bot.core.flaky.history import Attempt, wavered
from bot.core.forge_values import JobFacts, RunFacts
from bot.forge_port import Forge

RUNS, GROUPS, LOGS = 200, 20, 12
"""How far back is looked, on how many commits, and how many logs are read."""


def of(forge: Forge) -> tuple[Attempt, ...]:
    """The newest first. A log that is gone tells nothing."""
    held: defaultdict[tuple[str, str], list[RunFacts]] = defaultdict(list)
    for run in forge.recent_runs(most=RUNS):
        held[run.path or run.name, run.sha].append(run)
    again = [group for group in held.values() if len(group) > 1 or group[0].attempt > 1]
    jobs = [
        (run.path or run.name, job)
        for group in again[:GROUPS]
        for run in group
        for job in forge.attempts(run.id)
    ]
    return tuple(_told(wavered(jobs)[:LOGS], forge))


def _told(jobs: tuple[JobFacts, ...], forge: Forge) -> Iterator[Attempt]:
    for job in jobs:
        log = forge.log(job.id)
        tests = check_log.failing(check_log.read(log.content)) if log else ()
        if tests:
            yield Attempt(commit=job.sha, job=job.name, attempt=str(job.id), again=frozenset(tests))
