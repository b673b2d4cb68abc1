"""A check fails on a branch, and the tests that its log names become what has to be mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.minihub.ci import Acted, Play
from tests.stories.github.world import FILES, REPO, agent, world
from tests.stories.project import FIX, FIXED, PRODUCT, TARGET

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
NAMED = {
    **FILES,
    "ledgerlib.py": FIXED,
    ".github/jam.yml": f"{FILES['.github/jam.yml']}checks: {{test: unit}}\n",
}
LOG = f"""\
2026-11-30T10:00:00.0000000Z ##[group]Run python -m pytest
2026-11-30T10:00:01.0000000Z tests/test_free.py F...
2026-11-30T10:00:01.0000000Z FAILED {TARGET} - assert 0 == 1
2026-11-30T10:00:01.0000000Z ##[error]Process completed with exit code 1.
"""


def test_a_failing_workflow_on_a_branch_is_mended_there(tmp_path: Path) -> None:
    with world(tmp_path, files=NAMED, options=agent(tmp_path, FIX)) as one:
        sha = one.ben.push(REPO, "work", {"ledgerlib.py": PRODUCT})
        jobs = (Acted(conclusion="failure", log=LOG), Acted(name="lint"))
        one.ben.run_ci(REPO, Play(sha=sha, branch="work", jobs=jobs))
        number = one.until(lambda: one.pulls() and one.pulls()[-1])
        one.until(lambda: [c for c in one.checks(sha) if c.name == "jam" and c.conclusion])
        pull = one.pull(number)
        there = {check.name: check for check in one.checks(sha)}
        made = {check.name: check for check in one.checks(pull.head_sha)}

    assert pull.base == "work"
    assert pull.head == "ada:jam/fix-test-fails"
    assert f"Had to become green: `{TARGET}`." in pull.thread.body
    assert made["jam"].conclusion == "success"
    assert there["jam"].conclusion == "action_required"  # the head there is as red as before
    assert len(one.pulls()) == 1


def test_what_is_not_named_or_was_a_strangers_starts_nothing(tmp_path: Path) -> None:
    with world(tmp_path, files=NAMED, options=agent(tmp_path, FIX)) as one:
        sha = one.ben.push(REPO, "work", {"ledgerlib.py": PRODUCT})
        failed = (Acted(name="lint", conclusion="failure", log=LOG),)
        one.ben.run_ci(REPO, Play(sha=sha, branch="work", jobs=failed))
        by_eve = (Acted(conclusion="failure", log=LOG),)
        one.eve.run_ci(REPO, Play(sha=sha, branch="work", jobs=by_eve))
        one.hub.wait()
        one.until(lambda: "waiting" not in one.page("/queue").partition("Deliveries")[2])
        page = one.page("/queue")

    assert "the contract names none of the checks that failed" in page
    assert "not caused by somebody with write permission" in page
    assert one.pulls() == ()
