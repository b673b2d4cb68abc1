"""
A changed file that fails once all of it was loaded, for changes that have nothing else to break.

What acts while it is loaded, and leaves before the end or tells the tests' result itself, goes on
to do so: that is how it shows. The text is not understood beyond its language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bot.core.sensitivity.sabotage import raising


def spoil(path: str, content: bytes, *, marker: str) -> bytes | None:
    """None where the language has no way to fail while a file is loaded."""
    ending = _ENDINGS.get(path.rpartition(".")[2])
    if ending is None or b"\0" in content:
        return None
    return content.rstrip() + b"\n\n" + ending(marker).encode() + b"\n"


def _in_script(marker: str) -> str:
    return f"throw new Error('{marker}');"


def _in_go(marker: str) -> str:
    return f'func init() {{ panic("{marker}") }}'


_SCRIPTS = re.split(r"\s+", "js mjs cjs jsx ts mts cts tsx")
_ENDINGS: Mapping[str, Callable[[str], str]] = {
    "py": raising,
    "go": _in_go,
    **dict.fromkeys(_SCRIPTS, _in_script),
}
