"""
The workflows that ``jam init --workflows`` writes: those of the folder ``workflows``, with this
repository's own names in them.

Decides what is filled in, and writes over nothing. Which commit of jam a workflow runs is never
guessed: it is asked for, or known from where this jam was installed from.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

import bot
from bot.app.requests import Answer
from bot.core import contract_file
from bot.errors import RepositoryUnusable, RequestError

NAMES = ("fix", "verify", "flaky")
FOLDER = ".github/workflows"
BLANK = "OWNER/jam@0000000000000000000000000000000000000000 # the commit of a release"
PIN = re.compile(r"[A-Za-z0-9_-]{1,39}/[A-Za-z0-9._-]{1,100}@[0-9a-f]{40}")
USUAL_PYTHON = "3.12"
_NAME = re.compile(r"^name:[ \t]*(.+?)[ \t]*(?:#.*)?$", re.MULTILINE)
_MINOR = re.compile(r"3\.\d{1,2}")


class WhichCommit(RequestError):
    """Which commit of jam?"""


class WorkflowThere(RequestError):
    """There is such a workflow already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """``watched``: names of the workflows whose failing asks for a session."""

    action: str
    python: str
    watched: tuple[str, ...]
    oracles: tuple[str, ...]

    def of(self, template: str) -> str:
        watched = ", ".join(json.dumps(name, ensure_ascii=False) for name in self.watched)
        named = f"Which oracle judges: {', '.join(self.oracles)}"
        text = template.replace(BLANK, self.action)
        text = text.replace("[CI] # the names of yours", f"[{watched}]")
        text = text.replace("python-version: '3.12'", f"python-version: '{self.python}'")
        if self.oracles:
            text = text.replace("Which oracle of the contract judges", json.dumps(named))
        return text


def write(repo: Path, *, action: str, force: bool) -> Answer:
    filling = look(repo, action=action)
    texts = {f"{FOLDER}/jam-{name}.yml": filling.of(template(name)) for name in NAMES}
    there = [name for name in texts if (repo / name).exists() or (repo / name).is_symlink()]
    if there and not force:
        raise WorkflowThere(f"{', '.join(there)}: there already; --force writes over them")
    try:
        (repo / FOLDER).mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (repo / name).write_text(text, encoding="utf-8")
    except OSError as full:
        raise RepositoryUnusable(f"{repo / FOLDER}: {full.strerror}") from full
    lines = [f"{name} written." for name in texts]
    lines.append(
        "Read them, commit them to the default branch, and in the repository's settings (Actions, "
        "General) allow GitHub Actions to create pull requests."
    )
    return Answer(text="\n".join(lines), document={"workflows": texts})


def look(repo: Path, *, action: str) -> Filling:
    return Filling(
        action=_pinned(action),
        python=_python(repo),
        watched=_watched(repo) or ("CI",),
        oracles=_oracles(repo),
    )


def template(name: str) -> str:
    """Inside an installed package, or beside it in a checkout of the source."""
    package = Path(bot.__file__).parent
    places = (package / "workflows", package.parent / "workflows")
    return next(p for p in places if p.is_dir()).joinpath(f"{name}.yml").read_text()


def _pinned(action: str) -> str:
    named = action or _installed_from()
    if not PIN.fullmatch(named):
        told = f"{action!r} is not" if action else "it is not known where this jam is from:"
        raise WhichCommit(f"{told} OWNER/NAME@COMMIT; name it, whole, with --action")
    return named


def _installed_from() -> str:
    """As the installer wrote it down, where jam came from a repository."""
    try:
        said = json.loads(metadata.distribution("jam").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    path = urlsplit(str(said.get("url", ""))).path.strip("/").removesuffix(".git")
    return f"{path}@{said.get('vcs_info', {}).get('commit_id', '')}"


def _python(repo: Path) -> str:
    """The oldest that the project says it takes."""
    said = _read(repo / ".python-version") or _requires(repo)
    found = _MINOR.search(said)
    return found[0] if found else USUAL_PYTHON


def _requires(repo: Path) -> str:
    try:
        project = tomllib.loads(_read(repo / "pyproject.toml")).get("project", {})
    except tomllib.TOMLDecodeError:
        return ""
    return str(project.get("requires-python", "")) if isinstance(project, dict) else ""


def _watched(repo: Path) -> tuple[str, ...]:
    """Every other workflow that has a name."""
    found = []
    for path in sorted((repo / FOLDER).glob("*.y*ml")):
        named = _NAME.search(_read(path))
        if named and not path.name.startswith("jam-"):
            found.append(_unquoted(named[1]))
    return tuple(found)


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        return name[1:-1]
    return name


def _oracles(repo: Path) -> tuple[str, ...]:
    text = _read(repo / ".github/jam.yml")
    return tuple(contract_file.read(text.encode(), name=".github/jam.yml").oracles) if text else ()


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
