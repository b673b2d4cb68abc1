"""Whoever reads jam's pull request can check it with nothing but the repository."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.github.world import REPO, SERVE, TITLE, agent, world
from tests.stories.project import FIX, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def jam(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SERVE, *words], capture_output=True, text=True, cwd=ROOT
    )


def test_a_reader_of_the_pull_request_checks_it(tmp_path: Path) -> None:
    key, clone = tmp_path / "key", tmp_path / "clone"
    assert jam("attest", "keygen", str(key)).returncode == 0
    environment = {"JAM_SIGNING_KEY": str(key)}
    with world(tmp_path, options=agent(tmp_path, FIX), environment=environment) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "**Verified.**")
        pull = one.pull(2)
        (bare,) = one.hub.folder.rglob("objects/pack")
        subprocess.run(["git", "clone", "-q", str(bare.parents[1]), str(clone)], check=True)

    told = re.search(r"`git fetch origin (\S+)`.*", pull.thread.body)
    digest = re.search(r" statement=([0-9a-f]{64}) -->", pull.thread.body)
    assert told
    assert digest
    subprocess.run(["git", "-C", str(clone), "fetch", "-q", "origin", told[1]], check=True)
    ref = told[1].partition(":")[0]
    path = f".jam/evidence/{ref.rpartition('/')[2]}/statement.dsse.json"
    envelope = subprocess.run(
        ["git", "-C", str(clone), "show", f"{ref}:{path}"], capture_output=True, check=True
    ).stdout
    said = jam(
        "attest", "verify", "--repo", str(clone), "--commit", pull.head_sha,
        "--key", f"{key}.pub", "--json",
    )  # fmt: skip

    document = json.loads(said.stdout)
    assert (said.returncode, document["broken"]) == (0, []), said.stderr
    assert document["statement"]["subject"][0]["digest"]["gitCommit"] == pull.head_sha
    assert re.fullmatch(
        r"Evidence: (\d+) of \1 cited pieces are here, as cited\.", document["looked_at"][2]
    )
    assert hashlib.sha256(envelope).hexdigest() == digest[1]
