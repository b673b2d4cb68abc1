"""
The table of operators: name, prior, function.

The priors come from how often each kind of edit was the human one on bugs seen before; order inside
a kind is by weight.
"""

from __future__ import annotations

from . import (
    calls,
    comparisons,
    insertions,
    literals,
    parts,
    patterns,
    signatures,
    statements,
    values,
)
from .site import Operator

EXPRESSIONS: tuple[tuple[str, float, Operator], ...] = (
    ("comparison", 1.0, comparisons.comparison),
    ("constant", 0.9, values.constant),
    ("off by one", 0.9, values.off_by_one),
    ("arithmetic", 0.8, values.arithmetic),
    ("name", 0.8, values.name),
    ("bound", 0.35, comparisons.bound),
    ("logic", 0.7, comparisons.logic),
    ("unwrap", 0.6, calls.unwrap),
    ("function", 0.7, calls.function),
    ("arguments", 0.6, calls.arguments),
    ("wrap", 0.45, calls.wrap),
    ("subscript", 0.45, parts.subscript),
    ("sequence", 0.5, parts.sequence),
    ("types", 0.6, comparisons.types_widened),
    ("wrap own", 0.3, calls.wrap_own),
    ("condition", 0.45, comparisons.condition),
    ("accumulate", 0.4, values.accumulate),
    ("extend", 0.4, values.extend),
    ("expression", 0.4, values.pool),
    ("both sides", 0.3, comparisons.both_sides),
    ("alternative", 0.2, values.alternative),
)

STATEMENTS: tuple[tuple[str, float, Operator], ...] = (
    ("assignment", 0.6, statements.assignment),
    ("leave", 0.4, statements.leave),
    ("caught", 0.5, statements.caught),
    ("siblings together", 0.4, statements.siblings_together),
    ("target", 0.35, statements.target),
    ("insert statement", 0.3, insertions.insert_statement),
    ("insert guard", 0.25, insertions.insert_guard),
    ("default", 0.5, signatures.default),
    ("parameter", 0.3, signatures.parameter),
    ("name everywhere", 0.2, statements.name_everywhere),
    ("move", 0.2, statements.move),
    ("decorate", 0.15, signatures.decorate),
    ("delete", 0.15, statements.delete),
)

LITERALS: tuple[tuple[str, float, Operator], ...] = (
    ("text", 0.4, literals.text),
    ("format", 0.6, literals.formatting),
    ("pattern", 0.7, patterns.pattern),
    ("flags", 0.4, patterns.flags),
    ("word", 0.3, literals.sibling_literals),
)
