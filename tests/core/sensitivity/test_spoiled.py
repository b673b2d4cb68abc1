"""A file that fails at the end of being loaded."""

from __future__ import annotations

import pytest

from bot.core.sensitivity.spoiled import spoil

ENDINGS = {
    "a.py": b"x = 1\n\nraise ().__class__.__class__('M', (BaseException,), {})('made to raise')\n",
    "a.mjs": b"x = 1\n\nthrow new Error('M');\n",
    "a.go": b'x = 1\n\nfunc init() { panic("M") }\n',
    "a.rs": None,
    "a.txt": None,
}


@pytest.mark.parametrize(("path", "spoiled"), ENDINGS.items())
def test_a_file_is_spoiled_in_its_own_language(path: str, spoiled: bytes | None) -> None:
    assert spoil(path, b"x = 1\n\n", marker="M") == spoiled


def test_what_is_no_text_is_left_alone() -> None:
    assert spoil("a.py", b"\0", marker="M") is None
