"""
Quarantine on this machine: the change that is due, on a branch of its own.
"""

from __future__ import annotations

from bot.adapters.local_publisher import LocalPublisher
from bot.adapters.workcopy import GitWorkcopy
from bot.app.case import Case
from bot.app.flaky.setting_aside import Change, SettingAside
from bot.app.opening import slug_of
from bot.app.requests import Answer
from bot.core.flaky.search_report import SearchReport
from bot.wiring import local


def look(
    case: Case,
    site: local.Site,
    workcopy: GitWorkcopy,
    report: SearchReport,
    answer: Answer,
    *,
    dry_run: bool,
) -> Answer:
    """
    ``answer`` with what is due besides: a branch that sets aside the first test that was not mended
    (where mends were asked for and the contract wants it) or frees one, and every end that passed.
    """
    aside = SettingAside(workcopy=workcopy, tree=case.opened.base_tree, today=local.now().date())
    over = tuple(m.test for m in aside.markers() if m.is_over(aside.today))
    told = [f"The quarantine of {test} is over: mend it, or set another end." for test in over]
    mends = answer.document.get("mends")
    branch = ""
    if isinstance(mends, list) and not dry_run:
        mended = {
            test
            for one in mends
            if one["outcome"] == "verified"
            for test in one["finding"]["tests"]
        }
        left = [finding for finding in report.flaky if finding.test not in mended]
        change = aside.change(left, wanted=case.contract.flaky.quarantine == "on")
        if change is not None:
            branch = _published(change, case, site, workcopy)
            told.append(f"{change.title}: branch {branch} ({change.marker.words}).")
    if not told:
        return answer
    code = answer.exit_code or (1 if over else 0)
    return Answer(
        text="\n\n".join([answer.text, *told]),
        document={
            **answer.document,
            "quarantine": {"over": list(over), "branch": branch or None},
            "exit_code": code,
        },
        exit_code=code,
    )


def _published(change: Change, case: Case, site: local.Site, workcopy: GitWorkcopy) -> str:
    commit = workcopy.commit(
        change.tree,
        parent=case.opened.base,
        message=f"test: {change.title}\n\n{change.marker.words}\n",
        at=int(case.opened.at.timestamp()),
    )
    publisher = LocalPublisher(repository=site.repository, workcopy=workcopy, base=case.opened.base)
    prefix = case.contract.publish.branch_prefix
    return publisher.publish(f"{prefix}{slug_of(change.title)}", commit)
