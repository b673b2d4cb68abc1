"""
What one scheduled search does at the forge: an issue for each root cause, and one change at a time.

What is due is decided in ``bot.core.flaky.quarantine_watch``. All that is remembered between two
searches stands in the issues themselves, and in jam's pull requests. An issue is there before its
pull request, and an attempt is counted before it is made, so that a job that is cut off is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date

from bot.app.flaky.scheduled_looks import SHORT, Around, Known, look
from bot.app.flaky.setting_aside import Change, SettingAside
from bot.core.contract import Flaky
from bot.core.flaky import issue
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_causes import causes, ranked
from bot.core.flaky.quarantine_watch import Act, Due, due
from bot.core.flaky.search_report import SearchReport
from bot.core.forge_values import NewIssue, NewPull
from bot.errors import RequestError, TransientError
from bot.forge_port import Forge
from bot.ports import Say

LABEL, COLOR = "flaky", "d4a72c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A mend that ended. ``commit`` is '' where there is nothing to hand over."""

    outcome: str
    why: str
    commit: str = ""
    is_draft: bool = True
    render: Callable[[int], str]  # the body, for the issue of this number


@dataclass(slots=True, kw_only=True)
class Scheduled:
    """``push``: a commit to a branch of about this name; its name. ``mend``: one cause, whole."""

    forge: Forge
    policy: Flaky
    prefix: str
    base: str  # the branch that pull requests are for
    aside: SettingAside
    commit: Callable[[Change], str]
    push: Callable[[str, str], str]
    mend: Callable[[Finding], Mended]
    today: date
    say: Say
    told: list[str] = field(default_factory=list)
    pull_url: str = ""
    _known: dict[str, Known] = field(default_factory=dict)
    _open: int = 0

    def run(self, report: SearchReport) -> None:
        pulls = self.forge.own_pulls(f"{self.prefix}flaky-")
        self._open = sum(one.pull.is_open for one in pulls)
        around = Around(
            issues=self.forge.issues(issue.KIND), pulls=pulls, markers=self.aside.markers()
        )
        found = ranked(causes(report.flaky))
        self._known = {one.key: one for one in look(around, found, report, today=self.today)}
        if self.policy.issues == "on":
            for one in self._due(most=0):
                self._do_issue(one)
            self._keep_states()
        for one in self._due(most=self.policy.pulls):
            self._do_change(one)

    def _due(self, *, most: int) -> tuple[Due, ...]:
        known = self._known.values()
        return due(
            [one.watched(self.forge.own) for one in known],
            today=self.today,
            quarantine=self.policy.quarantine == "on",
            mended=[one.key for one in known if self._may_mend(one)],
            open_pulls=self._open,
            most=most,
        )

    def _may_mend(self, one: Known) -> bool:
        return one.finding is not None and one.state.tries < self.policy.attempts

    # issues

    def _do_issue(self, one: Due) -> None:
        known = self._known[one.fingerprint]
        match one.act:
            case Act.OPEN_ISSUE:
                self._begin(known)
            case Act.UPDATE_ISSUE | Act.REOPEN_ISSUE:
                self._update(known, reopen=one.act is Act.REOPEN_ISSUE)
            case Act.CLOSE_ISSUE:
                self._close(known)
            case _:
                pass

    def _begin(self, known: Known) -> None:
        finding = known.finding
        assert finding is not None, "only what was seen is new"  # noqa: S101
        text = issue.body(finding, known.key, known.state)
        facts = self.forge.open_issue(NewIssue(title=issue.title(finding), body=text))
        number = facts.thread.number
        self._known[known.key] = replace(known, facts=facts)
        self.told.append(f"issue #{number} opened: {finding.test}")
        self.forge.make_label(LABEL, color=COLOR, description="Passes and fails at one commit")
        self.forge.label(number, LABEL)

    def _update(self, known: Known, *, reopen: bool) -> None:
        finding, facts = known.finding, known.facts
        assert finding is not None, "only what was seen is told anew"  # noqa: S101
        assert facts is not None, "and stands in an issue"  # noqa: S101
        number = facts.thread.number
        self._write(known, issue.body(finding, known.key, known.state))
        if reopen:
            self.forge.reopen_issue(number)
        self.told.append(f"issue #{number} {'opened again' if reopen else 'kept'}: {finding.test}")

    def _close(self, known: Known) -> None:
        assert known.facts is not None, "it is open"  # noqa: S101
        number = known.facts.thread.number
        self._write(known, issue.restated(known.facts.thread.body, known.state))
        mark = f"<!-- jam:flaky-closed v1 at={self.aside.tree[:SHORT]} -->"
        self.forge.say(number, f"{mark}\n{issue.farewell(known.state)}")
        self.forge.close_issue(number)
        self.told.append(f"issue #{number} closed: {issue.farewell(known.state)}")

    def _keep_states(self) -> None:
        """Of open ones that this search did not see: how often that is so by now."""
        for known in tuple(self._known.values()):
            if known.facts and known.facts.thread.is_open and known.finding is None:
                self._write(known, issue.restated(known.facts.thread.body, known.state))

    def _write(self, known: Known, text: str) -> None:
        assert known.facts is not None, "there is an issue"  # noqa: S101
        self.forge.edit_issue(known.facts.thread.number, body=text)
        thread = replace(known.facts.thread, body=text)
        self._known[known.key] = replace(known, facts=replace(known.facts, thread=thread))

    # changes

    def _do_change(self, one: Due) -> None:
        known = self._known[one.fingerprint]
        match one.act:
            case Act.MEND:
                self._mend(known)
            case Act.QUARANTINE | Act.RELEASE:
                self._set_aside(known, one.act)
            case _:
                pass

    def _mend(self, known: Known) -> None:
        finding = known.finding
        assert finding is not None, "only what was seen is mended"  # noqa: S101
        self._count_try(known)
        try:
            mended = self.mend(finding)
        except (RequestError, TransientError) as error:
            self.told.append(f"the mend of {finding.test} did not end: {error}")
            return
        if not mended.commit:
            self.told.append(f"{finding.test} was not mended: {mended.why}")
            if self.policy.quarantine == "on" and known.marker is None:
                self._set_aside(known, Act.QUARANTINE)
            return
        number = self._number(known)
        self._publish(
            NewPull(
                branch=self._branch(known),
                base=self.base,
                title=f"fix: Mend the flaky test {finding.test}"[: issue.TITLE],
                body=mended.render(number),
                is_draft=mended.is_draft,
            ),
            mended.commit,
        )

    def _count_try(self, known: Known) -> None:
        state = replace(known.state, tries=known.state.tries + 1)
        self._known[known.key] = replace(known, state=state)
        if known.facts is not None:
            self._write(self._known[known.key], issue.restated(known.facts.thread.body, state))

    def _set_aside(self, known: Known, act: Act) -> None:
        if act is Act.RELEASE and known.refused_pull:
            self.told.append(
                f"the quarantine of {known.test} is over; a person closed jam's change"
            )
            return
        change = self.aside.exchange(act, known.finding, known.marker, self._number(known))
        if change is None:
            self.told.append(f"{known.test} is not to be found in its file: nothing was changed")
            return
        number = self._number(known)
        about = f"Refs #{number}.\n\n" if number else ""
        self._publish(
            NewPull(
                branch=self._branch(known),
                base=self.base,
                title=f"test: {change.title}"[: issue.TITLE],
                body=f"{about}{change.told}",
                is_draft=True,
            ),
            self.commit(change),
        )

    def _publish(self, new: NewPull, commit: str) -> None:
        branch = self.push(new.branch, commit)
        facts = self.forge.open_pull(replace(new, branch=branch))
        self.pull_url = facts.url
        self.told.append(f"pull request #{facts.number} opened: {new.title}")

    def _branch(self, known: Known) -> str:
        return f"{self.prefix}flaky-{known.key[:SHORT]}"

    def _number(self, known: Known) -> int:
        facts = self._known[known.key].facts
        return facts.thread.number if facts else 0
