"""jam is killed in the middle, and what people find afterwards is what they would have found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.github.world import REPO, TITLE, agent, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 3
- finish: true
"""


@pytest.mark.parametrize(
    "moment", ["turn 2", "adjudication, run 1", "published on"], ids=["work", "judging", "telling"]
)
def test_killed_in_the_middle_everything_is_there_once(tmp_path: Path, moment: str) -> None:
    with world(tmp_path, options=agent(tmp_path, SLOW)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: moment in one.log)
        one.kill()
        one.start()
        one.said_in(number, "**Verified.**")
        one.until(lambda: ("rocket", "jam[bot]") in one.thread(number).reactions)
        branches = sorted(one.hub.refs(REPO, "refs/heads/"))
        checks = one.checks(one.pull(2).head_sha)
        thread = one.thread(number)

    assert one.pulls() == (2,)
    assert len(branches) == 2
    assert [(check.name, check.conclusion) for check in checks] == [("jam", "success")]
    assert [comment.by for comment in thread.comments] == ["jam[bot]"]
    assert thread.reactions == (("rocket", "jam[bot]"),)


def test_ended_by_its_operator_it_goes_on_after_the_start(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, SLOW)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "turn 2" in one.log)
        code = one.stop()
        one.start()
        one.said_in(number, "**Verified.**")

    assert code == 0
    assert one.pulls() == (2,)
