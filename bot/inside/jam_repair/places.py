"""
What kind of place an expression stands in.
"""

from __future__ import annotations

import ast

from .binding import Text
from .site import Site

CONTAINERS = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def is_value(site: Site) -> bool:
    """Whether the site is read for its value (not a target, a callee or a keyword's name)."""
    node, parent = site.node, site.parent
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(node, (ast.Starred, ast.Slice)) or isinstance(
        parent, (ast.JoinedStr, ast.FormattedValue)
    ):
        return False
    if isinstance(parent, ast.Call) and node is parent.func:
        return False
    return not (isinstance(parent, (ast.Attribute, ast.Expr))) or (
        isinstance(parent, ast.Attribute) and not isinstance(node, ast.Name)
    )


def is_condition(site: Site) -> bool:
    if isinstance(site.parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return site.node is site.parent.test
    if isinstance(site.parent, ast.comprehension):
        return site.node in site.parent.ifs
    return isinstance(site.parent, ast.BoolOp)


def bound_text(text: Text, binds: int) -> str:
    return f"({text.text})" if text.precedence < binds else text.text
