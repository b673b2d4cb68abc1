"""
Words that a mend has no use for: retries, skips, sleeps, broad catches, pins, orderings, disguises.

Counted before and after by the syntax tree, aliases of imports resolved, so that a comment is
nothing and a new name for an old trick is the old trick. Which of them a person allows is the
guard's.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from bot.core.flaky.guard_parts import Refusal, Rule, functions, last_name, number_of

Seen: TypeAlias = tuple[Rule, str]  # what is counted: a rule and the words for it

SKIPS = frozenset(
    [
        "skip",
        "skipif",
        "xfail",
        "skipTest",
        "importorskip",
        "SkipTest",
        "skipIf",
        "skipUnless",
        "expectedFailure",
        "_exit",
        "exit",
        "quit",
        "abort",
        "__test__",
    ]
)
RETRYING = re.compile(
    r"(?i)(^|_)(retry|retries|retrying|rerun|reruns|rerunfailures|flaky|tenacity|backoff|"
    r"stamina|eventually|max_runs|min_passes)($|_)"
)
ORDERING = frozenset({"order", "first", "last", "dependency", "xdist_group", "run", "random_order"})
COLLECTING = frozenset({"pytest_plugins", "collect_ignore", "collect_ignore_glob"})
BROAD = frozenset({"Exception", "BaseException", "AssertionError"})
HIDING = frozenset({"exec", "eval", "compile", "__import__", "globals", "vars", "locals"})
PINS = ("PYTHONHASHSEED", "no:randomly", "no:random_order", "--reruns", "PYTEST_ADDOPTS")
KNOWING = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION")
ASSERTING = re.compile(r"(assert|fail)($|[A-Z_])")
WAITING = frozenset(
    [
        "wait",
        "join",
        "acquire",
        "poll",
        "select",
        "settimeout",
        "wait_for",
        "fail_after",
        "move_on_after",
    ]
)
LENIENT = re.compile(
    r"(?i)(timeout|tolerance|delta|epsilon|(^|_)(eps|abs|rel|atol|rtol|slack|margin|attempts|"
    r"places|deadline|interval|within)($|_))"
)


def words(before: ast.Module, after: ast.Module, *, path: str, is_test: bool) -> Iterator[Refusal]:
    """What there is more of than there was, told where there is more of it."""
    had, has = _counted(before, is_test=is_test), _counted(after, is_test=is_test)
    more = Counter(seen for seen, _, _ in has) - Counter(seen for seen, _, _ in had)
    held = Counter((seen, where) for seen, where, _ in had)
    for seen, where, line in has:
        held[seen, where] -= 1
        if more[seen] > 0 and held[seen, where] < 0:
            more[seen] -= 1
            yield Refusal(rule=seen[0], path=path, line=line, what=seen[1])
    yield from _longer(before, after, path)
    yield from _looser(before, after, path)


def _counted(tree: ast.Module, *, is_test: bool) -> list[tuple[Seen, str, int]]:
    """Each with the function that it stands in, and its line."""
    names = _imports(tree)
    inside = {id(n): where for where, f in functions(tree).items() for n in ast.walk(f)}
    return [
        (seen, inside.get(id(node), ""), getattr(node, "lineno", 0))
        for node in ast.walk(tree)
        for seen in _of_node(node, names, is_test=is_test)
    ]


def _of_node(node: ast.AST, names: Mapping[str, str], *, is_test: bool) -> Iterator[Seen]:
    match node:
        case ast.ExceptHandler():
            yield from _caught(node)
        case ast.Constant(value=str(text)):
            yield from _text(text)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            if name.startswith("pytest_"):
                yield Rule.ORDER, f"adds the hook {name}, which decides what tests mean"
            yield from _defined(node, is_test=is_test)
        case ast.Call():
            yield from _called(node, names)
        case ast.Attribute(attr=name, ctx=ast.Store()) if ASSERTING.match(name):
            yield Rule.ASSERTION, f"gives {name} another meaning"
        case _:
            pass
    for word in _names(node, names):
        yield from _word(word, node)


def _names(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The words of one node, as they were called where they came from."""
    match node:
        case ast.Name(id=word):
            yield names.get(word, word)
        case ast.Attribute(attr=word):
            yield word
        case ast.alias(name=word):
            yield from word.split(".")
        case ast.ImportFrom(module=str(word)):
            yield from word.split(".")
        case ast.keyword(arg=str(word)):
            yield word
        case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
            yield word
        case _:
            pass


def _word(word: str, node: ast.AST) -> Iterator[Seen]:
    if word in SKIPS:
        yield Rule.SKIP, f"adds {word}: a test that does not run proves nothing"
    elif RETRYING.search(word):
        yield Rule.RETRY, f"adds {word}: a retry hides a failure and mends nothing"
    elif word in COLLECTING:
        yield Rule.ORDER, f"adds {word}, which decides what is collected"
    elif word == "suppress":
        yield Rule.CATCH, "adds contextlib.suppress, which swallows what a test would report"
    elif word == "mark" or not isinstance(node, ast.Attribute):
        return
    elif word in ORDERING and last_name(node.value) == "mark":
        yield Rule.ORDER, f"adds the marker {word}, which fixes the order instead of the fault"


def _caught(node: ast.ExceptHandler) -> Iterator[Seen]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    for kind in kinds:
        name = last_name(kind) if kind is not None else ""
        if name == "" or name in BROAD:
            what = f"except {name}" if name else "a bare except"
            yield Rule.CATCH, f"adds {what}, which swallows what a test would report"


def _text(text: str) -> Iterator[Seen]:
    for pin in PINS:
        if pin in text:
            yield Rule.PIN, f"speaks of {pin}: the runner is not to be pinned"
    for word in KNOWING:
        if word in text:
            yield Rule.HIDDEN, f"asks for {word}: code is not to know that it is tested"
    if text in SKIPS | HIDING | {"sleep"}:
        yield Rule.HIDDEN, f"names {text!r} by a text, which hides what is called"


def _called(node: ast.Call, names: Mapping[str, str]) -> Iterator[Seen]:
    name = _called_name(node, names)
    if name in HIDING and isinstance(node.func, ast.Name):
        yield Rule.HIDDEN, f"adds {name}(), which hides what is called"
    elif name == "getattr" and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
        yield Rule.HIDDEN, "adds getattr() of a computed name, which hides what is called"
    elif name == "sleep":
        yield Rule.SLEEP, "adds a sleep: waiting longer makes a failure rarer and mends nothing"
    elif name == "wait" and isinstance(node.func, ast.Attribute) and _is_fresh(node.func.value):
        yield Rule.SLEEP, "waits for something that nobody sets: a sleep by another name"
    elif name == "select" and len(node.args) == 4 and _are_empty(node.args[:3]):
        yield Rule.SLEEP, "selects on nothing: a sleep by another name"


def _defined(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_test: bool) -> Iterator[Seen]:
    if is_test and re.match(r"(assert|fail)[A-Z]", node.name):
        yield Rule.ASSERTION, f"gives {node.name} another meaning"
    if is_test and node.name in {"__eq__", "__ne__", "__contains__", "__bool__", "__exit__"}:
        yield Rule.ASSERTION, f"defines {node.name}, by which a comparison may mean something else"


def _is_fresh(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) in {"Event", "Condition"}


def _are_empty(args: list[ast.expr]) -> bool:
    return all(isinstance(a, ast.List | ast.Tuple) and not a.elts for a in args)


def _called_name(node: ast.Call, names: Mapping[str, str]) -> str:
    name = last_name(node.func)
    return names.get(name, name) if isinstance(node.func, ast.Name) else name


def _imports(tree: ast.Module) -> dict[str, str]:
    """Name here -> name there, also for plain rebindings of a name (``nap = time.sleep``)."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=aliases):
                found |= {a.asname: a.name for a in aliases if a.asname}
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr=word)):
                found[name] = word
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=word)):
                found[name] = found.get(word, word)
            case _:
                pass
    return found


def _longer(before: ast.Module, after: ast.Module, path: str) -> Iterator[Refusal]:
    """Sleeps that were there: none longer, none within a loop that counts."""
    had = sorted(number for number, _, _ in _sleeps(before))
    longest = had[-1] if had else 0.0
    counted = sum(in_loop for _, in_loop, _ in _sleeps(before))
    for number, in_loop, line in _sleeps(after):
        counted -= in_loop
        if number > longest and had:
            what = f"sleeps {number:g} s where the longest sleep was {longest:g} s"
            yield Refusal(rule=Rule.SLEEP, path=path, line=line, what=what)
        if in_loop and counted < 0:
            what = "sleeps in a loop that waits for no condition: a longer sleep"
            yield Refusal(rule=Rule.SLEEP, path=path, line=line, what=what)


def _sleeps(tree: ast.Module) -> list[tuple[float, bool, int]]:
    """Seconds (0: computed), whether in a loop that waits for nothing, and the line."""
    names = _imports(tree)
    found: list[tuple[float, bool, int]] = []

    def visit(node: ast.AST, *, idle: bool) -> None:
        for child in ast.iter_child_nodes(node):
            within = idle
            if isinstance(child, ast.For | ast.AsyncFor):
                within = True
            elif isinstance(child, ast.While):
                within = not _waits(child.test)
            if isinstance(child, ast.Call) and _called_name(child, names) == "sleep":
                number = number_of(child.args[0]) if child.args else None
                found.append((number or 0.0, idle, child.lineno))
            visit(child, idle=within)

    visit(tree, idle=False)
    return found


def _waits(test: ast.expr) -> bool:
    """For something that is not the clock's."""
    conditions = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(not _is_clock(part) and not isinstance(part, ast.Constant) for part in conditions)


def _is_clock(part: ast.expr) -> bool:
    called = {last_name(node.func) for node in ast.walk(part) if isinstance(node, ast.Call)}
    return bool(called & {"time", "monotonic", "perf_counter", "now", "process_time"})


def _looser(before: ast.Module, after: ast.Module, path: str) -> Iterator[Refusal]:
    """Tolerances and time limits, by the names that they have, function by function."""
    held = functions(before)
    for name, function in {"": after, **functions(after)}.items():
        there = before if name == "" else held.get(name)
        had = _limits(there) if there is not None else {}
        for word, (number, line) in _limits(function).items():
            if word in had and number > had[word][0]:
                what = f"raises {word} from {had[word][0]:g} to {number:g}: rarer is not mended"
                yield Refusal(rule=Rule.TOLERANCE, path=path, line=line, what=what)


def _limits(tree: ast.AST) -> dict[str, tuple[float, int]]:
    """The largest number of each."""
    found: dict[str, tuple[float, int]] = {}
    for node in ast.walk(tree):
        for word, value in _limiting(node):
            number = number_of(value)
            if number is not None and number >= found.get(word, (number, 0))[0]:
                found[word] = (number, value.lineno)
    return found


def _limiting(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.keyword(arg=str(word), value=value) if LENIENT.search(word):
            yield word, value
        case ast.Assign(targets=[ast.Name(id=word)], value=value) if LENIENT.search(word):
            yield word, value
        case ast.Call(func=ast.Attribute(attr=word), args=[*_, value]) if word in WAITING:
            yield f"{word}()", value
        case _:
            pass
