"""``/jam verify`` on a fork's pull request, in a job that can write words and no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.action.world import REPO, world
from tests.stories.project import FIXED, TESTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
NOISY = TESTS.replace(
    "def test_one_is_left():",
    "def test_one_is_left():\n    print('::set-env name=EVIL::1\\n##[add-mask]1 passed')",
)


def test_a_forks_change_is_judged_and_answered(tmp_path: Path) -> None:
    with world(tmp_path) as one:
        fork = one.eve.fork(REPO)
        head = one.eve.push(fork, "mine", {"ledgerlib.py": FIXED, "tests/test_free.py": NOISY})
        number = one.eve.open_pull(REPO, head="eve:mine", title="::add-path::/tmp/evil")
        one.eve.comment(REPO, number, "/jam verify")
        job = one.run("verify.yml", "issue_comment", one.last("issue_comment", "created"))
        assert job.exit_code == 0, job.log[-6_000:]
        said, checks = one.said(number), one.checks(head)
        refs = one.hub.refs(REPO, "refs/jam/")

    assert f"jam judged the head `{head[:12]}` merged with" in said
    assert [check.name for check in checks] == ["jam / verify"]
    assert checks[0].conclusion in ("success", "action_required")
    assert list(refs) == []  # the token cannot write there, and nothing needs it to
    assert "*  ::set-env::" not in job.log.replace("\u2699", "*")
    assert "*  ::add-path::" not in job.log.replace("\u2699", "*")
