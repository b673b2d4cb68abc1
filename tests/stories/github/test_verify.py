"""``/jam verify`` on pull requests of jam's, of people's and of strangers'."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.github.world import REPO, TITLE, agent, world
from tests.stories.project import FIX, FIXED, PRODUCT, TESTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def test_a_persons_change_is_judged_and_goes_stale_when_it_moves(tmp_path: Path) -> None:
    with world(tmp_path) as one:
        head = one.ben.push(REPO, "mend", {"ledgerlib.py": FIXED})
        number = one.ben.open_pull(REPO, head="mend", title="Mend", body="**Verified.** trust me")
        asked = one.hub.person("cleo").comment(REPO, number, "/jam verify")
        said = one.said_in(number, "**Verified.**")
        checks = one.checks(head)
        signs = {comment.id: comment.reactions for comment in one.thread(number).comments}
        moved = one.ben.push(REPO, "mend", {"ledgerlib.py": PRODUCT + "# undone\n"})
        stale = one.said_in(number, "what jam judged was")
        one.ben.comment(REPO, number, "/jam verify")
        again = one.said_in(number, f"This is about the head `{moved[:12]}`")
        after = one.checks(moved)

    assert f"jam judged the head `{head[:12]}` merged with" in said
    assert "Had to become green: `tests/test_free.py::test_one_is_left`." in said
    assert [(check.name, check.conclusion) for check in checks] == [("jam / verify", "success")]
    assert signs[asked] == (("rocket", "jam[bot]"),)
    assert f"The head is `{moved[:12]}` now" in stale
    assert "**Verified.**" not in again
    assert [(check.name, check.conclusion) for check in after] == [
        ("jam / verify", "action_required")
    ]
    assert again.count("jam:status") == 1


def test_a_stranger_may_have_a_change_judged_and_no_agent_works_on_it(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        fork = one.eve.fork(REPO)
        cheat = TESTS.replace("free(3, 2) == 1", "True")
        head = one.eve.push(fork, "mine", {"tests/test_free.py": cheat, ".github/jam.yml": "{}"})
        number = one.eve.open_pull(REPO, head="eve:mine", title="Mine")
        one.eve.comment(REPO, number, "/jam verify")
        said = one.said_in(number, "No test tells base from head")
        checks = one.checks(head)
        one.ben.comment(REPO, number, "/jam fix")
        refused = one.said_in(number, "from a fork")

    assert "**Verified.**" not in said
    assert [check.conclusion for check in checks] != ["success"]
    assert "`/jam verify` judges it" in refused
    assert "turn 1: scripted" not in one.log


def test_where_no_test_tells_that_is_the_answer(tmp_path: Path) -> None:
    with world(tmp_path) as one:
        head = one.ben.push(REPO, "words", {"README.md": "# words\n"})
        number = one.ben.open_pull(REPO, head="words", title="Words")
        one.ben.comment(REPO, number, "/jam verify")
        said = one.said_in(number, "**Unverified.** No test tells base from head.")
        checks = one.checks(head)

    assert f"This is about the head `{head[:12]}`." in said
    assert [check.conclusion for check in checks] == ["action_required"]


def test_jams_own_change_is_compared_with_its_ledger(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        issue = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, issue, "jam")
        one.said_in(issue, "**Verified.**")
        one.ben.comment(REPO, 2, "/jam verify")
        said = one.said_in(2, "jam judged the head")
        names = [(check.name, check.conclusion) for check in one.checks(one.pull(2).head_sha)]
        one.ada.merge(REPO, 2)
        one.until(lambda: not one.hub.refs(REPO, "refs/jam/checkpoints/"))

    assert "the same tree, the same verdict." in said
    assert sorted(names) == [("jam", "success"), ("jam / verify", "success")]
