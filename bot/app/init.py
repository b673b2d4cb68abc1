"""
Writes a first ``.github/jam.yml`` by looking at the repository. Runs nothing, overwrites nothing
unless told to, and reads back what it is about to write: a file that jam could not read is a bug.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.app import survey, workflows
from bot.app.requests import Answer
from bot.app.survey import checks
from bot.app.survey.suite import Suite
from bot.app.survey.tree import Tree, look
from bot.core import contract_file, yaml_lines
from bot.core.contract import Dialect
from bot.errors import RepositoryUnusable, RequestError

PLACE = ".github/jam.yml"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest:
    repo: Path
    force: bool = False  # write over a file that is there
    only_print: bool = False
    workflows: bool = False  # those of the Action, too
    action: str = ""  # OWNER/NAME@COMMIT of jam, for them


class NoSuiteFound(RequestError):
    """The repository's tests are of no kind that jam knows."""


class AlreadyThere(RequestError):
    """There is a contract already."""


def init(request: InitRequest) -> Answer:
    if not request.repo.is_dir():
        raise RepositoryUnusable(f"{request.repo} is not a folder")
    if request.workflows:
        return _with_workflows(request)
    path = request.repo / PLACE
    if not (request.force or request.only_print) and (path.exists() or path.is_symlink()):
        raise AlreadyThere(f"{path} is there already; --force writes over it, --print only prints")
    text, suites = compose(look(request.repo))
    if request.only_print:
        return Answer(text=text, document={"path": None, "contract": text})
    _write(path, text)
    return Answer(text=_told(path, suites), document={"path": str(path), "contract": text})


def _with_workflows(request: InitRequest) -> Answer:
    """A contract that is there is the one that they work by."""
    path = request.repo / PLACE
    first = "" if path.exists() else f"{init(replace(request, workflows=False)).text}\n"
    written = workflows.write(request.repo, action=request.action, force=request.force)
    return Answer(text=f"{first}{written.text}", document=written.document)


def compose(tree: Tree) -> tuple[str, Mapping[str, Suite]]:
    """The text of the file, and what was found."""
    found = survey.suites(tree)
    if not found:
        raise NoSuiteFound(
            f"no tests were recognised in {tree.root}: jam knows pytest, unittest, npm test, "
            f"go test, cargo test and make test; `jam schema` shows what {PLACE} may say"
        )
    suites = {"unit": next(iter(found.values()))} if len(found) == 1 else found
    text = "\n".join(_lines(suites, tree=tree)) + "\n"
    contract_file.read(text, name=PLACE)
    return text, suites


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as full:
        raise RepositoryUnusable(f"{path} cannot be written: {full.strerror}") from full


def _told(path: Path, suites: Mapping[str, Suite]) -> str:
    lines = [f"{path} written."]
    lines += [
        f"  {name}: {suite.run}  (because of {suite.because})" for name, suite in suites.items()
    ]
    doctor = f"`jam doctor --repo {shlex.quote(str(path.parent.parent))}`"
    return "\n".join([*lines, f"Read it, commit it, then try {doctor} and `jam fix`."])


def _lines(suites: Mapping[str, Suite], *, tree: Tree) -> Iterator[str]:
    yield "# What jam may do here, and how it is judged. `jam schema` prints every key there is."
    yield "version: 1"
    setups = [suite.setup for suite in suites.values() if suite.setup]
    if setups:
        yield ""
        yield "# Run once, before any agent exists. This one may use the network."
        yield f"setup: {_scalar(' && '.join(setups))}"
    yield ""
    yield "# The judges: every gate must be green. Commands run offline, in an isolated copy."
    yield "oracles:"
    for name, suite in suites.items():
        yield from _oracle(name, suite)
    yield from _checks(suites, tree=tree)
    if any(suite.report is Dialect.EXIT for suite in suites.values()):
        yield ""
        yield "# An exit code cannot tell one test from another: less is proven (L2 instead of L3)."
        yield "publish: {accept: L2}"


def _oracle(name: str, suite: Suite) -> Iterator[str]:
    yield f"  {name}:"
    yield "    gates:"
    yield f"      - run: {_scalar(suite.run)}  # because of {_comment(suite.because)}"
    yield f"        report: {suite.report.value}"
    if suite.frozen:
        yield "    # Restored before every run: an agent cannot change what judges it."
        yield f"    frozen: [{', '.join(map(_item, suite.frozen))}]"


def _checks(suites: Mapping[str, Suite], *, tree: Tree) -> Iterator[str]:
    named = {check: name for name, suite in suites.items() for check in checks.of(suite, tree=tree)}
    if named:
        yield ""
        yield "# Which oracle judges which failing check."
        yield "checks:"
        for check, name in named.items():
            yield f"  {_item(check)}: {name}"


def _comment(text: str) -> str:
    return " ".join(text.split())


def _scalar(text: str) -> str:
    """As it stands where YAML reads it as it stands, else quoted."""
    is_plain = re.fullmatch(r"[A-Za-z0-9_./][^\n]*", text) and not re.search(r": | #|[:\s]$", text)
    return text if is_plain and yaml_lines.scalar(text) == text else json.dumps(text)


def _item(text: str) -> str:
    """Inside brackets, and as a key, fewer characters are plain."""
    is_plain = re.fullmatch(r"[A-Za-z0-9_.][A-Za-z0-9_./-]*", text)
    return (
        text
        if is_plain and yaml_lines.scalar(text) == text
        else json.dumps(text, ensure_ascii=False)
    )
