"""
SIGKILL at any moment, then ``jam resume``: the same outcome as undisturbed, one branch, nothing
left running.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.stories.project import FIXED, Project, Told, lay

SCRIPT = """\
- shell: echo one > notes.txt
- edit: {path: ledgerlib.py, old: "left > 1", new: "left > 2"}
- finish: true
- edit: {path: ledgerlib.py, old: "left > 2", new: "left > 0"}
- finish: true
"""
RESTS = 75


def outcome(told: Told) -> tuple[int, object, object, object]:
    document = told.document
    return (
        told.exit_code,
        document.get("outcome"),
        document.get("tree"),
        document.get("oracle", {}).get("baseline"),
    )


def processes_of(project: Project) -> list[str]:
    """Command lines of living processes that name this project."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(project.home) in line and b"pytest" not in line:
                found.append(line.decode(errors="replace"))
    return found


def killed(project: Project, *, after_s: float, argv: list[str]) -> bool:
    """True when it was killed; False when it had ended before."""
    process = subprocess.Popen(
        project.argv(*argv),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=project.environment(),
        start_new_session=True,
    )
    try:
        process.wait(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    return False


def sessions(project: Project) -> list[str]:
    folder = project.state / "sessions"
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


def resumed(project: Project) -> Told:
    (session,) = sessions(project)
    return project.jam("resume", session, "--state", str(project.state), "--json")


def begun(project: Project) -> bool:
    """Whether a first entry was written: before that there is no session."""
    return any(
        ledger.stat().st_size > 0 for ledger in project.state.glob("sessions/*/ledger.jsonl")
    )


def survived(
    project: Project, chance: random.Random, expected: object, *, longest_s: float
) -> None:
    """Killed again and again, at most four times, and then left alone to end."""
    agent = project.script(SCRIPT)
    if not killed(project, after_s=chance.uniform(0, longest_s), argv=project.fixing(agent)):
        return
    if not begun(project):
        assert outcome(project.fix(agent)) == expected
        return
    for _ in range(chance.randint(0, 3)):
        (session,) = sessions(project)
        again = ["resume", session, "--state", str(project.state), "--json"]
        if not killed(project, after_s=chance.uniform(0, longest_s), argv=again):
            break
    told = resumed(project)
    assert outcome(told) == expected, told.errors


def check(home: Path, seed: int) -> None:
    chance = random.Random(seed)
    calm = lay(home / "calm")
    began = time.monotonic()
    expected = outcome(calm.fix(calm.script(SCRIPT)))
    took = time.monotonic() - began
    project = lay(home / "killed")
    survived(project, chance, expected, longest_s=took)

    assert expected[:2] == (0, "verified")
    (branch,) = [name for name in project.branches() if name != "main"]
    assert project.git("show", f"{branch}:ledgerlib.py") == FIXED.strip()
    deadline = time.monotonic() + 5
    while processes_of(project) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_of(project) == []
    for name in sessions(project):
        ledger = project.state / "sessions" / name / "ledger.jsonl"
        if ledger.exists() and ledger.stat().st_size:
            checked = project.jam("ledger", "check", str(ledger), "--json")
            assert checked.exit_code == 0, json.dumps(checked.document)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(12))
def test_a_session_that_is_killed_anywhere_ends_as_if_it_had_not_been(
    tmp_path: Path, seed: int
) -> None:
    check(tmp_path, seed)
