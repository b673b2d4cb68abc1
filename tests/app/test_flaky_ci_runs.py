"""What CI's own runs point at, and the folder in which it is handed on."""

from __future__ import annotations

from pathlib import PurePosixPath

from bot.app.flaky import ci_runs, remember
from bot.core.flaky.history import Attempt, point
from tests.ports.forges import MemoryGround

HEAD, OTHER = "a" * 40, "b" * 40
TEST = "tests/test_a.py::test_b[<1 & 2>]"
LOG = f"=== short test summary info ===\nFAILED {TEST} - assert 1 == 2\n1 failed\n"
JOB = "test (3.12, ubuntu/latest)"


def test_a_job_that_failed_and_passed_on_one_commit_names_its_tests() -> None:
    ground = MemoryGround()
    ground.run_ci(HEAD, {JOB: ("failure", LOG), "lint": ("failure", LOG)})
    ground.run_ci(HEAD, {JOB: ("success", ""), "lint": ("failure", LOG)})
    ground.run_ci(OTHER, {JOB: ("failure", LOG)})

    (found,) = ci_runs.of(ground.forge)

    assert (found.commit, found.job, found.again) == (HEAD, JOB, frozenset({TEST}))


def test_a_job_that_only_fails_points_at_nothing() -> None:
    ground = MemoryGround()
    ground.run_ci(HEAD, {JOB: ("failure", LOG)})
    ground.run_ci(HEAD, {JOB: ("failure", LOG)})

    assert ci_runs.of(ground.forge) == ()


def test_what_is_handed_on_is_read_as_it_was_written() -> None:
    odd = "tests/../x\x00"
    written = remember.files(
        [Attempt(commit=HEAD, job="../" + JOB, attempt="7", again=frozenset({TEST, odd}))]
    )

    read, refused = remember.attempts(written)

    (path,) = written
    assert path == PurePosixPath(HEAD, "-test (3.12- ubuntu-latest)", "7.xml")
    assert refused == ()
    assert [(one.test, one.proven) for one in point(read)] == [
        ("tests/../x", True),
        (TEST, True),
    ]
