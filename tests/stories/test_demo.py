"""The demonstration is told whole, and whatever ends it early leaves nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.stories.project import JAM, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ACTS = [
    "ada opens issue #1: A meeting that fits exactly is never offered",
    "ben puts the label `jam` on it",
    "GitHub sends issues.labeled, signed; jam answers 202",
    "  red on the base: 2 targets; 20 tests to keep",
    "  published on branch jam/issue-1-a-meeting-that-fits-exactly-is-never-off",
    "jam opens pull request #2: fix: A meeting that fits exactly is never offered (#1)",
    "check jam: success, Verified: 2 tests mended",
    "ben writes on it: /jam verify",
    "GitHub sends issue_comment.created, signed; jam answers 202",
    "check jam / verify: success, Verified: 2 tests mended",
]


@contextmanager
def demo(home: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    (home / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", JAM, "demo", *options],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(home / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def heard(process: subprocess.Popen[str], words: str) -> str:
    """Everything up to the line that has ``words``."""
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def left(home: Path) -> list[str]:
    """Processes whose root, or command line, is of this demonstration."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if os.fsencode(home) in words and entry.parent.name != str(os.getpid()):
            found.append(words.decode(errors="replace"))
    return found


def test_the_whole_story_is_told_and_kept(tmp_path: Path) -> None:
    began = time.monotonic()
    with demo(tmp_path, "--json") as process:
        out, said = process.communicate(timeout=200)
    took = time.monotonic() - began
    assert process.returncode == 0, said + out
    told = json.loads(out)
    places = [said.find(act) for act in ACTS]
    pages = {name: (tmp_path / path).read_text() for name, path in told["pages"].items()}

    assert process.returncode == 0
    assert places == sorted(places)
    assert -1 not in places
    assert told["verified"] is True
    assert told["checks"] == {"jam": "success", "jam / verify": "success"}
    assert "Fixes" in pages["pull"]
    assert "the same tree, the same verdict" in pages["pull"]
    assert 'href="check-verify.html"' in pages["pull"]
    assert "adjudicated" in pages["session-fix"]
    assert "while start + minutes &lt;= gap.end:" in pages["checkpoint"]
    assert "Traceback" not in said
    assert list((tmp_path / "tmp").iterdir()) == []
    assert left(tmp_path) == []
    assert took < 180  # on a machine that does other things


@pytest.mark.parametrize("moment", ["judging the base, run 1", "turn 1: repair"])
def test_interrupted_it_leaves_nothing(tmp_path: Path, moment: str) -> None:
    with demo(tmp_path) as process:
        heard(process, moment)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)

    assert process.returncode == 130
    assert said.endswith("interrupted; nothing is left of it\n")
    assert "Traceback" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tmp"]
    assert list((tmp_path / "tmp").iterdir()) == []
    assert left(tmp_path) == []


def test_killed_it_leaves_a_folder_that_the_next_one_takes(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        heard(process, "turn 1: repair")
        process.kill()
        process.wait(timeout=20)
    time.sleep(0.5)
    running, outside = left(tmp_path), list((tmp_path / "tmp").iterdir())
    (tmp_path / "tmp").rmdir()
    with demo(tmp_path, "--wait") as process:
        said = heard(process, "these stay up until Ctrl-C")
        address = re.search(r"pull +(http\S+)", said)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)

    assert running == []
    assert outside == []
    assert address
    assert process.returncode == 0
    assert "**Verified.**" in out


def test_a_folder_of_somebodys_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".demo").mkdir()
    (tmp_path / ".demo" / "mine").touch()
    with demo(tmp_path) as process:
        out, said = process.communicate(timeout=60)

    assert process.returncode == 2
    assert out == ""
    assert said == "jam: .demo is there already, and was not made by `jam demo`\n"
    assert (tmp_path / ".demo" / "mine").exists()
