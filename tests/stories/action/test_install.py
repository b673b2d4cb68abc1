"""What the action installs on a runner: every package by its hash, and enough for a job."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.stories.project import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_locked_packages_are_enough_for_a_job(tmp_path: Path) -> None:
    outside = {name: value for name, value in os.environ.items() if "GITHUB" not in name}
    env = {**outside, "RUNNER_TEMP": str(tmp_path), "JAM_SOURCE": str(ROOT)}
    install = subprocess.run(
        ["bash", str(ROOT / "action/install.sh")], env=env, capture_output=True, text=True
    )
    began = subprocess.run(
        ["bash", str(ROOT / "action/run.sh")], env=env, capture_output=True, text=True, cwd=tmp_path
    )

    assert install.returncode == 0, install.stderr
    assert (began.returncode, began.stdout) == (2, "")
    assert began.stderr.startswith("jam: `jam action` runs in a job of a workflow")
