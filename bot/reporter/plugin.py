"""
The plugin that pytest (7 or later) loads. PYTEST_DONT_REWRITE

Decides only who speaks: the session that jam's command started, and its xdist workers; not the
sessions that tests start, in this process or in others. What is said is ``Recorder``'s.
"""

from __future__ import annotations

import os

import pytest

from . import wire
from .measuring import Measuring, silence
from .recorder import Recorder, prefix
from .tripwires import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generator

#: the session that is live in this process; others that begin meanwhile are tests' own
_live: Recorder | None = None
WATCH = pytest.StashKey[Watch]()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: Any, args: Any
) -> Generator[None, Any, None]:
    _forget_own_name()
    recorder = _begin(early_config)
    outcome = yield
    watch = early_config.stash.get(WATCH, None)
    if watch is not None:
        watch.end_conftests()
    if recorder is not None and outcome.excinfo is not None:
        recorder.abort(outcome.excinfo[1])


@pytest.hookimpl(specname="pytest_load_initial_conftests")
def before_conftests(early_config: pytest.Config) -> None:
    """Comes after the plugins that change pytest itself here, before pytest loads the files."""
    watch = early_config.stash.get(WATCH, None)
    if watch is not None:
        watch.begin_conftests()


def pytest_configure(config: pytest.Config) -> None:
    global _live
    parent = getattr(config, "workerinput", {}).get("jam_session")
    if parent is not None and _live is None and WATCH in config.stash:
        _live = _open(config, wire.wishes(), role="worker", parent=parent)


def _forget_own_name() -> None:
    """``start`` may have named this plugin; what tests start from here need not have it."""
    named = [name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name]
    if __name__ in named:
        os.environ["PYTEST_PLUGINS"] = ",".join(name for name in named if name != __name__)


def _begin(config: pytest.Config) -> Recorder | None:
    global _live
    wishes = wire.wishes()
    if _live is not None or wishes.get("dialect") != "pytest":
        return None
    if wire.is_inside_another():
        if "PYTEST_XDIST_WORKER" in os.environ:  # a worker learns only later that it is one
            config.stash[WATCH] = Watch()
            silence(config, wishes)
        return None
    silence(config, wishes)
    config.stash[WATCH] = Watch()
    _live = _open(config, wishes, role="session", parent=None)
    return _live


def _open(
    config: pytest.Config, wishes: dict[str, Any], role: str, parent: int | None
) -> Recorder | None:
    root = str(wishes.get("root") or os.getcwd())
    line = wire.connect(root, kind="pytest", role=role, parent=parent, framework=pytest.__version__)
    if line is None:
        return None
    recorder = Recorder(line, config, wishes, config.stash[WATCH], is_worker=role == "worker")
    config.pluginmanager.register(recorder, "jam_recorder")
    if wishes.get("measure"):
        names = prefix(str(config.rootpath), root)
        config.pluginmanager.register(Measuring(line, wishes, names), "jam_measuring")
    config.add_cleanup(lambda: _close(recorder))
    return recorder


def _close(recorder: Recorder) -> None:
    global _live
    recorder.close()
    if _live is recorder:
        _live = None
