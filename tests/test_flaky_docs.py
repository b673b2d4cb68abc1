"""docs/flaky.md says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from bot.app.flaky import mend_mutate, mend_runs
from bot.core.contract import Flaky
from bot.core.flaky import mend_steps, quarantine, quarantine_watch
from bot.core.flaky.finding import Category
from bot.core.flaky.guard_parts import Rule
from bot.core.flaky.mend_rules import bound_of
from bot.core.flaky.statistics import FAILURES, LEAST_CLEAN, MOST_RUNS, clean_runs, percent
from tests.test_readme import plain, rows, section

TEXT = (Path(__file__).parent.parent / "docs/flaky.md").read_text()


def of(heading: str) -> list[list[str]]:
    return rows(section(heading, of=TEXT))


def test_every_category_has_its_experiment() -> None:
    assert [row[0] for row in of("Why they are flaky")] == [one.value for one in Category]


def test_every_rule_of_the_guard_is_told() -> None:
    told = [name for row in of("What a mend may not do") for name in plain(row[0]).split(", ")]

    assert sorted(told) == sorted(rule.value for rule in Rule)


@pytest.mark.parametrize("row", of("When a mend is called verified"), ids=lambda row: row[0])
def test_the_numbers_of_runs_are_those_that_are_asked_for(row: list[str]) -> None:
    before, needed, left = row
    failed, runs = map(int, before.split(" of "))

    clean = clean_runs(failed, runs, attempts=mend_steps.ATTEMPTS)

    assert (needed, left) == (str(clean), percent(bound_of(clean)))


def test_the_settings_are_the_contracts() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", section("Configuration", of=TEXT), re.S)

    assert Flaky.model_validate(yaml.safe_load(shown)["flaky"]) == Flaky()


@pytest.mark.parametrize(
    "words",
    [
        f"until {FAILURES} failures of one signature or {MOST_RUNS} runs",
        f"At least {LEAST_CLEAN} in any case",
        f"*a* = {mend_steps.ATTEMPTS} patches that may be tried",
        f"the guard may refuse {mend_steps.REFUSALS} more",
        f"{mend_runs.FREE} runs under orders and seeds",
        f"{mend_runs.FIXED} times as they are and {mend_runs.SHUFFLED} times shuffled",
        f"in up to {mend_mutate.MOST} ways",
        f"a last day, {quarantine.DAYS} days from now",
        f"tried up to {Flaky().attempts} times",
    ],
)
def test_other_numbers_are_those_of_the_code(words: str) -> None:
    assert words in TEXT


def test_so_many_quiet_searches_close_an_issue() -> None:
    assert quarantine_watch.QUIET_RUNS == 3
    assert "Three searches in a row that did not see it close its issue" in TEXT
