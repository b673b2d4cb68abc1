"""What a change touches is made to raise; what it does not touch keeps its bytes."""

from __future__ import annotations

import pytest

from bot.core.sensitivity.sabotage import Depth, Sabotaged, raising, sabotage
from bot.core.sensitivity.source import Opaque

BASE = b'''\
"""Doc."""
import os

LIMIT = 3


class Kind:
    size = 1

    @property
    def wide(self):
        """How wide."""
        return self.size

    def high(self): return 2


def low():
    # nothing
    if LIMIT:
        del os.environ
    return 3
'''


def what(old: str, new: str, depth: Depth = Depth.ALL) -> tuple[str, ...]:
    changed = BASE.decode().replace(old, new).encode()
    assert changed != BASE
    result = sabotage(BASE, changed, marker="Marker", depth=depth)
    if not isinstance(result, Sabotaged):
        return ()
    return (*result.what, *([f"{result.turned} turned back"] if result.turned else []))


CHANGES = {
    "a line of a method": ("self.size", "self.size + 1", ("wide()",)),
    "a one-line method": ("return 2", "return 22", ("high()",)),
    "a decorator": ("@property", "@os.cached", ("wide()",)),
    "a line that is gone": ("        del os.environ\n", "        pass\n", ("low()",)),
    "lines that are gone": ("    if LIMIT:\n        del os.environ\n", "", ("low()",)),
    "a constant": ("LIMIT = 3", "LIMIT = (\n    4\n)", ("LIMIT",)),
    "an attribute": ("size = 1", "size: int = 2", ("size",)),
    "a comment": ("# nothing", "# something", ()),
    "an import": ("import os\n", "import os, re\n", ("1 turned back",)),
    "a class header": ("class Kind:", "class Kind(int):", ("1 turned back",)),
    "a function that is gone": ("def low", "def slow", ("slow()",)),
}


@pytest.mark.parametrize(("old", "new", "names"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_is_traced_to_what_it_touches(old: str, new: str, names: tuple[str, ...]) -> None:
    assert what(old, new) == names


def test_a_value_is_left_alone_where_a_function_is_enough() -> None:
    old, new = "LIMIT = 3", "LIMIT = 4"

    assert what(old, new, Depth.FUNCTIONS) == ()
    assert what(old, new, Depth.VALUES) == ("LIMIT",)


def test_only_the_touched_body_changes() -> None:
    changed = BASE.replace(b"return self.size", b"return self.size * 2")
    result = sabotage(BASE, changed, marker="Marker", depth=Depth.FUNCTIONS)

    statement = raising("Marker").encode()
    expected = changed.replace(
        b"        return self", b"        " + statement + b"\n        return self"
    )
    assert result == Sabotaged(expected, ("wide()",))


def test_what_was_made_to_raise_raises_no_exception_that_is_usually_caught() -> None:
    result = sabotage(
        b"", b"class A:\n    def f(self, type=1, BaseE=2): return 1\n", marker="M", depth=Depth.ALL
    )
    assert isinstance(result, Sabotaged)
    made: dict[str, type] = {}
    exec(result.content, made)

    with pytest.raises(BaseException, match="made to raise") as caught:
        made["A"]().f()
    assert (type(caught.value).__name__, isinstance(caught.value, Exception)) == ("M", False)


USES = ["value + 1", "value()", "value[0]", "len(value)", "bool(value)", "value.name", "value == 1",
        "[*value]", "isinstance(1, value)", "f'{value}'", "hash(value)", "1 in value"]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_any_use_of_a_poisoned_value_raises(use: str) -> None:
    result = sabotage(b"value = 1\n", b"value = 2\n", marker="M", depth=Depth.VALUES)
    assert isinstance(result, Sabotaged)
    made: dict[str, object] = {}
    exec(result.content, made)

    with pytest.raises(BaseException, match="made to raise"):
        eval(use, made)


def test_what_cannot_be_parsed_is_not_touched() -> None:
    assert isinstance(sabotage(b"", b"def f(:\n", marker="M", depth=Depth.ALL), Opaque)
