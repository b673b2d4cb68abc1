"""
Writes down which lines of the checkout some tests run. PYTEST_DONT_REWRITE

Loaded by pytest as a plugin, under the repository's own interpreter. Knows nothing of what the
lines are for. Only the body of a test is watched: what an import runs is no use of the product.
"""

from __future__ import annotations

import json
import os
import sys
import threading

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Generator

ROOT = os.path.realpath(os.getcwd()) + os.sep
WANTED = frozenset(json.loads(os.environ.get("JAM_COVER_TESTS", "[]")))
PLACE = os.environ.get("JAM_COVER_FILE", "")

_lines: dict[str, set[int]] = {}


def _enter(frame: FrameType, _event: str, _argument: object) -> Any:
    name = frame.f_code.co_filename
    if not name.startswith(ROOT) or not name.endswith(".py"):
        return None
    seen = _lines.setdefault(name[len(ROOT) :], set())

    def on_line(frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            seen.add(frame.f_lineno)
        return on_line

    return on_line


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    if item.nodeid not in WANTED:
        yield
        return
    before = sys.gettrace()
    sys.settrace(_enter)
    threading.settrace(_enter)
    yield
    threading.settrace(None)
    sys.settrace(before)


def pytest_sessionfinish() -> None:
    if PLACE:
        with open(os.path.join(ROOT, PLACE), "w") as file:
            json.dump({name: sorted(lines) for name, lines in _lines.items()}, file)
