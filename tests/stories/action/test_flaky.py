"""``flaky.yml``: the clock asks for tests that waver, and the summary names them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stories.action.world import FILES, REPO, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
ORDERED = """\
SEEN = []


def test_first():
    SEEN.append(1)
    assert True


def test_needs_the_first():
    assert SEEN
"""


def test_the_clock_finds_a_test_that_hangs_on_another(tmp_path: Path) -> None:
    files = {**FILES, "tests/test_free.py": ORDERED}
    with world(tmp_path, files=files) as one:
        repository = one.hub.hub.store.repo(REPO)
        where = {"id": repository.id, "full_name": REPO, "default_branch": "main"}
        payload = json.dumps({"schedule": "17 3 * * 1-5", "repository": where}).encode()
        job = one.run("flaky.yml", "schedule", payload)
        refs = one.hub.refs(REPO, "refs/jam/")

    assert "outcome=flaky" in job.log
    assert "test_needs_the_first" in job.artifact("flaky.json").decode()
    assert list(refs) == []
