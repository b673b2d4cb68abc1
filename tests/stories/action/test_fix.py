"""A label on an issue, and what the workflow makes of it, through the real runner of workflows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.action.world import REPO, TITLE, files_for, world
from tests.stories.project import FIX, FIXED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_a_label_becomes_a_verified_pull_request(tmp_path: Path) -> None:
    with world(tmp_path, files=files_for(tmp_path, FIX)) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        job = one.run("fix.yml", "issues", one.last("issues", "labeled"))
        print(job.log[-9000:])
        thread, pull = one.thread(number), one.pull(2)
        judged = one.hub.file(REPO, pull.head_sha, "ledgerlib.py")

    assert job.exit_code == 0, job.log
    assert thread.labels == ()
    assert judged == FIXED.encode()
    assert pull.thread.body.startswith(f"Fixes #1: {TITLE}\n")
