"""Node: the package's own test script, made to report in TAP where its runner can."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.app.survey.suite import Suite
from bot.app.survey.tree import TEST_FOLDERS, Tree, homes
from bot.core.contract import Dialect

#: what the test script calls -> the command that makes it report, and the dialect
RUNNERS: dict[str, tuple[str, Dialect]] = {
    "vitest": ("npx vitest run --reporter=tap-flat", Dialect.TAP),
    "mocha": ("npx mocha --reporter tap", Dialect.TAP),
    "ava": ("npx ava --tap", Dialect.TAP),
    "tape": ("npm test --silent", Dialect.TAP),
}
LOCKS = {
    "package-lock.json": "npm ci",
    "yarn.lock": "yarn install --frozen-lockfile",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
}
CALLS = (r"\b(npm|yarn|pnpm)( run)? t(est)?\b", r"\bnode --test\b", r"\b(vitest|mocha|jest|ava)\b")
TEST_FILES = re.compile(r".*\.(test|spec)\.[cm]?[jt]sx?")


def find(tree: Tree) -> Suite | None:
    package = _package(tree)
    script = str(package.get("scripts", {}).get("test", ""))
    if not script or "no test specified" in script:
        return None
    run, report = _command(script)
    return Suite(
        run=run,
        report=report,
        because=f"the test script of package.json: {script}",
        frozen=_frozen(tree),
        setup=_setup(tree, package),
        called_in_ci=CALLS,
    )


def _package(tree: Tree) -> Mapping[str, Any]:
    try:
        package = json.loads(tree.text("package.json") or "{}")
    except ValueError:
        return {}
    return package if isinstance(package, dict) else {}


def _command(script: str) -> tuple[str, Dialect]:
    for part in re.split(r"&&|;", script):
        if re.search(r"\bnode\b.* --test\b", f" {part}") and "--test-reporter" not in part:
            return part.strip().replace("--test", "--test --test-reporter=tap", 1), Dialect.TAP
    for runner, told in RUNNERS.items():
        if re.search(rf"\b{runner}\b", script):
            return told
    return "npm test", Dialect.EXIT


def _frozen(tree: Tree) -> tuple[str, ...]:
    inside = tuple(file for file in tree.files if TEST_FOLDERS & set(file.split("/")[:-1]))
    folders = tuple(home for home in homes(inside) if home.endswith("/"))
    loose = [file for file in tree.files if TEST_FILES.fullmatch(file) and file not in inside]
    endings = sorted({_ending(file) for file in loose})
    return (*folders[:8], *(f"**/*{ending}" for ending in endings))


def _ending(file: str) -> str:
    found = re.search(r"\.(test|spec)\.[cm]?[jt]sx?$", file)
    return found.group() if found else ""


def _setup(tree: Tree, package: Mapping[str, Any]) -> str:
    if not package.get("dependencies") and not package.get("devDependencies"):
        return ""
    return next((command for lock, command in LOCKS.items() if lock in tree), "npm install")
