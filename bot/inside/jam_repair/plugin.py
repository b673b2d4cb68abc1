"""
Where pytest meets the search: three roles in three processes that begin as one.

Loaded through ``PYTEST_PLUGINS`` (or ``-p``) before anything of the repository. Without its
configuration it does nothing at all; with it, pytest's own run loop is never entered.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from typing import Any

import pytest

from . import settings as settings_
from .cold import Cold, Job, Other, split
from .engine import Search
from .wire import Wire

_TAKEN = "JAM_REPAIR_TAKEN"
_roles: dict[str, Searching | Trying] = {}


class Searching:
    def __init__(self, facts: settings_.Settings, wire: Wire, other: Other) -> None:
        self.facts, self.wire, self.other = facts, wire, other
        self.broken: dict[str, BaseException | None] = {}

    def note(self, report: Any) -> None:
        if report.failed:
            found = getattr(getattr(report, "call", None), "excinfo", None)
            self.broken[report.nodeid] = found.value if found is not None else None

    def run(self, session: Any) -> None:
        self.wire.hand_over()
        code = 0
        try:
            Search(self.facts, self.wire, self.other).run(session, self.broken)
        except BaseException as wrong:  # told as what it is: a search that broke, not a hard bug
            code = 70
            self.wire.say(
                "broken",
                error="".join(traceback.format_exception(type(wrong), wrong, wrong.__traceback__))[
                    -4000:
                ],
            )
        finally:
            self.wire.close()
            os._exit(code)


class Trying:
    def __init__(self, cold: Cold) -> None:
        self.cold = cold

    def note(self, report: Any) -> None:
        self.cold.note(report)

    def run(self, session: Any) -> None:
        self.cold.run(session)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    file = os.environ.pop(settings_.VARIABLE, "") or settings_.PLACE
    if _roles or _TAKEN in os.environ or not os.path.exists(file):
        return
    os.environ[_TAKEN] = "1"  # a pytest that the tests start is their own affair
    known = early_config.known_args_namespace
    if hasattr(known, "no_cov"):
        known.no_cov = True  # a coverage measurement takes the tracer that the search needs
    facts = settings_.read(file)
    wire = Wire(facts.socket)
    sys.dont_write_bytecode = False
    sys.pycache_prefix = tempfile.mkdtemp(prefix="jam-repair-")
    role = split()
    if isinstance(role, Job):
        _roles["mine"] = Trying(Cold(role))
    else:
        _roles["mine"] = Searching(facts, wire, role)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    if "mine" not in _roles:
        return
    for name, value in (
        ("dist", "no"),
        ("tx", []),
        ("numprocesses", None),
        ("maxfail", 0),
        ("no_cov", True),
    ):
        if hasattr(config.option, name):
            setattr(config.option, name, value)


def pytest_ignore_collect(collection_path: Any) -> bool | None:
    mine = _roles.get("mine")
    if isinstance(mine, Trying) and not mine.cold.is_worth_collecting(str(collection_path)):
        return True
    return None


def pytest_collectreport(report: Any) -> None:
    if "mine" in _roles:
        _roles["mine"].note(report)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> bool | None:
    if "mine" not in _roles:
        return None
    _roles["mine"].run(session)
    return True
