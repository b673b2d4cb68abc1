"""A job's pull request can be checked by whoever has the repository. About a quarter minute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.action.world import REPO, TITLE, files_for, world
from tests.stories.github.world import SERVE
from tests.stories.project import FIX, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def jam(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SERVE, *words], capture_output=True, text=True, cwd=ROOT
    )


def test_a_job_signs_with_the_key_that_it_is_given(tmp_path: Path) -> None:
    key, clone = tmp_path / "key", tmp_path / "clone"
    assert jam("attest", "keygen", str(key)).returncode == 0
    with world(tmp_path, files=files_for(tmp_path, FIX)) as one:
        one.environment["JAM_SIGNING_KEY"] = str(key)
        one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, 1, "jam")
        job = one.run_plainly("issues", one.last("issues", "labeled"), run=1)
        (pack,) = one.hub.folder.rglob("objects/pack")
        subprocess.run(["git", "clone", "-q", str(pack.parents[1]), str(clone)], check=True)
        refs = one.hub.refs(REPO, "refs/jam/evidence/")
        head = one.pull(2).head_sha

    assert job.exit_code == 0, job.log
    for ref in refs:
        subprocess.run(["git", "-C", str(clone), "fetch", "-q", "origin", f"{ref}:{ref}"])
    said = jam("attest", "verify", "--repo", str(clone), "--commit", head, "--key", f"{key}.pub")
    other = tmp_path / "other"
    assert jam("attest", "keygen", str(other)).returncode == 0
    by_another = jam(
        "attest", "verify", "--repo", str(clone), "--commit", head, "--key", f"{other}.pub"
    )
    assert (said.returncode, by_another.returncode) == (0, 5), said.stderr + by_another.stdout
