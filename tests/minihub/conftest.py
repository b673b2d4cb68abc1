"""One minihub per test, held to GitHub's descriptions at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.minihub.minihub import AppKey, Minihub
from tests.minihub import hubs


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them need GitHub's descriptions, which only the long suites install."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Minihub]:
    with hubs.minihub(tmp_path / "hub") as one:
        yield one


@pytest.fixture
def lib(hub: Minihub) -> str:
    """A repository of ada's, on which ben may write, cleo may triage, and eve is a stranger."""
    files = {"lib/a.py": "def f():\n    return 1\n", "README.md": "# lib\n"}
    hub.repository("ada/lib", files, roles={"ben": "write", "cleo": "triage"})
    hub.person("eve")
    return "ada/lib"


@pytest.fixture
def app(hub: Minihub, lib: str) -> AppKey:
    one = hub.app()
    hub.install(one, "ada")
    return one
