"""
What a repository's own tests are and how they are run, found out by looking at its files.

Nothing is executed. A finder is one function from the files to the suite it recognises, or None;
a new language is a new module and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.app.survey import native, node, python
from bot.app.survey.suite import Suite
from bot.app.survey.tree import Tree

#: in the order in which their oracles are written
FINDERS: dict[str, Callable[[Tree], Suite | None]] = {
    "python": python.find,
    "node": node.find,
    "go": native.find_go,
    "rust": native.find_rust,
    "make": native.find_make,
}


def suites(tree: Tree) -> dict[str, Suite]:
    """The suites that tell one test from another; only where there is none, those that do not."""
    found = {name: suite for name, find in FINDERS.items() if (suite := find(tree)) is not None}
    with_ids = {name: suite for name, suite in found.items() if suite.report.has_ids}
    return with_ids or dict(list(found.items())[:1])
