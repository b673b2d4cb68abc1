"""What people write in comments, and what jam answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.github.world import REPO, TITLE, agent, world
from tests.stories.project import FIX

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
