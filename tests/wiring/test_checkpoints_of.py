"""`jam checkpoints` about a session that nobody knows is a mistake, not an empty list."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.adapters.store import Store
from bot.app.requests import CheckpointsAction, CheckpointsRequest
from bot.errors import NoSuchSession
from bot.wiring.looking import checkpoints


def ask(home: Path, action: CheckpointsAction) -> str:
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "base")):
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", home, *who, *words], check=True)
    request = CheckpointsRequest(
        action=action, session="s1", repo=home, state=home / "state", number=None
    )
    return checkpoints(request).text


@pytest.mark.parametrize("action", CheckpointsAction)
def test_of_an_unknown_session_nothing_is_said(tmp_path: Path, action: CheckpointsAction) -> None:
    with pytest.raises(NoSuchSession, match="holds no checkpoint of session s1"):
        ask(tmp_path, action)


def test_a_session_that_kept_none_is_listed_as_such(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    store.create("s1")
    store.path("s1").write_text("\n")

    assert ask(tmp_path, CheckpointsAction.LIST) == (
        "No checkpoints of this session are in this repository."
    )
