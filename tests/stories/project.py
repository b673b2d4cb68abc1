"""A small repository with a bug, and jam as a person runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
JAM = "import sys; from bot.cli import main; sys.exit(main())"
PRODUCT = """\
def free(total, taken):
    \"\"\"How much is left; never less than nothing.\"\"\"
    left = total - taken
    return left if left > 1 else 0


def share(total, people):
    return total // people
"""
FIXED = PRODUCT.replace("left > 1", "left > 0")
TESTS = """\
from ledgerlib import free, share


def test_one_is_left():
    assert free(3, 2) == 1


def test_nothing_is_left():
    assert free(2, 2) == 0


def test_never_less_than_nothing():
    assert free(1, 2) == 0


def test_shares():
    assert share(9, 3) == 3
"""
CONTRACT = """\
version: 1
oracles:
  unit:
    gates:
      - run: {python} -m pytest -q -p no:cacheprovider
"""
TARGET = "tests/test_free.py::test_one_is_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What jam said: exit code, the document of ``--json``, and what went to standard error."""

    exit_code: int
    document: Mapping[str, Any]
    errors: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    home: Path
    more: Mapping[str, str] = field(default_factory=dict)  # variables of the person

    @property
    def repo(self) -> Path:
        return self.home / "repo"

    @property
    def state(self) -> Path:
        return self.home / "state"

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repo), *args], capture_output=True, check=True, text=True
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, files: Mapping[str, str], message: str = "base") -> str:
        self.write(files)
        self.git("add", "--all")
        self.git("-c", "user.name=ada", "-c", "user.email=a@b", "commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def script(self, text: str) -> str:
        """The agent that does what ``text`` says."""
        path = self.home / f"script-{abs(hash(text))}.yml"
        path.write_text(text)
        return f"scripted:{path}"

    def argv(self, *words: str) -> list[str]:
        return [
            sys.executable,
            "-c",
            "import sys; from bot.cli import main; sys.exit(main())",
            *words,
        ]

    def jam(self, *words: str, stdin: str = "") -> Told:
        done = subprocess.run(
            self.argv(*words), input=stdin, capture_output=True, text=True, env=self.environment()
        )
        document = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        return Told(exit_code=done.returncode, document=document, errors=done.stderr)

    def fix(self, agent: str, *more: str) -> Told:
        return self.jam(*self.fixing(agent), *more)

    def fixing(self, agent: str) -> list[str]:
        return [
            "fix", "--repo", str(self.repo), "--issue", str(self.home / "issue.md"),
            "--agent", agent, "--state", str(self.state), "--json",
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), **self.more}


def lay(home: Path, *, contract: str = CONTRACT, **files: str) -> Project:
    """A repository on branch main, its base commit red by one test."""
    project = Project(home=home)
    project.repo.mkdir(parents=True)
    project.git("init", "-q", "-b", "main")
    (home / "issue.md").write_text("# One is left and I am told nothing is\n\nfree(3, 2) is 0.\n")
    project.commit(
        {
            "ledgerlib.py": PRODUCT,
            "tests/test_free.py": TESTS,
            ".github/jam.yml": contract.format(python=sys.executable),
            **files,
        }
    )
    return project


FIX = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- finish: true
"""
