"""Where the contract is looked for, and what is said where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.repository import open_repository
from bot.errors import SpecError
from bot.wiring.ground import CONTRACT, contract_of
from tests.ports.gitmade import git


def test_one_that_was_written_and_not_committed_is_told_to_be_committed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    base = git(tmp_path, "rev-parse", "HEAD")
    repository = open_repository(tmp_path)

    with pytest.raises(SpecError) as none:
        contract_of(repository, base, None)
    (tmp_path / ".github").mkdir()
    (tmp_path / CONTRACT).write_text("version: 1\n")
    with pytest.raises(SpecError) as unborn:
        contract_of(repository, base, None)

    missing = f"there is no {CONTRACT} in {base[:12]}: "
    assert str(none.value).startswith(f"{missing}`jam init --repo {tmp_path}` writes one")
    assert str(unborn.value).startswith(f"{missing}it lies in the checkout and not in that commit")
