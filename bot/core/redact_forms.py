"""
The spellings in which a secret may show itself, reduced to what survives any layout.

Reduced means: only ASCII letters and digits. Line ends, quotes, signs of a diff, the two alphabets
of base64 and the marks of an escape are gone, so one spelling stands for all of them.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator

_REST = bytes(
    sorted(set(range(256)) - set(map(ord, "0123456789")) - {*range(65, 91), *range(97, 123)})
)
IS_KEPT = bytes(0 if byte in _REST else 1 for byte in range(256))


def reduced(data: bytes) -> bytes:
    return data.translate(None, _REST)


def forms(secret: str) -> frozenset[bytes]:
    """Plain, escaped, base64 wherever it begins, hexadecimal; each of them backwards as well."""
    whole = secret.encode("utf-8", "surrogatepass")
    spelled = {*_escaped(secret), *_coded(whole), *_coded(whole[::-1])}
    there = {reduced(one) for one in spelled}
    return frozenset(there | {one[::-1] for one in there})


def _escaped(secret: str) -> Iterator[bytes]:
    for text in (secret, html.escape(secret), json.dumps(secret)[1:-1]):
        yield text.encode("utf-8", "surrogatepass")


def _coded(whole: bytes) -> Iterator[bytes]:
    yield whole.hex().encode()
    yield whole.hex().upper().encode()
    for before in range(3):
        yield _amid(whole, before)


def _amid(whole: bytes, before: int) -> bytes:
    """What base64 makes of it behind that many other bytes, whatever those are."""
    coded = base64.b64encode(bytes(before) + whole)
    return coded[-(-before * 8 // 6) : (before + len(whole)) * 8 // 6]
