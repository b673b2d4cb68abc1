"""Whoever interrupts jam does not wait for the tests that run just then, and loses nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.stories.project import FIX, Project, lay
from tests.stories.test_kill import processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
AT_ONCE_S = 15.0
FOREVER = "import time\n\n\ndef test_forever():\n    time.sleep(600)\n"
WHEN_VARIED = """\
import os
import time


def test_forever_where_the_hash_seed_is_another():
    time.sleep(600 if os.environ["PYTHONHASHSEED"] != "0" else 0)
"""


@contextmanager
def running(project: Project, argv: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        project.argv(*argv), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env=project.environment(),
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"it ended without {words!r}")


def interrupted(process: subprocess.Popen[str], *, times: int) -> tuple[int, str]:
    """The exit code, and what was said after; at once, or not at all."""
    time.sleep(1.0)  # the tests are running by now
    process.send_signal(signal.SIGINT)
    if times == 2:
        wait_for(process, "once more to leave at once")
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=AT_ONCE_S)
    return process.returncode, said


def entries(project: Project) -> list[str]:
    (ledger,) = project.state.glob("sessions/*/ledger.jsonl")
    return [json.loads(line)["fact"]["kind"] for line in ledger.read_text().splitlines()]


def session(project: Project) -> str:
    (folder,) = (project.state / "sessions").iterdir()
    return folder.name


def test_before_the_base_is_judged_it_rests_at_once(tmp_path: Path) -> None:
    project = lay(tmp_path, **{"tests/test_forever.py": FOREVER})
    with running(project, project.fixing("command:true")) as process:
        wait_for(process, "judging the base, run 1")
        code, said = interrupted(process, times=1)

    assert code == 75, said
    assert f"`jam resume {session(project)}` goes on from here" in said
    assert entries(project)[-1] == "suspended"
    assert processes_of(project) == []

    again = ["resume", session(project), "--state", str(project.state)]
    with running(project, again) as process:
        wait_for(process, "judging the base, run 1")
        assert interrupted(process, times=1)[0] == 75


def test_a_second_interrupt_waits_for_no_clean_room(tmp_path: Path) -> None:
    project = lay(tmp_path, **{"tests/test_varied.py": WHEN_VARIED})
    with running(project, project.fixing(project.script(FIX))) as process:
        wait_for(process, "adjudication, run 1: green")
        before = entries(project)
        code, said = interrupted(process, times=2)

    assert code == 130, said
    assert f"left as it stands: `jam resume {session(project)}`" in said
    assert entries(project) == before
    assert processes_of(project) == []

    again = ["resume", session(project), "--state", str(project.state)]
    with running(project, again) as process:
        wait_for(process, "adjudication, run 1: green")
        assert interrupted(process, times=2)[0] == 130
