"""What stands beside the code on the check's page: for the person who opens the diff."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

from tests.stories.github.world import REPO, TITLE, agent, world
from tests.stories.project import FIXED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
BREAKS = FIXED.replace("total // people", "total / people - 1")
EVIL = "<script>alert(1)</script> @ada fixes #1"
ODD = """\
- shell: |
    sed -i 's/left > 1/left > 0/' ledgerlib.py
    sed -i '1i import os' ledgerlib.py
    echo 'RUNS_HERE = "PYTEST_CURRENT_TEST" in os.environ' >> ledgerlib.py
- finish: true
"""


def test_failing_tests_are_told_beside_the_lines_that_fail(tmp_path: Path) -> None:
    tests = (
        f"from ledgerlib import share\n\n\ndef test_shares_more():\n"
        f"    assert share(8, 2) == 4, {EVIL!r}\n"
    )
    with world(tmp_path) as one:
        one.ada.push(REPO, "main", {"tests/test_more.py": tests})
        head = one.ben.push(REPO, "mend", {"ledgerlib.py": BREAKS})
        number = one.ben.open_pull(REPO, head="mend", title="Mend")
        one.ben.comment(REPO, number, "/jam verify tests=tests/test_free.py::test_one_is_left")
        one.said_in(number, "**Failed.**")
        check = one.checks(head)[0]
        address = f"{one.hub.url}/{REPO}/runs/{check.id}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            page = answer.read().decode()

    places = [(path, line) for path, line, _ in check.annotations]
    assert sorted(places) == [("tests/test_free.py", 17), ("tests/test_more.py", 5)]
    assert next(message for path, _, message in check.annotations if "more" in path).count(EVIL)
    assert "test_free.py" in page
    assert "<script>alert" not in page


def test_what_to_look_at_first_stands_beside_its_line(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, ODD)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: one.pulls() and one.checks(one.pull(2).head_sha))
        # The end is told first, what stands beside the lines a call later.
        check = one.until(
            lambda: next((c for c in one.checks(one.pull(2).head_sha) if c.annotations), None)
        )
        body = one.pull(2).thread.body

    assert check.conclusion != "success"
    assert {(path, line) for path, line, _ in check.annotations} == {("ledgerlib.py", 10)}
    assert [what for _, _, what in check.annotations if what not in body] == []
    assert "### Look at this first" in body
