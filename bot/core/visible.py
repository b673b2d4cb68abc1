"""
Text as a person would see it.

Decides which characters show nothing, or steer a terminal, and what stands in their place. Knows
nothing of where the text came from or where it goes; fences are in ``bot.core.fence``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

REPLACEMENT = "\ufffd"

# Characters that take no room, change direction, or look like nothing at all.
_INVISIBLE = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian selectors and vowel separator
    (0x200B, 0x200F),  # zero width, direction marks
    (0x2028, 0x202E),  # line and paragraph separators, direction embeddings
    (0x2060, 0x206F),  # word joiner, invisible operators, direction isolates
    (0x2800, 0x2800),  # blank braille
    (0x3164, 0x3164),  # Hangul filler
    (0xD800, 0xDFFF),  # halves of pairs: no character at all
    (0xFDD0, 0xFDEF),  # never characters
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFFB),  # specials, interlinear annotation
    (0xFFFE, 0xFFFF),  # never characters
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, more variation selectors
)
_HIDDEN = re.compile(
    "[{}]".format("".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _INVISIBLE))
)
# What an operating system command or its kin says ends at BEL or ST; one that never ends is left
# to be read, so that it cannot swallow the rest. No class holds an introducer: the search stays
# linear however many are left open.
_TERMINAL = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Seen:
    """``hidden`` counts the characters that showed nothing and are U+FFFD now."""

    text: str
    hidden: int = 0


def see(text: str) -> Seen:
    """Terminal control is dropped, line ends are ``\\n``, the invisible is made visible."""
    plain = _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    shown, hidden = _HIDDEN.subn(REPLACEMENT, _CONTROL.sub("", plain))
    return Seen(shown, hidden)


def see_prose(text: str) -> Seen:
    """As ``see``, and what a page of markdown would not show, HTML comments, is gone too."""
    seen = see(text)
    # A space in its place: two halves around a comment must not make another one.
    return Seen(_COMMENT.sub(" ", seen.text), seen.hidden)


def bound(text: str, limit: int, *, tail: float = 0.5) -> str:
    """At most about ``limit`` characters: head and tail, and between them what was cut.

    ``tail`` is the share that the end gets: 1 for logs, 0 for prose.
    """
    if len(text) <= limit:
        return text
    end = int(limit * tail)
    start = limit - end
    cut = len(text) - limit
    note = f"[… {cut:,} characters cut …]"
    parts = (text[:start], note, text[len(text) - end :] if end else "")
    return "\n".join(part for part in parts if part)


def one_line(text: str, limit: int) -> str:
    """All on one line, single blanks, at most ``limit`` characters with ``…`` for the rest."""
    line = " ".join(see(text).text.split())
    return line if len(line) <= limit else line[: max(limit - 1, 0)] + "…"
