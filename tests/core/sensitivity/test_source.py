"""Text is edited in place, whatever it looks like, and hostile text is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.sensitivity.source import Opaque, Source, lines, parse


def put(content: bytes) -> bytes:
    """With ``X`` ahead of the first statement of the first function, and ``Y`` on top."""
    source = parse(content)
    assert isinstance(source, Source)
    function = next(node for node in source.tree.body if hasattr(node, "body"))
    result = source.edited([source.put_first("Y"), source.put_before(function.body[-1], "X")])
    assert isinstance(result, bytes), result
    return result


PUT = {
    "plain": (b"def f():\n    return 1\n", b"Y\ndef f():\n    X\n    return 1\n"),
    "one line": (b"def f(): return 1\n", b"Y\ndef f(): X; return 1\n"),
    "tabs and carriage returns": (
        b"def f():\r\n\treturn 1\r\n",
        b"Y\ndef f():\r\n\tX\n\treturn 1\r\n",
    ),
    "a docstring": (
        b'"""Doc."""  # why\nfrom __future__ import annotations\ndef f():\n  return 1\n',
        b'"""Doc."""  # why\nfrom __future__ import annotations; Y\ndef f():\n  X\n  return 1\n',
    ),
    "a byte order mark": (
        b"\xef\xbb\xbfdef f():\n return 1\n",
        b"\xef\xbb\xbfY\ndef f():\n X\n return 1\n",
    ),
    "a form feed": (b"\x0cdef f():\n    return 1\n", b"\x0cY\n\x0cdef f():\n    X\n    return 1\n"),
    "another encoding": (
        b"# coding: latin-1\ndef f(): return '\xe9'\n",
        b"# coding: latin-1\nY\ndef f(): X; return '\xe9'\n",
    ),
    "decorators": (
        b"@a\n@b\ndef f():\n    @c\n    def g(): pass\n",
        b"Y\n@a\n@b\ndef f():\n    X\n    @c\n    def g(): pass\n",
    ),
    "wide characters": (
        "def f(): '\U0001f600'; return 'é'\n".encode(),
        "Y\ndef f(): '\U0001f600'; X; return 'é'\n".encode(),
    ),
    "no newline at the end": (b"def f(): pass", b"Y\ndef f(): X; pass"),
}


@pytest.mark.parametrize(("before", "after"), PUT.values(), ids=PUT.keys())
def test_only_what_is_put_there_changes(before: bytes, after: bytes) -> None:
    assert put(before) == after


HOSTILE = {
    "brackets": b"x=" + b"(" * 100_000,
    "signs": b"x=" + b"-" * 100_000 + b"1",
    "attributes": b"x=a" + b".b" * 90_000,
    "calls": b"x=a" + b"()" * 90_000,
    "sums": b"x=" + b"1+" * 200_000 + b"1",
    "conditions": b"x=" + b"a if b else " * 60_000 + b"1",
    "branches": b"if a:\n pass\n" + b"elif b:\n pass\n" * 60_000,
    "negations": b"x=" + b"not " * 60_000 + b"1",
    "a null": b"x = \0\n",
    "an unknown encoding": b"# coding: nothing\nx = 1\n",
    "a false encoding": b"# coding: utf-8\nx = '\xe9'\n",
    "two encodings": b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
    "an encoding that is no text": b"# coding: rot13\nk = 1\n",
    "newer syntax": b"type X[T: int = 3] = list[T]\n",
    "too much": b"x = 1\n" * 400_000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_cannot_be_parsed_is_opaque_in_words(content: bytes) -> None:
    assert isinstance(parse(content), Opaque)


@given(st.binary(max_size=200))
def test_no_bytes_raise(content: bytes) -> None:
    assert isinstance(parse(content), Source | Opaque)
    assert b"".join(lines(content)) == content


def test_an_edit_that_breaks_the_text_is_opaque() -> None:
    source = parse(b"x = 1\n")
    assert isinstance(source, Source)

    assert isinstance(source.edited([source.put_first("y = (")]), Opaque)
