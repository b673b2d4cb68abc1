"""The parts of the search, imported as the repository's interpreter would import them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import bot.inside

sys.path.insert(0, str(Path(bot.inside.__file__).parent))

from jam_repair import ids, rank, suspicion  # the folder has to be there first
from jam_repair.source import Source, splice

sys.path.pop(0)

__all__ = ["changes", "ids", "source", "suspicion"]


def source(text: str, path: str = "shop.py") -> Source:
    return Source(path, f"/nowhere/{path}", text.encode())


def changes(text: str, *, types: dict[str, set[str]] | None = None) -> dict[str, set[str]]:
    """Every text that can be made of ``text``, with the operators that make it."""
    one = source(text)
    scores = suspicion.statements(one, dict.fromkeys(range(1, len(text.splitlines()) + 1), 1.0))
    scores.update({n: 1.0 for n in one.nodes if isinstance(n, ast.FunctionDef)})
    of = types or {}
    known = {
        ("shop.py", node.lineno): of for node in one.nodes if isinstance(node, ast.FunctionDef)
    }
    found: dict[str, set[str]] = {}
    for candidate in rank.candidates({one: scores}, known):
        made = splice(one.text, candidate.splices)
        found.setdefault(made, set()).add(candidate.op)
    return found
