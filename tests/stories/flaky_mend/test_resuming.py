"""A mend that dies between two entries goes on where it stood. Half a minute."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.store import Store
from bot.app.case import recall
from bot.core import invariants, ledger
from bot.core.session import replay
from bot.wiring import flaky_mend
from tests.stories.flaky_mend.shop import Shop

KINDS = [
    "opened", "finding", "prepared", "sampled", "planned", "suite ran", "turned", "adjudicated",
    "ended",
]  # fmt: skip


class Dying(Store):
    """Keeps two entries more, and then there is no power."""

    kept = 0

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        if self.kept == 2:
            raise OSError("no power")
        self.kept += 1
        super().append(session_id, line, place=place, after=after)


@pytest.mark.slow
def test_a_mend_that_dies_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    shop, state = Shop.at(tmp_path), tmp_path / "state"
    with pytest.raises(OSError, match="no power"):
        shop.mend("command:true", store=Dying(state))
    (session,) = Store(state).sessions()
    for _ in range(3):
        opened = replay(ledger.read(Store(state).read(session))).opened
        assert opened is not None
        with pytest.raises(OSError, match="no power"):
            flaky_mend.go_on(recall(opened, Store(state)), shop.site(Dying(state)))

    answer = flaky_mend.go_on(recall(opened, Store(state)), shop.site())

    entries = ledger.read(Store(state).read(session))
    assert [entry.fact.kind for entry in entries] == KINDS
    assert (answer.document["outcome"], answer.exit_code) == ("failed", 1)
    assert invariants.broken(entries) == ()
