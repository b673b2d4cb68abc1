"""
What the change does to tests that nothing freezes: those among the product, and their data.

Tests that a name or a folder tells are frozen long before. What is left: examples in documentation,
test functions in files of any name, helpers that assert, and data that only tests read.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bot.core.review.edited import Edited, Finding
from bot.core.sensitivity.runtime import EQUAL, OPPOSITE
from bot.core.sensitivity.source import Opaque, parse

CODE = re.compile(
    r".*\.(py[wi]?|[cm]?[jt]sx?|go|rs|rb|java|kt|php|c|cc|cpp|h|hpp|sh|pl|ex|exs|cs|swift)"
)
PROSE = (".md", ".rst", ".adoc")
_EXAMPLE = re.compile(r"^[ \t]*>>> .*(?:\n(?![ \t]*>>> )[ \t]*\S.*)*", re.MULTILINE)
_RUST = re.compile(r"^#\[cfg\(test\)\]\s*\n(?:pub )?mod \w+ \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
UNITTEST = frozenset({*EQUAL, *OPPOSITE, "assertRaises", "assertRaisesRegex", "assertWarns"})
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


def findings(edit: Edited, targets: Iterable[str]) -> Iterator[Finding]:
    """``targets``: ids. Only of what was there before."""
    if edit.before is None:
        return
    own = [target for target in targets if _is_in(target, edit.path)]
    if own and _less(_examples(edit.path, edit.before), _examples(edit.path, edit.after)):
        yield Finding(0, "changes an example that is tested", blocks=True)
    if edit.path.endswith(".rs") and _less(
        _tests_of_rust(edit.old_text), _tests_of_rust(edit.text)
    ):
        yield Finding(0, "changes tests among the code", blocks=True)
    if edit.path.endswith(".py"):
        yield from _of_python(edit, own)


def only_of_tests(path: str, tests: Iterable[str], product: Iterable[str]) -> bool:
    """Data that the tests name and no product code does. ``product`` is read only if need be."""
    if CODE.fullmatch(path) or path.casefold().endswith(PROSE):
        return False
    return any(_names(text, path) for text in tests) and not any(
        _names(text, path) for text in product
    )


CHANGED_TEST = "changes a test that it is judged by"
READ_BY_TESTS = "is read by the tests, and by no product code"


def _is_in(target: str, path: str) -> bool:
    head, sign, _ = target.partition("::")
    dotted = path.removesuffix(".py").replace("/", ".")
    return head == path if sign else f".{target}".find(f".{dotted}.") >= 0


def _of_python(edit: Edited, own: Iterable[str]) -> Iterator[Finding]:
    before, after = parse(edit.before or b""), parse(edit.after or b"")
    if isinstance(before, Opaque):
        return
    now = {} if isinstance(after, Opaque) else _functions(after.tree)
    names = {_function_of(target) for target in own}
    for name, old in _functions(before.tree).items():
        new = now.get(name)
        line = new.lineno if new else 0
        if name.rpartition(".")[2] in names and (new is None or ast.dump(new) != ast.dump(old)):
            yield Finding(line, f"{CHANGED_TEST} ({name})", blocks=True)
        elif _less(_assertions(old), _assertions(new) if new else ()):
            yield Finding(line, f"takes an assertion away ({name})", blocks=True)


def _function_of(target: str) -> str:
    """The function's name; nothing for an example, of which pytest gives the dotted place."""
    _, sign, rest = target.partition("::")
    bare = (rest if sign else target).partition("[")[0]
    return "" if sign and "." in bare else bare.replace("::", ".").rpartition(".")[2]


def _functions(tree: ast.Module) -> Mapping[str, Function]:
    found: dict[str, Function] = {}
    for node in tree.body:
        if isinstance(node, Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            inner = [part for part in node.body if isinstance(part, Function)]
            found |= {f"{node.name}.{part.name}": part for part in inner}
    return found


def _assertions(function: Function) -> list[str]:
    """
    By which a function fails a test. An assertion of Python's own is one only in a function that
    does nothing else: the product has them, too, and may mend them.
    """
    is_check = not any(_does_more(node) for node in ast.walk(function))
    found = []
    for node in ast.walk(function):
        match node:
            case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
                found += [name] if is_check and name == "AssertionError" else []
            case ast.Assert():
                found += ["assert"] if is_check else []
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                asserts = owner in ("self", "cls") and name in UNITTEST
                fails = owner == "pytest" and name in ("fail", "raises", "warns")
                found += [name] if asserts or fails else []
            case _:
                pass
    return found


def _does_more(node: ast.AST) -> bool:
    """It answers, or changes something."""
    match node:
        case ast.Return(value=value):
            return value is not None
        case ast.Yield() | ast.YieldFrom():
            return True
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            return True
        case _:
            return False


def _examples(path: str, content: bytes | None) -> list[str]:
    texts = [(content or b"").decode(errors="replace")]
    if path.endswith(".py"):
        source = parse(content or b"")
        nodes = [] if isinstance(source, Opaque) else list(ast.walk(source.tree))
        texts = [ast.get_docstring(n) or "" for n in nodes if isinstance(n, Documented)]
    return [example for text in texts for example in _EXAMPLE.findall(text)]


def _tests_of_rust(text: str | None) -> list[str]:
    blocks = _RUST.findall(text or "")
    return [line.strip() for block in blocks for line in block.split("\n") if line.strip()]


def _less(before: Iterable[str], after: Iterable[str]) -> bool:
    return bool(Counter(before) - Counter(after))


def _names(text: str, path: str) -> bool:
    """By the file's own name, or by that of its folder, in quotes or in a path."""
    folder, _, name = path.rpartition("/")
    near = re.escape(folder.rpartition("/")[2])
    return name in text or bool(near and re.search(rf"['\"/]{near}['\"/]", text))
