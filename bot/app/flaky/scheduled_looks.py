"""
What a scheduled search finds already there: of each root cause its issue, its quarantine and its
pull requests, and what this search adds to its state. Nothing here reaches a forge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.core.facts import Own
from bot.core.flaky import issue
from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.issue import State
from bot.core.flaky.quarantine import Marker
from bot.core.flaky.quarantine_watch import Issue, Watched
from bot.core.flaky.search_report import SearchReport
from bot.core.forge_values import PullFacts, ThreadFacts

SHORT = 12
"""Of a key, in the name of a branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One root cause as the forge and this search have it."""

    key: str
    state: State
    facts: ThreadFacts | None = None
    finding: Finding | None = None
    marker: Marker | None = None
    pulls: tuple[PullFacts, ...] = ()

    @property
    def test(self) -> str:
        if self.finding:
            return self.finding.test
        return self.marker.test if self.marker else ""

    @property
    def refused_pull(self) -> bool:
        """A person closed one without merging."""
        return any(not one.pull.is_open and not one.pull.is_merged for one in self.pulls)

    def watched(self, own: Own) -> Watched:
        return Watched(
            fingerprint=self.key,
            test=self.test,
            issue=self._issue(own),
            number=self.facts.thread.number if self.facts else None,
            quiet=0 if self.finding else max(1, self.state.quiet),
            marker=self.marker,
            has_pull=any(one.pull.is_open for one in self.pulls),
            refused_pull=self.refused_pull,
        )

    def _issue(self, own: Own) -> Issue:
        """Where nobody says who closed it, a person did."""
        if self.facts is None:
            return Issue.NONE
        if self.facts.thread.is_open:
            return Issue.OPEN
        return Issue.CLOSED_BY_JAM if own.wrote(self.facts.closed_by) else Issue.CLOSED_BY_PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """jam's own issues and pull requests, and the quarantine of the commit that was searched."""

    issues: tuple[ThreadFacts, ...]
    pulls: tuple[PullFacts, ...]
    markers: tuple[Marker, ...]


def look(
    around: Around, found: Sequence[Finding], report: SearchReport, *, today: date
) -> Iterator[Known]:
    """Ends that have passed go before anything new, and what costs most before the rest."""
    there = {issue.key_in(one.thread.body): one for one in reversed(around.issues)}
    there.pop("", None)
    seen, aside = _keyed(found, there), {one.test: one for one in around.markers}
    markers = _markers(seen, there, aside)
    over = [key for key, marker in markers.items() if marker.is_over(today)]
    for key in dict.fromkeys([*over, *seen, *there, *markers]):
        facts = there.get(key)
        one = Known(
            key=key,
            state=issue.state_in(facts.thread.body) if facts else State(),
            facts=facts,
            finding=seen.get(key),
            marker=markers.get(key),
            pulls=tuple(one for one in around.pulls if key[:SHORT] in one.pull.head_branch),
        )
        yield replace(one, state=_after(one, report))


def _markers(
    seen: Mapping[str, Finding], there: Mapping[str, ThreadFacts], aside: Mapping[str, Marker]
) -> dict[str, Marker]:
    """Each under the cause that it is about; under its test's own key where there is none."""
    about = {issue.key_of(test): key for key, test in ((k, _bare(f.test)) for k, f in seen.items())}
    for key, facts in there.items():
        about.setdefault(issue.state_in(facts.thread.body).test, key)
    hashed = {issue.key_of(test): marker for test, marker in aside.items()}
    return {about.get(test, test): marker for test, marker in hashed.items()}


def _bare(test: str) -> str:
    return test.partition("[")[0]


def _keyed(found: Sequence[Finding], there: Mapping[str, ThreadFacts]) -> dict[str, Finding]:
    """By its own fingerprint; else by an issue about one of its tests: another of them may have
    been measured this time."""
    keyed = {issue.key_of(one.fingerprint): one for one in found}
    about = {issue.state_in(facts.thread.body).test: key for key, facts in there.items()}
    said: dict[str, Finding] = {}
    for key, one in keyed.items():
        tests = (issue.key_of(_bare(test)) for test in one.tests)
        others = (about[test] for test in tests if about.get(test, key) not in {*keyed, *said})
        said[key if key in there else next(others, key)] = one
    return said


def _after(one: Known, report: SearchReport) -> State:
    """What is set aside does not fail, whatever it does: only its end frees it."""
    finding, state = one.finding, one.state
    if finding is not None:
        test = issue.key_of(_bare(finding.test))
        return replace(state, test=test).after(issue.FAILED)
    unsure = {one.test for one in report.findings if one.standing is not Standing.FLAKY}
    # What somebody pointed at, and what was right in all runs that were made of it, is judged.
    unsure |= {one.test for one in report.unjudged if not one.clean}
    told = report.judged and report.finished and one.marker is None
    if not told or state.test in {issue.key_of(_bare(test)) for test in unsure}:
        return state.after(issue.UNKNOWN)
    return state.after(issue.CLEAN, runs=sum(arm.runs for arm in report.arms))
