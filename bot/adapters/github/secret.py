"""
What must never be seen: a value that shows itself only to whoever asks for it by name.

Also takes what looks like a token out of foreign text, before it becomes part of a message.
"""

from __future__ import annotations

import re
from typing import NoReturn

MASK = "[secret]"
TOLD = 400
# The new installation tokens are long and hold dots and dashes; a JWT has three parts.
_TOKENS = re.compile(
    r"gh[a-z]_[A-Za-z0-9._-]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|(?i:authorization|bearer|basic)[\"':= ]+[A-Za-z0-9+/=._-]{16,}"
)


class Secret:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


def clean(text: str) -> str:
    """One line of foreign words, short, without anything that looks like a token."""
    return _TOKENS.sub(MASK, " ".join(text.split()))[:TOLD]
