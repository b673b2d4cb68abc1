"""``make demo-flaky``, whole: found, proven, mended, proven again. Two minutes, or a few."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.project import JAM

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
CAUSES = {
    "tests/test_prices.py::test_ten_tickets_are_cheaper": "tests/test_sale.py",
    "tests/test_draw.py::test_everything_can_be_won": "tests/test_draw.py",
}


def test_both_causes_are_found_mended_and_verified_and_the_page_shows_them(tmp_path: Path) -> None:
    into = tmp_path / "demo"

    ran = subprocess.run(
        [sys.executable, "-c", JAM, "demo", "--flaky", "--into", str(into)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stdout[-4_000:] + ran.stderr[-4_000:]
    assert "2 tests are flaky, from 2 causes." in ran.stdout
    assert "2 of 2 root causes mended." in ran.stdout
    assert ran.stdout.count("**Verified.**") == 2
    # How many were needed follows from how often it failed before: 60 at least.
    after = re.findall(r"\| after, under the condition found \| 0 / (\d+) \| below", ran.stdout)
    assert [int(runs) >= 60 for runs in after] == [True, True]
    assert ran.stdout.count(f"after   {'●' * 60}") == 2
    page = (into / "flaky.html").read_text()
    assert page.count("mend: verified") == 2
    assert all(test in page for test in CAUSES)
    assert _changed(into / "raffle") == sorted(CAUSES.values())


def _changed(repo: Path) -> list[str]:
    """What each branch of jam's changes: one file."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(repo), *words], capture_output=True, text=True, check=True
        ).stdout

    branches = git("branch", "--list", "jam/*", "--format", "%(refname)").split()
    return sorted(name for b in branches for name in git("diff", "--name-only", "main", b).split())
