"""Control groups, on machines that let jam make them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.adapters.sandbox import BwrapJail, choose, group
from bot.adapters.sandbox.group import Place
from bot.core.contract import SandboxKind
from bot.ports import Limits, View

LIMITS = Limits(timeout_s=30, memory_bytes=300 << 20)


@pytest.fixture
def jail() -> BwrapJail:
    jail = choose(SandboxKind.BWRAP)
    assert isinstance(jail, BwrapJail)
    if not jail.is_grouped:
        pytest.skip("this machine lets nobody like us make control groups")
    return jail


def ours() -> list[Path]:
    own = f"jam-{os.getpid()}-*"
    return [path for place in group.places() for path in place.folder.glob(own)]


def test_memory_is_bounded_for_all_processes_together(jail: BwrapJail, tmp_path: Path) -> None:
    """Each stays below the bound that every process has for itself."""
    jail.adopt(tmp_path)
    one = "/usr/bin/python3 -IS -c 'b=b\"x\" * (200 << 20); import time; time.sleep(1)'; echo $?"

    ran = jail.run(
        ("sh", "-c", f"({one}) & ({one}) & wait"),
        view=View(tree=tmp_path, at=Path("/jam/repo")),
        limits=LIMITS,
    )

    assert "137" in ran.output.split()


def test_a_group_is_gone_when_its_command_is(jail: BwrapJail, tmp_path: Path) -> None:
    jail.adopt(tmp_path)

    jail.run(
        ("sh", "-c", "setsid sleep 9 & sleep 0.1"),
        view=View(tree=tmp_path, at=Path("/jam/repo")),
        limits=LIMITS,
    )

    assert ours() == []


def test_where_none_can_be_made_there_is_none(tmp_path: Path) -> None:
    assert group.places(mount=tmp_path) == ()


def test_what_a_killed_jam_left_behind_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "jam-4194999-0").mkdir()
    (tmp_path / "jam-1-0").mkdir()

    group._sweep(tmp_path)

    assert not (tmp_path / "jam-4194999-0").exists()
    assert (tmp_path / "jam-1-0").exists()


def test_the_unified_hierarchy_is_used_only_where_both_bounds_are_handed_down(
    tmp_path: Path,
) -> None:
    (tmp_path / "cgroup.subtree_control").write_text("cpu io")

    assert group._unified(tmp_path) == ()

    (tmp_path / "cgroup.subtree_control").write_text("cpu memory pids")

    place = Place(tmp_path, ("memory.max",), "pids.max")
    assert group._unified(tmp_path) == (place,)
    assert place.settings(Limits(timeout_s=1, memory_bytes=1000, processes=10)) == {
        "memory.max": 1000,
        "pids.max": 10 + group.OVERHEAD,
    }
