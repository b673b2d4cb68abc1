"""
What a changed expression may be made of: the names, types, expressions and conditions in reach.

Ingredients come from the function first, then its class and module; strangers weigh less.
"""

from __future__ import annotations

import ast
import builtins
from typing import Iterator

from .binding import ATOM, Text, precedence
from .names import neglected, path_of
from .source import FUNCTIONS, FunctionNode, Source

LONGEST = 80  # characters of an expression that may be used again
POOL = 60
NUMBERS = {"int", "float", "complex", "bool", "Decimal", "Fraction"}
KNOWN = set(dir(builtins))


class Scope:
    """The ingredients for one function of a file (or for its module level)."""

    def __init__(
        self, source: Source, function: FunctionNode | None, types: dict[str, set[str]]
    ) -> None:
        self.source, self.function, self.types = source, function, types
        self._root: ast.AST = function or source.tree
        self.nodes = list(_within(self._root))
        self.locals = _locals(self.nodes, function)
        self.outer = self._outer_names()
        self.names = self._names()
        self.pool = self._pool()
        self.conditions = self._conditions()
        self.constants = self._constants()
        self.attributes = self._attributes()
        self.unread, self.unfilled, self.unmoved = neglected(self.nodes, set(self.locals))
        self.callables = self._callables()

    def kinds(self, name: str) -> set[str]:
        return self.types.get(name, set())

    def kinds_of(self, node: ast.AST) -> set[str]:
        if isinstance(node, ast.Name):
            return self.kinds(node.id)
        if isinstance(node, ast.Constant):
            return {type(node.value).__name__}
        if isinstance(node, (ast.Compare,)):
            return {"bool"}
        if isinstance(node, ast.JoinedStr):
            return {"str"}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return _RETURNS.get(node.func.id, set())
        return _DISPLAYS.get(type(node), set())

    def may_be_number(self, node: ast.AST) -> bool:
        kinds = self.kinds_of(node)
        return not kinds or bool(kinds & NUMBERS)

    def likeness(self, name: str, kinds: set[str]) -> float:
        """1 where the types agree, .5 where nothing is known, .08 where they differ."""
        mine = self.kinds(name)
        if not mine or not kinds:
            return 0.5
        return 1.0 if mine & kinds else 0.08

    def _outer_names(self) -> list[str]:
        """Names of the module that this function uses, and of the functions around it."""
        outer: list[str] = []
        if self.function is not None:
            for up in self.source.ancestors(self.function):
                if isinstance(up, FUNCTIONS):
                    outer.extend(_locals(list(_within(up)), up))
        outer.extend(
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
        return list(dict.fromkeys(n for n in outer if n not in self.locals and n not in KNOWN))

    def _names(self) -> list[Text]:
        called = {
            node.func.id
            for node in self.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        found = [Text(name) for name in self.locals]
        for name in self.outer:
            found.append(Text(name, weight=0.15 if name in called else 0.4))
        for node in self.nodes:
            if _is_own_attribute(node):
                found.append(Text(self.source.segment(node), weight=0.4))
        return list({text.text: text for text in found}.values())

    def _pool(self) -> list[Text]:
        found: dict[str, Text] = {}
        for node in self.nodes:
            if not isinstance(node, ast.expr) or isinstance(node, (ast.Name, ast.Starred)):
                continue
            if isinstance(node, ast.Constant) or not _is_loaded(node):
                continue
            text = self.source.segment(node)
            if len(text) <= LONGEST and "\n" not in text:
                found.setdefault(text, Text(text, precedence(node), 1.0 / (1 + len(text) / 20)))
        return sorted(found.values(), key=lambda text: len(text.text))[:POOL]

    def _conditions(self) -> list[Text]:
        """Conditions that stand here, and the simple questions one asks of a variable."""
        found: dict[str, Text] = {}
        for node in self.nodes:
            if isinstance(node, (ast.Compare, ast.BoolOp)) or _is_question(node):
                text = self.source.segment(node)
                if len(text) <= LONGEST and "\n" not in text:
                    found[text] = Text(text, precedence(node), 1.0)
                    if isinstance(node, ast.Compare):
                        found.update((t.text, t) for t in self._permuted(node))
        for name in self.names[:24]:
            for asked in _asked(name, self.kinds(name.text)):
                found.setdefault(asked.text, asked)
        return list(found.values())[:120]

    def _permuted(self, node: ast.Compare) -> Iterator[Text]:
        """A condition with one of its names exchanged for another of the same type."""
        whole, start = self.source.segment(node), self.source.span(node).start
        for part in ast.walk(node):
            if not isinstance(part, ast.Name):
                continue
            at, end = self.source.span(part)
            for name in self.names[:16]:
                alike = self.likeness(name.text, self.kinds(part.id)) * name.weight
                if name.text != part.id and alike >= 0.3:
                    text = whole[: at - start] + name.text + whole[end - start :]
                    yield Text(text, 6, 0.4 * alike)

    def _constants(self) -> list[Text]:
        found: dict[str, Text] = {}
        for node in self.nodes:
            if isinstance(node, ast.Constant) and not isinstance(node.value, type(...)):
                text = self.source.segment(node)
                if len(text) <= 30 and "\n" not in text:
                    found[text] = Text(text)
        return list(found.values())[:20]

    def _callables(self) -> list[str]:
        """What the file calls with one argument, and copies of values where it can copy."""
        found = {
            ".".join(path_of(node.func)): None
            for node in self.source.nodes
            if isinstance(node, ast.Call)
            and len(node.args) == 1
            and not node.keywords
            and (isinstance(node.func, ast.Name) or path_of(node.func)[:1] in _MODULES)
        }
        imported = {
            alias.asname or alias.name
            for node in self.source.tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        known = {
            "copy": ("copy.deepcopy", "copy.copy"),
            "os": ("os.fspath",),
            "deepcopy": ("deepcopy",),
        }
        for module, calls in known.items():
            if module in imported:
                found.update(dict.fromkeys(calls))
        return [name for name in found if name][:30]

    def _attributes(self) -> list[str]:
        mine = [n.attr for n in self.nodes if isinstance(n, ast.Attribute)]
        file = [n.attr for n in self.source.nodes if isinstance(n, ast.Attribute)]
        methods = [n.name for n in self.source.nodes if isinstance(n, FUNCTIONS)]
        fields = [
            target.id
            for node in self.source.nodes
            if isinstance(node, ast.ClassDef)
            for statement in node.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
            for target in getattr(statement, "targets", [getattr(statement, "target", None)])
            if isinstance(target, ast.Name)
        ]
        return list(dict.fromkeys(mine + fields + file + methods))[:200]


_MODULES = (("self",), ("cls",), ("copy",), ("os",), ("re",), ("math",))
_RETURNS = {
    "len": {"int"}, "int": {"int"}, "str": {"str"}, "list": {"list"}, "sorted": {"list"},
    "set": {"set"}, "dict": {"dict"}, "tuple": {"tuple"}, "float": {"float"}, "bool": {"bool"},
    "any": {"bool"}, "all": {"bool"}, "isinstance": {"bool"}, "repr": {"str"},
}  # fmt: skip
_DISPLAYS = {
    ast.List: {"list"}, ast.ListComp: {"list"}, ast.Dict: {"dict"}, ast.DictComp: {"dict"},
    ast.Set: {"set"}, ast.SetComp: {"set"}, ast.Tuple: {"tuple"}, ast.GeneratorExp: {"generator"},
}  # fmt: skip


def _within(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, its inner functions included; of a module, its own level only."""
    stop = FUNCTIONS if isinstance(root, ast.Module) else ()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node is not root:
            yield node
        if not isinstance(node, stop):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _locals(nodes: list[ast.AST], function: FunctionNode | None) -> list[str]:
    names: list[str] = []
    if function is not None:
        arguments = function.args
        named = [*getattr(arguments, "posonlyargs", []), *arguments.args, *arguments.kwonlyargs]
        names = [item.arg for item in named]
        names += [item.arg for item in (arguments.vararg, arguments.kwarg) if item]
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.append(node.name)
    return list(dict.fromkeys(names))


def _is_own_attribute(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls")
    )


def _is_loaded(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _is_question(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Call) and (
        (
            isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "any", "all", "callable")
        )
        or (
            isinstance(node.func, ast.Attribute)
            and node.func.attr.startswith(("is", "has", "starts", "ends"))
        )
    )


def _asked(name: Text, kinds: set[str]) -> Iterator[Text]:
    # One that was seen to be None is the likeliest to be asked about.
    weight = (1.0 if "NoneType" in kinds else 0.35) * name.weight
    yield Text(name.text, ATOM, weight)
    yield Text(f"not {name.text}", 5, weight)
    if not kinds or "NoneType" in kinds:
        yield Text(f"{name.text} is None", 6, weight)
        yield Text(f"{name.text} is not None", 6, weight)
    if kinds & {"int", "float"}:
        yield Text(f"{name.text} > 0", 6, weight * 0.5)
        yield Text(f"{name.text} < 0", 6, weight * 0.5)
    for kind in sorted(kinds - {"NoneType"}):
        if kind in KNOWN:
            yield Text(f"isinstance({name.text}, {kind})", ATOM, weight * 0.5)
