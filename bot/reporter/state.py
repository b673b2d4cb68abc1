"""
What of a process tests can leave changed, as names and short words. PYTEST_DONT_REWRITE

Looks at the environment, the folder, loaded modules, their globals and classes where they are the
checkout's own, and a few switches of the standard library. Only plain values are spelled out:
asking a stranger's object for its words could change what is measured.
"""

from __future__ import annotations

import locale
import logging
import os
import random
import sys
import tempfile
import threading
import types
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

WORDS = 200
MODULES, NAMES, ITEMS = 400, 400, 40
ABSENT = "absent"
PLAIN = (bool, int, float, complex, str, bytes, type(None))
SKIPPED = frozenset({"__builtins__", "__cached__", "__spec__", "__loader__", "__warningregistry__"})
CODE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)


def snapshot(root: str) -> dict[str, str]:
    """Name -> words. Two snapshots of the same state are equal."""
    found = {f"os.environ[{name!r}]": repr(value)[:WORDS] for name, value in os.environ.items()}
    found.pop("os.environ['PYTEST_CURRENT_TEST']", None)
    found.update(_switches())
    found.update(dict(_files()))
    for module in _own(root):
        found.update(dict(_globals(module)))
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    names = sorted({*before, *after})
    return [
        (name, before.get(name, ABSENT), after.get(name, ABSENT))
        for name in names
        if before.get(name, ABSENT) != after.get(name, ABSENT)
    ]


def _switches() -> dict[str, str]:
    return {
        "os.getcwd()": _cwd(),
        "sys.path": repr(sys.path)[:WORDS],
        "sys.argv": repr(sys.argv)[:WORDS],
        "sys.getrecursionlimit()": str(sys.getrecursionlimit()),
        "locale.setlocale(LC_ALL)": locale.setlocale(locale.LC_ALL),
        "warnings.filters": f"{len(warnings.filters)} filters",
        "logging.root.level": str(logging.root.level),
        "logging.root.handlers": f"{len(logging.root.handlers)} handlers",
        "logging.root.manager.disable": str(logging.root.manager.disable),
        "random.getstate()": hex(hash(random.getstate()) & 0xFFFFFFFF),
        "tempfile.tempdir": repr(tempfile.tempdir),
        "threading.enumerate()": ", ".join(sorted(t.name for t in threading.enumerate())),
        "os.umask()": _umask(),
    }


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ABSENT


def _umask() -> str:
    value = os.umask(0o22)
    os.umask(value)
    return oct(value)


def _files() -> Iterator[tuple[str, str]]:
    for folder in (tempfile.gettempdir(), os.path.expanduser("~"), _cwd()):
        try:
            names = sorted(os.listdir(folder))[:NAMES]
        except OSError:
            continue
        for name in names:
            if not name.startswith(("pytest-of-", "__pycache__")):
                yield f"file {os.path.join(folder, name)}", "present"


def _own(root: str) -> Iterator[types.ModuleType]:
    count = 0
    for name, module in sorted(sys.modules.items(), key=lambda pair: str(pair[0])):
        file = getattr(module, "__file__", None)
        kept = getattr(getattr(module, "__spec__", None), "origin", None)
        inside = [
            path
            for path in (file, kept)
            if isinstance(path, str)
            and os.path.isabs(path)
            and os.path.realpath(path).startswith(root + os.sep)
            and "site-packages" not in path
        ]
        # By the name it is loaded under: a module that was put away and loaded anew is another.
        if inside and isinstance(module, types.ModuleType) and isinstance(name, str):
            count += 1
            if count > MODULES:
                return
            yield module


def _globals(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    name = module.__name__
    yield f"sys.modules[{name!r}]", hex(id(module))
    for attribute, value in list(vars(module).items())[:NAMES]:
        if attribute in SKIPPED or attribute.startswith(("@py", "_pytest")):
            continue
        yield f"{name}.{attribute}", _words(value)
        if isinstance(value, type) and value.__module__ == name:
            for inner, held in list(vars(value).items())[:NAMES]:
                if not inner.startswith(("__", "_abc")):
                    yield f"{name}.{attribute}.{inner}", _words(held)


def _words(value: Any, depth: int = 0) -> str:
    kind = type(value)
    if kind in PLAIN:
        return repr(value)[:WORDS]
    if kind in (list, tuple, set, frozenset, dict) and depth < 3:
        return _several(value, depth)
    if isinstance(value, CODE) or depth > 1 or not hasattr(value, "__dict__"):
        size = f" of {len(value)}" if kind.__name__ in ("deque", "OrderedDict") else ""
        return f"<{kind.__name__}{size} {id(value):#x}>"
    inner = {k: _words(v, depth + 1) for k, v in list(vars(value).items())[:ITEMS]}
    return f"<{kind.__name__} {id(value):#x} {inner}>"[: WORDS * 5]


def _several(value: Any, depth: int) -> str:
    if type(value) is dict:
        parts = [f"{_words(k, 3)}: {_words(v, depth + 1)}" for k, v in list(value.items())[:ITEMS]]
    else:
        parts = [_words(one, depth + 1) for one in list(value)[:ITEMS]]
    more = f" … {len(value)} in all" if len(value) > ITEMS else ""
    return f"{type(value).__name__}({', '.join(parts)}{more})"[: WORDS * 5]
