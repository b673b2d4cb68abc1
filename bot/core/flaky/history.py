"""
What CI's own runs say of tests: one that passed and failed on the same commit, in the same job, is
flaky by proof; one that only changed between commits is a suspect and no more.

A record is one attempt of one job on one commit, whoever told of it: a JUnit file, or check runs,
of which each is a test of one name. Jobs are never mixed: another Python may well differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.forge_values import JobFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """``again``: tests that the job itself ran anew after a failure."""

    commit: str
    job: str
    attempt: str
    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """A test that history points at. ``proven``: same commit, same job, different result."""

    test: str
    proven: bool
    why: str


def point(attempts: Sequence[Attempt]) -> tuple[Pointed, ...]:
    """Proof first, then those that failed on the most commits."""
    proven = {one.test: one for one in _proven(attempts)}
    suspects = [one for one in _suspects(attempts) if one.test not in proven]
    return (*proven.values(), *suspects)


def _proven(attempts: Iterable[Attempt]) -> Iterable[Pointed]:
    held: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for one in attempts:
        held[one.commit, one.job].append(one)
    for (commit, job), same in sorted(held.items()):
        passed = frozenset().union(*(one.passed for one in same))
        failed = frozenset().union(*(one.failed for one in same))
        again = frozenset().union(*(one.again for one in same))
        where = f"on {commit[:12]}" + (f" in {job}" if job else "")
        for test in sorted(passed & failed):
            count = sum(test in one.failed for one in same)
            why = f"{where} it failed in {count} of {len(same)} attempts and passed in others"
            yield Pointed(test=test, proven=True, why=why)
        for test in sorted(again - (passed & failed)):
            yield Pointed(test=test, proven=True, why=f"{where} it failed and was run again")


def _suspects(attempts: Sequence[Attempt]) -> list[Pointed]:
    failed: dict[str, set[str]] = defaultdict(set)
    passed: dict[str, set[str]] = defaultdict(set)
    for one in attempts:
        for test in one.failed:
            failed[test].add(one.commit)
        for test in one.passed:
            passed[test].add(one.commit)
    wavering = sorted((test for test in failed if passed[test]), key=lambda t: (-len(failed[t]), t))
    return [
        Pointed(
            test=test,
            proven=False,
            why=f"it failed on {len(failed[test])} of "
            f"{len(failed[test] | passed[test])} commits, which proves nothing",
        )
        for test in wavering
    ]


def wavered(jobs: Iterable[tuple[str, JobFacts]]) -> tuple[JobFacts, ...]:
    """Those that failed on a commit on which the same job passed. Each with its workflow: two may
    have a job of one name."""
    known = tuple(jobs)
    passed = {(where, job.sha, job.name) for where, job in known if job.conclusion == "success"}
    return tuple(
        job for where, job in known if job.has_failed and (where, job.sha, job.name) in passed
    )


def junit_name(test: str) -> str:
    """How pytest's JUnit file calls the test of this id; other ids are their own names."""
    bare, bracket, rest = test.partition("[")
    file, *inner = bare.split("::")
    if not inner or not file.endswith(".py"):
        return test
    owner = ".".join([file.removesuffix(".py").replace("/", "."), *inner[:-1]])
    return f"{owner}::{inner[-1]}{bracket}{rest}"
