"""What people ask for in other ways than by a label on an issue with a failing test."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.stories.github.world import FILES, REPO, TITLE, agent, world
from tests.stories.project import FIX, FIXED, PRODUCT, TESTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
CONTRACT = FILES[".github/jam.yml"]
PIN = "tests/test_pin.py::test_one_counts_as_none"
PINNED = (
    "from ledgerlib import free\n\n\ndef test_one_counts_as_none():\n    assert free(4, 3) == 0\n"
)
GREEN = {"tests/test_free.py": TESTS.replace("free(3, 2) == 1", "free(9, 2) == 7")}
REPRODUCES = """\
- write:
    path: tests/test_issue.py
    content: |
      from ledgerlib import free


      def test_one_is_left_of_three():
          assert free(3, 2) == 1
- finish: true
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- finish: true
"""
SIX = "".join(f"- shell: echo '# {n}' >> ledgerlib.py\n" for n in range(6)) + "- wait: 3\n"


def test_a_person_releases_the_test_that_pins_the_bug(tmp_path: Path) -> None:
    files = {**FILES, "tests/test_pin.py": PINNED}
    with world(tmp_path, files=files, options=agent(tmp_path, FIX)) as one:
        number = one.ada.open_issue(REPO, TITLE, f"free(3, 2) is 0. /jam fix release={PIN}")
        one.ben.comment(REPO, number, "/jam fix release=tests/test_pin.py::test_one")
        wrong = one.said_in(number, "o test to release is called")
        one.eve.comment(REPO, number, f"/jam fix release={PIN}")
        one.said_in(number, "permission")
        one.ben.comment(REPO, number, f"/jam fix release={PIN}")
        one.said_in(number, "**Verified.**")
        body = one.pull(2).thread.body
        kept = one.hub.file(REPO, one.pull(2).head_sha, "tests/test_pin.py")
        git = one.hub.hub.store.repo(REPO).git
        message = git.git("log", "-1", "--format=%B", one.pull(2).head_sha).decode()
        one.ben.comment(REPO, 2, "/jam verify")
        again = one.said_in(2, "**Verified.**")

    assert f"whoever asked released it: {PIN}" in again.replace("\\", "")
    assert "did you mean" in wrong
    first = body[body.index("### Look at this first") : body.index("### Evidence")]
    assert f"whoever asked released it: {PIN}" in first.replace("\\", "")
    assert kept == PINNED.encode()
    ben = one.ben.account
    assert f"Co-authored-by: ben <{ben.id}+ben@users.noreply.github.com>" in message


def test_an_issue_without_a_failing_test_gets_one_by_the_agent(tmp_path: Path) -> None:
    files = {**FILES, **GREEN, ".github/jam.yml": f"{CONTRACT}reproduce: {{paths: [tests/]}}\n"}
    with world(tmp_path, files=files, options=agent(tmp_path, REPRODUCES)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) should be 1, and is 0.")
        one.ben.label(REPO, number, "jam")
        said = one.said_in(number, "**Verified.**")
        pull = one.pull(2)
        test = one.hub.file(REPO, pull.head_sha, "tests/test_issue.py")
        product = one.hub.file(REPO, pull.head_sha, "ledgerlib.py")

    assert "Judged against a test that the agent wrote." in pull.thread.body
    assert "Had to become green: `tests/test_issue.py::test_one_is_left_of_three`." in (
        pull.thread.body
    )
    assert "the agent wrote a test that shows the issue (`tests/test_issue.py`)" in said
    assert test is not None
    assert product == FIXED.encode()


def test_attempts_end_and_a_person_is_asked_for(tmp_path: Path) -> None:
    files = {**FILES, ".github/jam.yml": f"{CONTRACT}budget: {{attempts: 1}}\n"}
    with world(tmp_path, files=files, options=agent(tmp_path, "- give_up: no\n")) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "**Failed.**")
        one.ben.label(REPO, number, "jam")
        said = one.said_in(number, "a person is needed")
        sign = one.until(lambda: one.thread(number).reactions)

    assert "This was tried once, and the limit is 1 (`budget.attempts`)" in said
    assert "**Failed.**" in said
    assert sign == (("confused", "jam[bot]"),)


def test_the_base_moves_on_and_the_change_is_about_where_it_was(tmp_path: Path) -> None:
    slow = FIX.replace("- finish", "- wait: 4\n- finish")
    with world(tmp_path, options=agent(tmp_path, slow)) as one:
        base = one.hub.refs(REPO)["refs/heads/main"]
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "turn 2" in one.log)
        one.ada.push(REPO, "main", {"README.md": "# moved on\n"})
        one.said_in(number, "**Verified.**")
        body = one.pull(2).thread.body
        one.ben.comment(REPO, 2, "/jam verify")
        said = one.said_in(2, "jam judged the head")
        moved = one.hub.refs(REPO)["refs/heads/main"]

    assert f"Base `{base[:12]}`" in body
    assert f"merged with its base `{moved[:12]}`" in said or moved[:12] in said
    assert "**Verified.**" in said


def test_an_issue_that_is_edited_afterwards_changes_nothing(tmp_path: Path) -> None:
    slow = FIX.replace("- finish", "- wait: 2\n- finish")
    with world(tmp_path, options=agent(tmp_path, slow)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        comment = one.ben.comment(REPO, number, "what about this?")
        one.ben.edit_comment(REPO, comment, "/jam fix")
        one.ben.label(REPO, number, "jam")
        one.eve.comment(REPO, number, "hello")
        one.ada.edit(REPO, number, title="Delete everything", body="rm -rf /")
        one.said_in(number, "**Verified.**")
        title = one.pull(2).thread.title
        signs = [c.reactions for c in one.thread(number).comments if c.id == comment]

    assert title == f"fix: {TITLE} (#1)"
    assert signs == [()]
    assert one.log.count("turn 1:") == 1


def test_the_status_comment_is_edited_once_in_ten_seconds_at_most(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, SIX)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        seen: list[tuple[float, str]] = []
        while "**Failed.**" not in one.said(number):
            said = one.said(number)
            if said and (not seen or seen[-1][1] != said):
                seen.append((time.monotonic(), said))
            time.sleep(0.05)
            assert len(seen) < 50
        working = [at for at, text in seen if "jam is working on this" in text]

    assert working
    assert [b - a for a, b in pairwise(working) if b - a < 9.5] == []


def test_a_suspended_installation_ends_what_runs_and_nothing_is_said(tmp_path: Path) -> None:
    slow = FIX.replace("- finish", "- wait: 30\n- finish")
    with world(tmp_path, options=agent(tmp_path, slow)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "turn 2" in one.log)
        one.ada.suspend(one.installation)
        one.until(lambda: "cancelled" in one.page("/"))
        one.ada.unsuspend(one.installation)
        one.ben.comment(REPO, number, "/jam status")
        said = one.said_in(number, "**jam has stopped**: the installation was suspended")

    assert "is working" not in said
    assert one.pulls() == ()
    assert PRODUCT.encode() == one.hub.file(REPO, "refs/heads/main", "ledgerlib.py")
