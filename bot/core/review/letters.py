"""
Letters that a reader does not see, or takes for others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from bot.core.review.edited import Finding, Fresh

_HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1b\x7f\x85\u2028\u2029]")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH")
_LONGEST_LINE = 2_000


def findings(text: str, fresh: Fresh) -> Iterator[Finding]:
    if text.isascii() and not _CONTROL.search(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if number in fresh:
            yield from _of_line(line.removeprefix("\ufeff") if number == 1 else line, number)


def of_name(path: str) -> Iterator[Finding]:
    for found in _of_line(path, 0):
        yield Finding(0, f"its name has {found.what}")


def _of_line(line: str, number: int) -> Iterator[Finding]:
    if hidden := _HIDDEN.search(line):
        yield Finding(number, f"a character that is not seen (U+{ord(hidden.group()):04X})")
    if control := _CONTROL.search(line):
        yield Finding(number, f"a control character (U+{ord(control.group()):04X})")
    if mixed := _mixed(line[:_LONGEST_LINE]):
        yield Finding(number, f"a word of letters that look alike ({mixed})")


def _mixed(line: str) -> str:
    """The two scripts of the first word that has letters of more than one; or ''."""
    if line.isascii():
        return ""
    for word in _WORD.findall(line):
        scripts = {_script(letter) for letter in set(word)} - {""}
        if len(scripts) > 1:
            return " and ".join(sorted(scripts)).lower()
    return ""


def _script(letter: str) -> str:
    if letter.isascii():
        return "LATIN"
    name = unicodedata.name(letter, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")
