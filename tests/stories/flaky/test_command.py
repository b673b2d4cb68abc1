"""``jam flaky`` as a person runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stories.flaky.suites import QUIET, SUBJECT, SUITES, files_of, lay
from tests.stories.project import Project, Told

WORDS = ["flaky", "--repo"]


def jam(project: Project, *more: str) -> Told:
    return project.jam(*WORDS, str(project.repo), "--state", str(project.state), "--json", *more)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_victim_is_found_told_and_shown(tmp_path: Path) -> None:
    project = lay(tmp_path, files_of(SUITES["victim"]))
    told = jam(project, "--budget", "1.5")

    assert told.exit_code == 1, told.errors
    found = told.document["findings"][0]
    assert (found["test"], found["standing"], found["category"], found["polluters"]) == (
        SUBJECT,
        "flaky",
        "order-dependent: victim",
        ["tests/test_z.py::test_polluter"],
    )
    assert found["command"].endswith(f"tests/test_z.py::test_polluter {SUBJECT}")
    page = Path(told.document["page"]).read_text()
    assert "1 test is flaky, from one cause." in page
    assert "tests/test_z.py::test_polluter" in page
    assert re.findall(r'(?:src|href)="', page) == []  # it needs nothing else
    assert list((project.state / "sessions").iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_stable_suite_and_a_broken_test_are_not_flaky(tmp_path: Path) -> None:
    broken = "def test_broken():\n    assert 1 == 2\n"
    project = lay(tmp_path, {"tests/test_a.py": QUIET, "tests/test_b.py": broken})
    told = jam(project, "--budget", "0.25")

    assert (told.exit_code, told.document["findings"]) == (0, []), told.errors
    assert [test for test, _ in told.document["broken"]] == ["tests/test_b.py::test_broken"]


@pytest.mark.slow
def test_nothing_collected_is_no_baseline(tmp_path: Path) -> None:
    project = lay(tmp_path, {"tests/empty.py": ""})
    told = jam(project, "--budget", "1")

    assert (told.exit_code, told.document["tests"]) == (3, 0), told.errors
    assert "no tests were collected" in told.document["unjudged"][0]["why"]


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_session_that_dies_is_counted_apart(tmp_path: Path) -> None:
    dying = (
        "import os\n\ndef test_first():\n    os.environ['SEEN'] = '1'\n\n"
        "def test_second():\n    if 'SEEN' not in os.environ:\n        os._exit(3)\n"
    )
    project = lay(tmp_path, {"tests/test_a.py": QUIET, "tests/test_b.py": dying})
    told = jam(project, "--budget", "0.25")

    assert (told.exit_code, told.document["findings"]) == (0, []), told.errors
    assert any("runs tell nothing" in one["why"] for one in told.document["unjudged"])


def test_a_gate_without_ids_is_refused_in_one_sentence(tmp_path: Path) -> None:
    project = lay(tmp_path, {"a.txt": ""}, report="exit")
    contract = (project.repo / ".github/jam.yml").read_text()
    project.commit({".github/jam.yml": contract + "publish: {accept: L2}\n"})
    told = jam(project)

    assert told.exit_code == 2
    assert "reports only exit codes" in told.document["message"]


HISTORY = """\
<testsuites><testsuite name="pytest"><testcase classname="tests.test_m" name="test_subject">{}
</testcase></testsuite></testsuites>
"""


def test_a_history_without_files_is_refused_in_one_sentence(tmp_path: Path) -> None:
    project = lay(tmp_path, files_of(SUITES["random"]))
    (tmp_path / "history").mkdir()
    told = jam(project, "--history", str(tmp_path / "history"), "--budget", "0.2")

    assert told.exit_code == 2
    assert "holds no JUnit file" in told.document["message"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_history_is_looked_at_first_and_told(tmp_path: Path) -> None:
    project = lay(tmp_path, files_of(SUITES["random"]))
    for attempt, inner in (("1", '<failure message="x">y</failure>'), ("2", "")):
        place = tmp_path / "history" / "abc1234" / "py311" / attempt
        place.mkdir(parents=True)
        (place / "junit.xml").write_text(HISTORY.format(inner))
    told = jam(project, "--history", str(tmp_path / "history"), "--budget", "0.4")

    (found,) = told.document["findings"]  # how far it got depends on the machine
    said = "said: in CI's history on abc1234 in py311 it failed in 1 of 2 attempts"
    assert (found["test"], any(why.startswith(said) for why in found["why"])) == (SUBJECT, True)
