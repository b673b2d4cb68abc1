"""
Lays the bundled example out as a fresh repository of one commit.

The gate's ``python`` becomes the interpreter that runs jam: an example cannot count on another one
that has pytest. Only a folder that was laid here before is ever replaced.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import bot
from bot.adapters.git import Git
from bot.errors import RequestError

NAME = "meetings"
FLAKY = "raffle"
SUBJECTS = {NAME: "Find free time between appointments", FLAKY: "Sell tickets and draw winners"}
MARK = ".laid-by-jam"
CONTRACT = ".github/jam.yml"


class ExampleUnusable(RequestError):
    """The bundled example cannot be laid out here."""


@dataclass(frozen=True, slots=True)
class Laid:
    repo: Path
    issue: Path  # beside it, where the example has one


def lay(into: Path, *, sandbox: str = "", name: str = NAME) -> Laid:
    """A new repository under ``into``, and the issue beside it; ``sandbox``: what its contract
    asks for."""
    if find_spec("pytest") is None:
        raise ExampleUnusable("the example's tests need pytest: python -m pip install pytest")
    if into.exists() and not (into / MARK).is_file():
        raise ExampleUnusable(f"{into} is there already, and was not made by `jam demo`")
    try:
        laid = _copy(into, sandbox, name)
    except OSError as full:
        raise ExampleUnusable(f"{into} cannot be made: {full.strerror}") from full
    git = Git(cwd=laid.repo)
    git.run("init", "--quiet", "--initial-branch=main", ".")
    git.run("add", "--all")
    git.run("commit", "--quiet", "--message", SUBJECTS[name])
    return laid


def _copy(into: Path, sandbox: str, name: str) -> Laid:
    source = _bundled() / name
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    (into / MARK).touch()
    laid = Laid(into / name, into / "issue.md")
    shutil.copytree(source / "project", laid.repo, ignore=shutil.ignore_patterns("__pycache__"))
    if (source / "issue.md").exists():
        shutil.copy(source / "issue.md", laid.issue)
    contract = laid.repo / CONTRACT
    python = shlex.quote(sys.executable)
    text = contract.read_text().replace("run: python ", f"run: {python} ")
    contract.write_text(text + (f"sandbox: {{kind: {sandbox}}}\n" if sandbox else ""))
    return laid


def _bundled() -> Path:
    """Inside an installed package, or beside it in a checkout of the source."""
    package = Path(bot.__file__).parent
    return next(
        (place for place in (package / "examples", package.parent / "examples") if place.is_dir()),
        package / "examples",
    )
