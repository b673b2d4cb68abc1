"""The world moves while a session runs: tokens end, people leave, branches and pull requests go."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.stories.faults.ground import ONCE, ask, end_of, ground, held, made, tidy
from tests.stories.github.world import REPO, World
from tests.stories.project import FIXED, PRODUCT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 1
- finish: true
"""


def at_work(one: World) -> int:
    began = one.log.count("turn 2")
    number = ask(one)
    one.until(lambda: one.log.count("turn 2") > began)
    return number


def test_tokens_that_end_are_made_again_also_by_a_clock_that_is_a_little_wrong(
    tmp_path: Path,
) -> None:
    with ground(tmp_path, script=SLOW) as one:
        for seconds in (20, -20):
            number = at_work(one)
            one.hub.skew(timedelta(seconds=seconds))
            one.hub.expire_tokens()
            end_of(one, number)
            assert held(one, number) == ONCE


def test_with_a_clock_that_is_wrong_a_session_rests_until_it_is_right(tmp_path: Path) -> None:
    with ground(tmp_path, script=SLOW) as one:
        number = at_work(one)
        one.hub.skew(timedelta(minutes=10))
        one.hub.expire_tokens()
        one.until(lambda: "resting" in one.page("/"))
        shown = one.page("/")
        one.hub.skew(timedelta())
        one.ben.comment(REPO, number, "/jam resume")
        end_of(one, number)
        assert held(one, number) == ONCE

    assert "the clock of this machine is" in shown


def test_a_repository_that_gets_another_name_is_the_same(tmp_path: Path) -> None:
    with ground(tmp_path, script=SLOW) as one:
        number = at_work(one)
        one.ada.rename(REPO, "library")
        one.hub.wait()
        one.until(lambda: ("rocket", "jam[bot]") in one.hub.thread("ada/library", number).reactions)
        pulls = one.hub.pulls("ada/library")
        one.ada.rename("ada/library", "lib")
        end_of(one, number)
        assert held(one, number) == ONCE

    assert len(pulls) == 1


def _suspend(one: World) -> None:
    one.ada.suspend(one.installation)


def _remove_from_chosen(one: World) -> None:
    one.hub.repository("ada/other", {"a": "b"})
    one.ada.choose(one.installation, ["ada/other"])


def _archive(one: World) -> None:
    one.ada.archive(REPO)


@pytest.mark.parametrize("leave", [_suspend, _remove_from_chosen, _archive])
def test_where_jam_may_no_longer_write_it_stops_and_its_page_says_why(
    tmp_path: Path, leave: Callable[[World], None]
) -> None:
    with ground(tmp_path, script=SLOW, rests=True) as one:
        number = at_work(one)
        leave(one)
        one.hub.wait()
        one.until(lambda: not _under_way(one))
        shown = one.page("/")
        there = made(one, number)
        if leave is not _archive:  # what rests keeps its work; what was ended keeps no workcopy
            tidy(one)

    assert there.pulls == 0
    assert any(word in shown for word in ("cancelled", "refused", "resting", "rests"))


def _under_way(one: World) -> bool:
    return 'class="state going"' in one.page("/") or "running" in one.page("/")


def test_who_may_no_longer_write_is_not_worked_for_again(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = ask(one)
        end_of(one, number)
        one.ada.invite(REPO, "ben", "read")
        one.ben.comment(REPO, number, "/jam retry")
        one.until(lambda: "permission" in one.said(number))
        assert held(one, number) == ONCE


def test_a_base_that_moves_is_told_and_the_change_is_for_the_one_it_was_judged_on(
    tmp_path: Path,
) -> None:
    with ground(tmp_path, script=SLOW) as one:
        number = at_work(one)
        one.ben.push(REPO, "main", {"README.md": "# moved\n"})
        end_of(one, number)
        pull = one.pull(one.pulls()[0])
        there = made(one, number)

    assert there.pulls == 1
    assert one.hub.file(REPO, pull.head_sha, "ledgerlib.py") == FIXED.encode()


def test_a_branch_of_jams_that_somebody_changed_is_not_overwritten(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = ask(one)
        end_of(one, number)
        branch = one.pull(one.pulls()[0]).head.partition(":")[2]
        theirs = one.ben.push(REPO, branch, {"ledgerlib.py": PRODUCT + "# ben was here\n"})
        one.ben.comment(REPO, number, "/jam retry")
        one.until(lambda: one.log.count("judging the base, run 1") > 1)
        end_of(one, number)
        tip = one.hub.refs(REPO)[f"refs/heads/{branch}"]
        history = one.hub.hub.store.repo(REPO).git.git("log", "--format=%H", tip)

    assert theirs in str(history)


def test_a_pull_request_that_is_closed_or_merged_meanwhile_is_one_of_two_at_most(
    tmp_path: Path,
) -> None:
    with ground(tmp_path, script=SLOW) as one:
        number = at_work(one)
        end_of(one, number)
        first = one.pulls()[0]
        began = one.log.count("turn 2")
        one.ben.comment(REPO, number, "/jam retry")
        one.until(lambda: one.log.count("turn 2") > began)
        one.ada.close(REPO, first)
        end_of(one, number)
        there = [one.pull(each).thread.state for each in one.pulls()]
        comments = made(one, number).comments

    assert there.count("open") <= 1
    assert len(there) <= 2
    assert comments == 1


def test_a_verification_of_a_head_that_moves_says_which_head_it_was(tmp_path: Path) -> None:
    with ground(tmp_path, script=SLOW) as one:
        head = one.ben.push(REPO, "mend", {"ledgerlib.py": FIXED})
        number = one.ben.open_pull(REPO, head="mend", title="Mend")
        began = one.log.count("judging the base, run 1")
        one.ben.comment(REPO, number, "/jam verify")
        one.until(lambda: one.log.count("judging the base, run 1") > began)
        moved = one.ben.push(REPO, "mend", {"ledgerlib.py": PRODUCT + "# worse\n"})
        one.until(lambda: head[:12] in one.said(number) and "is judging" not in one.said(number))
        one.until(lambda: "The head is" in one.said(number))
        after = [check.conclusion for check in one.checks(moved)]

    assert "success" not in after
