"""One run under a condition: what reaches the tests, and what cannot hide them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from bot.app.requests import FlakyRequest
from bot.core.flaky import run_line
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.runs import Run, Seen
from bot.wiring.flaky_search import Bench, bench
from tests.stories.flaky.suites import CONFTEST, SUBJECT, lay
from tests.stories.project import Project


@contextmanager
def benched(project: Project) -> Iterator[Bench]:
    request = FlakyRequest(repo=project.repo, state=project.state)
    with bench(request, say=lambda _line: None, stop=Event()) as made:
        yield made


def runs(project: Project, conditions: Sequence[Condition]) -> tuple[Run, ...]:
    with benched(project) as made:
        return made.laboratory.run(made.gate, conditions, tree=made.tree)


RERUNS = """\
def pytest_addoption(parser):
    parser.addoption("--reruns", type=int, default=0)


def pytest_runtest_protocol(item, nextitem):
    from _pytest.runner import runtestprotocol

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(item.config.option.reruns + 1):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if all(report.passed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""
SECOND = "import pytest\nseen = []\n\n@pytest.mark.flaky(reruns=3)\ndef test_subject():\n"
SECOND += "    seen.append(1)\n    assert len(seen) > 1\n"


def test_a_plugin_that_runs_failed_tests_again_hides_nothing(tmp_path: Path) -> None:
    project = lay(
        tmp_path,
        {
            "pytest_rerunfailures.py": RERUNS,
            "tests/test_m.py": SECOND,
            "pytest.ini": "[pytest]\naddopts = -p pytest_rerunfailures --reruns 3 -x "
            "--strict-markers\n",
        },
    )
    run = runs(project, [Condition()])[0]

    assert (run.invalid, run.of(SUBJECT)) == ("", Seen.FAILED)


ORDERED = "import pytest\n\n@pytest.mark.parametrize('n', range(12))\ndef test_it(n):\n    pass\n"


@pytest.mark.slow
def test_orders_are_what_was_asked_for_and_the_same_again(tmp_path: Path) -> None:
    project = lay(tmp_path, {"tests/test_a.py": ORDERED, "tests/test_b.py": ORDERED})
    shuffled = Condition(order=Order.SHUFFLED, order_seed=5)
    plain, reverse, one, two = runs(
        project, [Condition(), Condition(order=Order.REVERSED), shuffled, shuffled]
    )
    given = (plain.order[20], plain.order[3], plain.order[11])
    exact = runs(project, [Condition(tests=given, order=Order.GIVEN)])[0]

    assert reverse.order == plain.order[::-1]
    assert one.order == two.order != plain.order
    assert {name.partition("::")[0] for name in one.order[:12]} == {
        "tests/test_a.py",
        "tests/test_b.py",
    }
    assert exact.order == given


UNITTEST = """\
import unittest


class Three(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        pass

    def test_c(self):
        pass
"""


def test_unittest_runs_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    project = lay(tmp_path, {"test_three.py": UNITTEST})
    contract = (project.repo / ".github/jam.yml").read_text()
    contract = contract.replace("-m pytest -q -p no:cacheprovider", "-m unittest")
    project.commit({".github/jam.yml": contract.replace("report: pytest", "report: unittest")})
    names = tuple(f"test_three.Three.test_{letter}" for letter in "cab")
    told, twice = runs(project, [Condition(tests=names, order=Order.GIVEN), Condition(repeat=2)])

    assert (told.order, told.passed) == (names, frozenset(names))
    assert len(twice.order) == 6


def test_a_run_is_one_line_and_can_be_read_again(tmp_path: Path) -> None:
    project = lay(tmp_path, {"tests/test_m.py": "def test_subject():\n    assert 1 == 2\n"})
    run = runs(project, [Condition(hash_seed=7)])[0]
    line = run_line.write(run, gate="tests", tree="t", look=False)

    assert run_line.read(line) == (("tests", "t", False), run)
    assert run_line.read("{}") is None
    assert run.failures[SUBJECT] == "AssertionError | tests/test_m.py:test_subject: assert 1 == 2"


@pytest.mark.slow
def test_an_interrupted_search_is_taken_up(tmp_path: Path) -> None:
    project = lay(tmp_path, {"tests/test_m.py": "def test_subject():\n    pass\n"})
    runs(project, [Condition()])
    with benched(project) as made:
        assert made.laboratory.take_up() == 1
        again = made.laboratory.run(
            made.gate, [Condition(), Condition(hash_seed=3)], tree=made.tree
        )

    assert [run.of(SUBJECT) for run in again] == [Seen.PASSED, Seen.PASSED]
    assert len(next((project.state / "flaky").glob("*.jsonl")).read_text().splitlines()) == 2


ZONED = """\
import os, datetime


def test_subject():
    today = f"{datetime.datetime.now():%Y-%m-%d}"
    raise ValueError("/".join([os.environ["TZ"], today, os.environ["LC_ALL"]]))
"""


@pytest.mark.slow
def test_zone_clock_and_locale_reach_the_tests(tmp_path: Path) -> None:
    project = lay(tmp_path, {"tests/test_m.py": ZONED, "tests/conftest.py": CONFTEST})
    condition = Condition(
        zone="Asia/Tokyo", clock=datetime(2028, 2, 29, 20, tzinfo=UTC), locale="C"
    )
    run = runs(project, [condition])[0]

    assert "Asia/Tokyo/2028-03-01/C" in run.texts[SUBJECT]
