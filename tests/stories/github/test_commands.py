"""What people write in comments, and what jam answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.github.world import FILES, REPO, TITLE, agent, world
from tests.stories.project import FIX, FIXED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
LONG = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 120
- finish: true
"""
WRONG = "- shell: echo '# x' >> ledgerlib.py\n- give_up: no\n"


def test_the_table_a_guess_and_a_quotation(tmp_path: Path) -> None:
    with world(tmp_path) as one:
        number = one.ada.open_issue(REPO, TITLE, "text")
        quoted = one.ben.comment(REPO, number, "> /jam fix\n\nas somebody said")
        asked = one.ben.comment(REPO, number, "/jam help")
        said = one.said_in(number, "| write in a comment")
        wrong = one.ben.comment(REPO, number, "/jam verfy")
        guess = one.said_in(number, "did you mean")
        signs = {comment.id: comment.reactions for comment in one.thread(number).comments}

    assert "`/jam retry [WORDS]`" in said
    assert "did you mean `/jam verify`?" in guess
    assert signs[quoted] == ()
    assert signs[asked] == (("eyes", "jam[bot]"),)
    assert signs[wrong] == (("confused", "jam[bot]"),)


def test_stopping_keeps_what_was_done(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, LONG)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.comment(REPO, number, "/jam fix")
        one.until(lambda: "turn 2" in one.log)
        one.said_in(number, "jam is working on this")
        one.ben.comment(REPO, number, "/jam stop")
        said = one.said_in(number, "**Cancelled.**")

    assert "1 checkpoint" in said
    assert one.pulls() == ()


def test_closing_the_issue_stops_what_runs(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, LONG)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "turn 2" in one.log)
        one.ada.close(REPO, number)
        one.said_in(number, "**Cancelled.**")

    assert one.pulls() == ()


def test_uninstalling_stops_what_runs_and_nobody_is_told(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, LONG)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "turn 2" in one.log)
        one.ada.uninstall(one.installation)
        one.until(lambda: "cancelled" in one.page("/"))

    assert one.pulls() == ()


def test_trying_again_with_words_and_asking_for_the_state(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, WRONG)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "**Failed.**")
        (tmp_path / "agent.yml").write_text(FIX)
        one.ben.comment(REPO, number, "/jam retry look at the comparison in free")
        one.said_in(number, "**Verified.**")
        pull = one.pull(2)
        one.ben.comment(REPO, number, "/jam status")
        one.until(lambda: one.thread(number).comments[-1].reactions)
        said = one.said(number)

    assert pull.thread.title == f"fix: {TITLE} (#1)"
    assert "**Verified.**" in said
    assert said.count("jam:status") == 1


ASKING = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- shell: touch agreed.txt
- finish: true
"""


def test_what_the_policy_wants_asked_waits_for_a_person(tmp_path: Path) -> None:
    contract = f"{FILES['.github/jam.yml']}policy: {{ask: ['touch *']}}\n"
    files = {**FILES, ".github/jam.yml": contract}
    with world(tmp_path, files=files, options=agent(tmp_path, ASKING)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        asked = one.said_in(number, "jam asks before it goes on")
        one.until(lambda: "asking" in one.page("/queue"))
        one.eve.comment(REPO, number, "/jam approve")
        one.said_in(number, "permission")
        waits = one.pulls()
        one.ben.comment(REPO, number, "/jam approve")
        one.said_in(number, "**Verified.**")

    assert "touch agreed.txt" in asked
    assert waits == ()
    assert one.pulls() == (2,)


def test_taking_back_checkpoints_is_judged_anew_on_the_same_branch(tmp_path: Path) -> None:
    script = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- shell: echo '# a remark' >> ledgerlib.py
- finish: true
"""
    with world(tmp_path, options=agent(tmp_path, script)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "**Verified.**")
        before = one.pull(2).head_sha
        one.ben.comment(REPO, number, "/jam undo 7")
        few = one.said_in(number, "There are only 2 checkpoints")
        one.ben.comment(REPO, number, "/jam undo 1")
        one.until(lambda: one.pull(2).head_sha != before)
        one.until(lambda: one.thread(number).comments[-1].reactions[0][0] == "rocket")
        after = one.hub.file(REPO, one.pull(2).head_sha, "ledgerlib.py")
        grown = one.hub.refs(REPO, "refs/heads/jam/")

    assert few
    assert after == FIXED.encode()
    assert one.pulls() == (2,)
    assert len(grown) == 1
