"""Flaky tests mended for real: from the finding to the branch. About a minute."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.core.flaky.mend_steps import fold_facts
from tests.stories.flaky_mend.shop import Shop


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_repair_puts_back_what_the_polluter_leaves_changed(tmp_path: Path) -> None:
    shop = Shop.at(tmp_path)

    answer = shop.mend("repair")

    mend = fold_facts(shop.facts(answer))
    assert mend.last is not None
    assert (answer.document["outcome"], answer.exit_code) == ("verified", 0)
    assert mend.last.mutated is not None
    assert mend.last.mutated.before > 0
    files = subprocess.run(
        ["git", "-C", str(tmp_path / "repo"), "diff", "--name-only", "main",
         str(answer.document["branch"])],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert files.split() == ["tests/test_sale.py"]
    assert answer.text.startswith("Mends a flaky test: `tests/test_price.py::test_one_ticket`")
