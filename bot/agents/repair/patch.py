"""
A change as splices of a text, applied only to the very text it was found for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from bot.agents.repair.heard import Plausible


class DoesNotFit(Exception):
    """The file is not what the change was found for."""


def apply(content: bytes, change: Plausible) -> bytes:
    text = _text(content, change.path)
    if hashlib.sha256(text.encode()).hexdigest() != change.base:
        raise DoesNotFit(f"{change.path} has changed since the search")
    if not _is_within(change.splices, len(text)):
        raise DoesNotFit(f"the change does not fit {change.path}")
    for start, end, new in sorted(change.splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text.encode()


def undo(content: bytes, change: Plausible, *, base: bytes) -> bytes:
    """``base``, if ``content`` is ``base`` with this change and nothing else."""
    if content == base:
        return base
    if content != apply(base, change):
        raise DoesNotFit(f"{change.path} has changed since this change was made")
    return base


def _text(content: bytes, path: str) -> str:
    bom = b"\xef\xbb\xbf"
    if content.startswith(bom):
        raise DoesNotFit(f"{path} begins with a byte order mark")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise DoesNotFit(f"{path} is not UTF-8") from None


def _is_within(splices: Iterable[tuple[int, int, str]], length: int) -> bool:
    last = 0
    for start, end, _ in sorted(splices):
        if not last <= start <= end <= length:
            return False
        last = end
    return True
