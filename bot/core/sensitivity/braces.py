"""
Changed functions of Go, Rust, JavaScript and TypeScript made to fail, by their text alone.

Laid out as the usual formatters do it: a function's first line, or the last line of its signature,
ends with a brace, and its body stands further in. What is laid out otherwise is not touched, and
what the text says is not understood: a language is a pattern and a statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.sensitivity.changed import Hunk, hunks
from bot.core.sensitivity.sabotage import Result, Sabotaged
from bot.core.sensitivity.source import LARGEST, Opaque, lines


@dataclass(frozen=True, slots=True)
class Language:
    header: re.Pattern[str]
    statement: str


_GO = re.compile(r"func\b(?:\s*\([^)]*\))?\s*(?P<name>\w+)?")
_RUST = re.compile(r"(?:\w+(?:\([^)]*\))?\s+|\"C\"\s+)*fn\s+(?P<name>\w+)")
_SCRIPT = re.compile(
    r"(?:.*\bfunction\b\s*\*?\s*(?P<name>[\w$]+)?\s*[(<]"
    r"|.*=>\s*\{$"
    r"|(?!(?:if|for|while|switch|catch|with|do|else|try|return|new)\b)"
    r"(?:(?:static|async|get|set|public|private|protected|override)\s+)*\*?#?(?P<method>[\w$]+)\s*\()"
)
GO = Language(_GO, 'panic("{marker}")')
RUST = Language(_RUST, 'panic!("{marker}");')
SCRIPT = Language(_SCRIPT, 'throw new Error("{marker}");')
LANGUAGES: Mapping[str, Language] = {
    ".go": GO,
    ".rs": RUST,
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), SCRIPT),
}
FURTHEST = 3000
"""Lines that are looked through for the beginning of a function."""
COMMENT = re.compile(r"\s*(?://|\*|/\*|#)")
END = re.compile(r"\{\s*(?://.*)?$")


def language_of(path: str) -> Language | None:
    return LANGUAGES.get("." + path.rpartition(".")[2])


def break_functions(old: bytes, new: bytes, language: Language, *, marker: str) -> Result:
    """The text with the changed functions failing first thing, and what they are called."""
    if len(new) > LARGEST or len(old) > LARGEST:
        return Opaque(f"it is longer than {LARGEST} bytes")
    before, after = lines(old), lines(new)
    text = [line.decode(errors="replace") for line in after]
    headers = {
        at
        for hunk in hunks(before, after)
        for line in _lines_of(hunk, text)
        if (at := _header_above(text, line, language)) is not None
    }
    if not headers:
        return Opaque("the change has no function that could be made to fail")
    statement = language.statement.format(marker=marker).encode()
    for at in sorted(headers, reverse=True):
        ending = b"\r\n" if after[at].endswith(b"\r\n") else b"\n"
        after.insert(at + 1, b" " + statement + ending)
    names = tuple(_name(text, at, language) for at in sorted(headers))
    return Sabotaged(b"".join(after), names)


def _lines_of(hunk: Hunk, text: Sequence[str]) -> list[int]:
    """The new lines of a hunk; where lines only went, what stands beside the gap."""
    if hunk.k == hunk.l:
        return [at for at in (hunk.k - 1, hunk.k) if 0 <= at < len(text)][:1]
    return [at for at in range(hunk.k, hunk.l) if text[at].strip() and not COMMENT.match(text[at])]


def _header_above(text: Sequence[str], line: int, language: Language) -> int | None:
    """The line that opens the innermost function around ``line``."""
    indent = _indent(text[line]) + (1 if END.search(text[line]) else 0)
    for at in range(line, max(-1, line - FURTHEST), -1):
        if not text[at].strip() or COMMENT.match(text[at]):
            continue
        if _indent(text[at]) < indent and END.search(text[at]):
            if language.header.match(_signature(text, at)):
                return at
            indent = _indent(text[at])
        elif at != line:
            indent = min(indent, _indent(text[at]) + 1)
    return None


def _signature(text: Sequence[str], at: int) -> str:
    """Of a signature over several lines, which ends with ``) … {``, its first line."""
    own = text[at].strip()
    if not own.startswith(")"):
        return own
    above = (n for n in range(at - 1, -1, -1) if text[n].strip())
    first = next((n for n in above if _indent(text[n]) <= _indent(text[at])), at)
    return text[first].strip()


def _name(text: Sequence[str], at: int, language: Language) -> str:
    found = language.header.match(_signature(text, at))
    names = [name for name in (found.groupdict().values() if found else ()) if name]
    return f"{names[0]}()" if names else f"the function at line {at + 1}"


def _indent(line: str) -> int:
    bare = line.expandtabs(4)
    return len(bare) - len(bare.lstrip())
