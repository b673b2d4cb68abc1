"""
What a change looks like: how far from what a person writes, and whether it only silences.

Judges texts and trees, never behaviour.
"""

from __future__ import annotations

import ast
import difflib
import re
from typing import NamedTuple, Sequence

from .rank import Candidate
from .source import FUNCTIONS, FunctionNode, splice

#: What a kind of edit costs beside its size: people write some more often than others.
COST = {
    "delete": 15, "insert guard": 14, "move": 10, "alternative": 20, "off by one": 5, "extend": 8,
    "unwrap": 6, "condition": 6, "insert statement": 6, "expression": 5, "accumulate": 4, "wrap": 4,
    "decorate": 20, "parameter": 15, "target": 4, "leave": 4, "both sides": 4,
}  # fmt: skip
SILENCES, SPOILS, CLUMSINESS = 25.0, 24.0, 4.0
CLUMSY = (
    r"[<>]=? [\w.()\[\]]+ [+-] 1\b",  # a comparison with an off-by-one beside it
    r"[+-] 1 [<>]=?",
    r"1 [+-] 1\b",
    r"\b(\w+) [-/] \1\b",
    r"- -|\+ -",
    r"\bnot not\b",
    r"\bTrue (and|or)\b",
    r"\blen\([\w.]+\[",
    r"\b(max|min|int|str|list|len)\(\1\(",
)


class Looks(NamedTuple):
    cost: float
    why: str  # what speaks against it, as half a sentence; empty for nothing


def looks(candidate: Candidate) -> Looks:
    cost = 3.0 * _changed(candidate) ** 0.5 + COST.get(candidate.op, 0)
    cost += 3.0 * (len(candidate.splices) - 1) + CLUMSINESS * _clumsy(candidate)
    faults = [fault for fault in (_silences(candidate), *_spoils(candidate)) if fault]
    cost += sum(SILENCES if "silence" in fault else SPOILS for fault in faults)
    return Looks(cost, ", and ".join(faults))


def edited(candidate: Candidate) -> tuple[str, str]:
    """The changed lines, before and after, for a person."""
    text, start = candidate.source.text, min(s for s, _, _ in candidate.splices)
    end = max(e for _, e, _ in candidate.splices)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(end - 1, start))
    last = len(text) if last < 0 else last
    moved = tuple((s - first, e - first, new) for s, e, new in candidate.splices)
    return text[first:last], splice(text[first:last], moved)


def is_parsed(candidate: Candidate) -> bool:
    return _tree(candidate.text) is not None


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _changed(candidate: Candidate) -> float:
    """Characters that really differ; those that are only taken away count a half more."""
    total = 0.0
    for start, end, new in candidate.splices:
        old = candidate.source.text[start:end]
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            if tag != "equal":
                taken, given = len("".join(old[i1:i2].split())), len("".join(new[j1:j2].split()))
                total += max(taken, given) * (1.5 if tag == "delete" else 1.0)
    return max(total, 1.0)


def _silences(candidate: Candidate) -> str:
    new = " ".join(text for _, _, text in candidate.splices)
    early = re.search(r"return( None| \[\]| ''| 0| True| False)?\s*$", new)
    if candidate.op == "delete":
        return "it silences by taking away"
    if re.search(r"\b(if|while|elif) (True|False|0|1|None)\b", new):
        return "it silences a condition"
    if candidate.op == "insert guard" and early:
        return "it silences by leaving early"
    return "it silences by leaving early" if re.fullmatch(r"\s*return\s*", new) else ""


def _clumsy(candidate: Candidate) -> int:
    before, after = edited(candidate)
    return sum(len(re.findall(shape, after)) > len(re.findall(shape, before)) for shape in CLUMSY)


def _spoils(candidate: Candidate) -> Sequence[str]:
    """What the function loses by the change, beside what was wrong with it."""
    before = candidate.unit
    if not isinstance(before, FUNCTIONS):
        return ()
    tree = _tree(candidate.text)
    after = _find(tree, before) if tree is not None else None
    if after is None:
        return ()
    faults = []
    if _ends(before.body) and not _ends(after.body) and _returns(after):
        faults.append("the function may now return nothing")
    lost = sorted(_unused(after) - _unused(before))
    if lost:
        faults.append(f"{', '.join(lost)} is no longer used")
    if len(_literals(after)) > len(_literals(before)):
        faults.append("it returns another type than the function does elsewhere")
    if _calls_itself(before) > _calls_itself(after):
        faults.append("the function no longer calls itself there")
    return faults


def _find(tree: ast.Module, function: FunctionNode) -> FunctionNode | None:
    """The function of that name that begins where the other did."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and node.name == function.name:
            if node.lineno == function.lineno:
                return node
    return None


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether control never falls off the end."""
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return _ends(last.body)
    if isinstance(last, ast.While):
        endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return endless and not any(isinstance(n, ast.Break) for n in ast.walk(last))
    if isinstance(last, ast.Try):
        return _ends(last.body) and all(_ends(handler.body) for handler in last.handlers)
    return False


def _returns(function: FunctionNode) -> bool:
    return any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function))


def _literals(function: FunctionNode) -> set[str]:
    """The types of the constants that are returned, None left out."""
    return {
        type(node.value.value).__name__
        for node in ast.walk(function)
        if isinstance(node, ast.Return)
        and isinstance(node.value, ast.Constant)
        and node.value.value is not None
    }


def _unused(function: FunctionNode) -> set[str]:
    """Names that are bound in the function and never read."""
    bound: set[str] = set()
    read: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, FUNCTIONS) and node is not function:
            bound.add(node.name)
    return {name for name in bound - read if not name.startswith("_")}


def _calls_itself(function: FunctionNode) -> int:
    names = {node.name for node in ast.walk(function) if isinstance(node, FUNCTIONS)}
    return sum(
        isinstance(node, ast.Call)
        and (getattr(node.func, "id", None) or getattr(node.func, "attr", None)) in names
        for node in ast.walk(function)
    )
