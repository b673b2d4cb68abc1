"""
What of the test framework changed while the tests ran. PYTEST_DONT_REWRITE

Looks at everything that is code: functions, classes, what is in classes, and the code objects in
functions. Adding to a module changes nothing that others rely on and is not told; adding to a
class is. Decides nothing: whoever changes the framework and puts it back is not seen.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

WATCHED = ("_pytest", "pluggy", "unittest", "jam_reporter")
MOST = 50
MISSING = object()
CODE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    type,
    staticmethod,
    classmethod,
    property,
    type(functools.lru_cache(maxsize=0)(len)),
)
# set by Python itself on a class, whenever it likes
BOOKKEEPING = frozenset({"_abc_impl", "__annotate__", "__annotate_func__"})


class Watch:
    """
    Over one pytest session. Plugins change the framework, honestly, while they are loaded and
    configured; what happens while conftest files are loaded and from the collection on is told.
    """

    def __init__(self) -> None:
        import unittest  # noqa: F401  # sooner or later pytest does; so that it can be looked at

        self._first = self._wires = Tripwires()
        self._seen: set[str] = set()

    def begin_conftests(self) -> None:
        self._wires = Tripwires()

    def end_conftests(self) -> None:
        # pytest's own legacypath plugin adds its attributes at the same time.
        legacy = getattr(sys.modules.get("_pytest.legacypath"), "__dict__", None)
        self._seen.update(self._wires.changed(but_from=legacy))

    def begin_tests(self) -> None:
        self._wires = Tripwires()

    def changed(self) -> list[str]:
        # A session that a test runs in this process may take a plugin's honest change back.
        return sorted(self._seen.union(self._wires.changed(but_as_in=self._first)))[:MOST]


class Tripwires:
    """Takes what it finds as right; ``changed`` tells what is not so any more."""

    def __init__(self) -> None:
        self._values: dict[tuple[Any, str], tuple[Any, Any]] = {}
        self._names: dict[Any, tuple[str, frozenset[str]]] = {}
        self._take(builtins)
        for name, module in list(sys.modules.items()):
            is_watched = name.partition(".")[0] in WATCHED
            if is_watched and isinstance(module, types.ModuleType):
                self._take(module)

    def _take(self, owner: Any) -> None:
        if owner in self._names:
            return
        held = _code_in(owner)
        self._names[owner] = (_name_of(owner), frozenset(held))
        for attribute, value in held.items():
            self._values[owner, attribute] = (value, _body(value))
            if (
                isinstance(value, type)
                and isinstance(owner, types.ModuleType)
                and owner is not builtins
                and value.__module__ == owner.__name__
            ):
                self._take(value)

    def changed(self, but_from: Any = None, but_as_in: Tripwires | None = None) -> list[str]:
        """``but_from``: the globals of a module whose functions may stand there now."""
        found = {
            f"{self._names[owner][0]}.{attribute}"
            for owner, attribute, now in (*self._replaced(), *self._added())
            if not (but_from is not None and _globals(now) is but_from)
            and not (but_as_in is not None and but_as_in.was(owner, attribute, now))
        }
        return sorted(found)[:MOST]

    def was(self, owner: Any, attribute: str, value: Any) -> bool:
        known, body = self._values.get((owner, attribute), (MISSING, None))
        return owner in self._names and known is value and _body(value) is body

    def _replaced(self) -> Iterator[tuple[Any, str, Any]]:
        for (owner, attribute), (value, body) in self._values.items():
            now = vars(owner).get(attribute, MISSING)
            if now is not value or _body(now) is not body:
                yield owner, attribute, now

    def _added(self) -> Iterator[tuple[Any, str, Any]]:
        for owner, (_, before) in self._names.items():
            if isinstance(owner, type):
                for attribute, value in list(vars(owner).items()):
                    if attribute not in before and _matters(attribute, value):
                        yield owner, attribute, value


def _matters(attribute: str, value: Any) -> bool:
    is_switch = attribute.startswith("__unittest_")  # skips or excuses a whole class
    return (isinstance(value, CODE) and attribute not in BOOKKEEPING) or is_switch


def _globals(value: Any) -> Any:
    inner = value.fget if isinstance(value, property) else value
    return getattr(inner, "__globals__", MISSING)


def _code_in(owner: Any) -> dict[str, Any]:
    return {
        attribute: value
        for attribute, value in list(vars(owner).items())
        if isinstance(value, CODE) and attribute not in BOOKKEEPING
    }


def _body(value: Any) -> Any:
    """What a function does, by identity: its code can be exchanged without replacing it."""
    inner = getattr(value, "__func__", value) if not isinstance(value, type) else value
    if not isinstance(inner, types.FunctionType):
        return None
    return inner.__code__


def _name_of(owner: Any) -> str:
    if isinstance(owner, type):
        return f"{owner.__module__}.{owner.__qualname__}"
    return str(owner.__name__)
