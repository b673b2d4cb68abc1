"""Which test is set aside in a real tree, and which is freed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bot.adapters.repository import open_repository
from bot.adapters.workcopy import GitWorkcopy, Place, open_workcopy
from bot.app.flaky.setting_aside import SettingAside
from bot.core.flaky.quarantine_watch import Act
from tests.stories.flaky_mend.shop import FILES, VICTIM, Shop, finding

TODAY = date(2026, 3, 1)
OWNED = {**FILES, "CODEOWNERS": "* @everybody\n/tests/ @testers\n"}
OVER = (
    "import pytest\n\n\n"
    '@pytest.mark.xfail(strict=False, reason="flaky until 2026-02-01, owner @x, issue #3: slow")\n'
    "def test_old():\n    assert True\n"
)


def looking(workcopy: GitWorkcopy, tree: str) -> SettingAside:
    return SettingAside(workcopy=workcopy, tree=tree, today=TODAY)


@pytest.mark.parametrize("wanted", [True, False], ids=["wanted", "not wanted"])
def test_what_was_not_mended_is_set_aside_where_that_is_wanted(
    tmp_path: Path, wanted: bool
) -> None:
    Shop.at(tmp_path, OWNED)
    repository = open_repository(tmp_path / "repo")
    base = repository.resolve("HEAD")
    place = Place(state=tmp_path / "w", tree=tmp_path / "t", rooms=(tmp_path / "rooms",))
    with open_workcopy(
        repository, session="s", base=base, place=place, adopt=lambda _: None
    ) as workcopy:
        tree = repository.tree_of(base)

        change = looking(workcopy, tree).change([finding(base)], wanted=wanted)

        assert (change is not None) == wanted
        if change is not None:
            marker = change.marker
            assert (change.act, marker.owner, str(marker.ends)) == (
                Act.QUARANTINE,
                "@testers",
                "2026-03-31",
            )
            assert marker.reason == "order-dependent: victim, failed 7 of 7 runs"
            again = looking(workcopy, change.tree)
            assert [one.test for one in again.markers()] == [VICTIM]
            assert again.change([finding(base)], wanted=True) is None


def test_an_end_that_has_passed_goes_before_anything_new(tmp_path: Path) -> None:
    Shop.at(tmp_path, {**FILES, "tests/test_old.py": OVER})
    repository = open_repository(tmp_path / "repo")
    base = repository.resolve("HEAD")
    place = Place(state=tmp_path / "w", tree=tmp_path / "t", rooms=(tmp_path / "rooms",))
    with open_workcopy(
        repository, session="s", base=base, place=place, adopt=lambda _: None
    ) as workcopy:
        found = looking(workcopy, repository.tree_of(base))

        change = found.change([finding(base)], wanted=False)

        assert change is not None
        assert (change.act, change.marker.test) == (Act.RELEASE, "tests/test_old.py::test_old")
        assert looking(workcopy, change.tree).markers() == ()
