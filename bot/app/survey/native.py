"""Languages whose own tool runs the tests, and the makefile that is asked when nothing else is."""

from __future__ import annotations

import re

from bot.app.survey.suite import Suite
from bot.app.survey.tree import TEST_FOLDERS, Tree, homes
from bot.core.contract import Dialect


def find_go(tree: Tree) -> Suite | None:
    if "go.mod" not in tree or not tree.named("*_test.go"):
        return None
    data = ("**/testdata/",) if any("testdata" in file.split("/") for file in tree.files) else ()
    return Suite(
        run="go test -json ./...",
        report=Dialect.GO_JSON,
        because="go.mod and *_test.go",
        frozen=("**/*_test.go", *data),
        setup="go mod download" if "go.sum" in tree else "",
        called_in_ci=(r"\bgo test\b",),
    )


def find_rust(tree: Tree) -> Suite | None:
    if "Cargo.toml" not in tree:
        return None
    return Suite(
        run="cargo test --offline",
        report=Dialect.EXIT,
        because="Cargo.toml",
        frozen=_folders(tree),
        setup="cargo fetch",
        called_in_ci=(r"\bcargo test\b",),
    )


def find_make(tree: Tree) -> Suite | None:
    for name in ("Makefile", "makefile", "GNUmakefile"):
        target = re.search(r"^(test|check)\s*:(?!=)", tree.text(name), re.M)
        if target:
            run = f"make {target.group(1)}"
            return Suite(
                run=run,
                report=Dialect.EXIT,
                because=f"the {target.group(1)} target of {name}",
                frozen=_folders(tree),
                called_in_ci=(rf"\b{run}\b",),
            )
    return None


def _folders(tree: Tree) -> tuple[str, ...]:
    inside = tuple(file for file in tree.files if TEST_FOLDERS & set(file.split("/")[:-1]))
    return homes(inside)[:8]
