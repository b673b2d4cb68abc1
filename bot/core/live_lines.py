"""
Which lines of a comment are spoken, and not quoted, shown as code or hidden.

Decided by a CommonMark parser, so that a fence, an indented block, a code span over several lines,
a quotation (with its lazy next line) and an HTML comment are what the page makes of them; and by
what a browser would show of the page. Knows nothing of what the lines say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONG = 70_000
"""A comment on GitHub holds 65,536 characters; anything longer was not written there."""

_PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_SPOKEN_IN = frozenset({"paragraph_open", "heading_open"})
_BREAKS = frozenset({"softbreak", "hardbreak"})
_BLANK = r"[ \t\xa0]"  # some keyboards write the last one
_LINE_END = re.compile(r"\r\n|\r|\n")
# To Markdown raw HTML ends with its line or its paragraph; to a browser a comment or a tag that is
# never closed hides all that follows.
_UNSEEN = re.compile(
    r"""(?s)<!--.*?(?:-->|\Z)|</?[a-zA-Z](?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^"'>])*(?:>|\Z)"""
)


@dataclass(frozen=True, slots=True)
class Line:
    number: int  # from 0, in the text as ``lines`` splits it
    rest: str  # what stands behind the word


def lines(text: str) -> list[str]:
    """The lines that a page would make; other separators of Unicode are none."""
    return _LINE_END.split(text)


def spoken(text: str, word: str) -> tuple[Line, ...]:
    """The lines that begin with ``word`` as a word of its own, and are spoken."""
    if len(text) > LONG:
        return ()
    begins = re.compile(rf"{_BLANK}*{re.escape(word)}(?={_BLANK}|$)(.*)", re.IGNORECASE)
    written = lines(text)
    found = [
        (number, begun) for number, line in enumerate(written) if (begun := begins.match(line))
    ]
    if not found:
        return ()
    # In place of the word stands one that markdown leaves alone and nobody else wrote; where it
    # comes out as plain text at the start of a line, the line is spoken.
    flag = _unused_word(text)
    for place, (number, begun) in enumerate(found):
        indent = written[number][: begun.start(1) - len(word)]
        written[number] = f"{indent}{flag}{place}x{begun[1]}"
    text = "\n".join(written)
    live = _openers(_PAGE.parse(text))
    seen = _UNSEEN.sub("", _PAGE.render(text))
    return tuple(
        Line(number, begun[1].strip())
        for place, (number, begun) in enumerate(found)
        if any(start.startswith(f"{flag}{place}x") for start in live) and f"{flag}{place}x" in seen
    )


def _unused_word(text: str) -> str:
    word = "spoken"
    while word in text.lower():
        word += "q"
    return word


def _openers(tokens: list[Token]) -> list[str]:
    """The plain text at the start of each line outside quotations."""
    starts: list[str] = []
    quoted = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        told = before is not None and before.type in _SPOKEN_IN and token.type == "inline"
        if told and not quoted:
            starts.extend(_line_starts(token.children or []))
    return starts


def _line_starts(children: list[Token]) -> list[str]:
    starts, at_start = [], True
    for child in children:
        if child.type == "text" and not child.content:
            continue  # an emphasis leaves empty text around it
        if child.type == "text" and at_start:
            starts.append(child.content)
        at_start = child.type in _BREAKS
    return starts
