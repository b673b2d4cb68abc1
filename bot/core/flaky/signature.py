"""
By what two failures of a test are known to be the same: what was raised, its words, and where.

Numbers, addresses and whatever is quoted change from run to run and are left out; of a failed
assertion so are the words, which only repeat the values. The place is text, never a line number,
so that a signature outlives a commit.
"""

from __future__ import annotations

import re

WORDS = 120
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_RAISED = re.compile(r"^(?:E +)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (.*))?$")
_PYTEST_END = re.compile(r"^(\S+):\d+: ([A-Z]\w*)$")
_FRAME = re.compile(r'^ *File "([^"]+)", line \d+, in (\S+)$')


def signature_of(kind: str, message: str, place: str) -> str:
    if kind in ("AssertionError", "Failed"):
        message = ""
    return " | ".join(part for part in (kind, _plain(message), place) if part)


def signature_of_text(text: str) -> str:
    """From a failure as a runner printed it, where nothing better is known."""
    kind, message, place = "", "", ""
    for line in text.splitlines():
        if ended := _PYTEST_END.match(line):
            place, kind = ended.groups()
        elif frame := _FRAME.match(line):
            place = ":".join(frame.groups())
        elif raised := _RAISED.match(line):
            kind, message = raised.group(1).rpartition(".")[2], raised.group(2) or ""
    return signature_of(kind, message, place) or _plain(text.strip().rpartition("\n")[2])


def _plain(message: str) -> str:
    first = message.strip().partition("\n")[0]
    for pattern, word in ((_ADDRESS, "A"), (_QUOTED, "Q"), (_NUMBER, "N")):
        first = pattern.sub(word, first)
    return first[:WORDS]
