"""One small repository for each category: real pytest, real sandbox, one diagnosis each."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event

import pytest

from bot.app.flaky.diagnose import Diagnosis, Doctor
from bot.app.flaky.trials import Trials
from bot.app.requests import FlakyRequest
from bot.core.flaky import spelling
from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Seen
from bot.core.flaky.screen import Screen
from bot.wiring.flaky_search import bench
from tests.stories.flaky.suites import SUBJECT, SUITES, files_of, lay


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", SUITES)
def test_the_category_is_shown_by_experiment_and_the_command_shows_the_failure(
    name: str, tmp_path: Path
) -> None:
    suite = SUITES[name]
    project = lay(tmp_path, files_of(suite))
    request = FlakyRequest(repo=project.repo, state=project.state)
    with bench(request, say=lambda _line: None, stop=Event()) as made:
        trials = Trials(
            lab=made.laboratory,
            gate=made.gate,
            tree=made.tree,
            now=time.monotonic,
            deadline=time.monotonic() + 200,
            say=lambda _line: None,
        )
        runs = trials.make([Condition(), Condition(), *suite.shows])
        screen = Screen(runs=runs)
        assert {Seen.FAILED, Seen.PASSED} <= {run.of(SUBJECT) for run in runs}, runs
        found = Doctor(trials=trials, screen=screen).diagnose(SUBJECT)
        assert isinstance(found, Diagnosis)
        told = spelling.command(made.gate, found.shown or found.condition)
        ran = trials.ask(told)

    assert found.category is suite.category, found.why
    assert found.before.failed >= 7
    assert (ran.exit_code, "test_subject" in ran.output) == (1, True), told


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_what_the_polluter_leaves_changed_is_told(tmp_path: Path) -> None:
    suite = SUITES["victim"]
    project = lay(tmp_path, files_of(suite))
    request = FlakyRequest(repo=project.repo, state=project.state)
    with bench(request, say=lambda _line: None, stop=Event()) as made:
        trials = Trials(
            lab=made.laboratory, gate=made.gate, tree=made.tree, now=time.monotonic,
            deadline=time.monotonic() + 100, say=lambda _line: None,
        )  # fmt: skip
        screen = Screen(runs=trials.make([Condition(), *suite.shows]))
        found = Doctor(trials=trials, screen=screen).diagnose(SUBJECT)

    assert found is not None
    assert [(one.where, one.before, one.after) for one in found.leaked] == [
        ("shop.SETTINGS", "dict('currency': 'EUR')", "dict('currency': 'USD')")
    ]
