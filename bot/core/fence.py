"""
Fences around text that others wrote.

For a model: data between marks that its writer could not guess. For markdown: text that cannot
leave its block, its cell or its span, mention people, close issues, link or add markup. Knows
nothing of the sentences around it; those are in ``bot.core.prompt`` and the renderers of pages.
"""

from __future__ import annotations

import re

from bot.core.visible import bound, one_line, see, see_prose

_NONCE = re.compile(r"[0-9a-f]{16,64}")
_INFO = re.compile(r"[a-z0-9-]{0,20}")
_BACKTICKS = re.compile(r"`+")
# What a page turns into a link, a mention or a reference, and with it into a notice to somebody.
_LIVE = re.compile(r"@|://|www\.|mailto:|xmpp:|#[0-9]|GH-[0-9]", re.IGNORECASE)
_MARKUP = re.compile(r"([\\`*_\[\]<&~$])")  # begins something wherever it stands
_OPENER = re.compile(r"([#+=>|:-]|[0-9]+(?=[.)]))")  # begins something at the start of a line


def data(text: str, *, about: str, nonce: str, limit: int = 20_000, tail: float = 0.5) -> str:
    """``text`` as data for a model. ``about`` is jam's own word for it; ``nonce`` is hexadecimal,
    fresh for each session, and known to nobody who can write ``text``."""
    if not _NONCE.fullmatch(nonce):
        raise ValueError("a nonce has 16 to 64 hexadecimal digits")
    seen = see_prose(text)
    body = bound(seen.text.strip("\n"), limit, tail=tail).replace(nonce, "…")
    hidden = f' hidden-characters="{seen.hidden}"' if seen.hidden else ""
    return f'<data-{nonce} about="{about}"{hidden}>\n{body}\n</data-{nonce}>'


def block(text: str, *, info: str = "", limit: int = 20_000, tail: float = 0.5) -> str:
    """A fenced code block, for column 0. Its fence is longer than any run of backticks in it."""
    if not _INFO.fullmatch(info):
        raise ValueError("the info string of a fence is a short word of ours")
    body = bound(see(text).text.strip("\n"), limit, tail=tail)
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{info}\n{body}\n{fence}"


def code(text: str, *, limit: int = 200) -> str:
    """A code span on one line. Not for table cells."""
    return _span(one_line(text, limit))


def prose(text: str, *, limit: int = 4_000) -> str:
    """Paragraphs of plain words. What would be live (addresses, mentions, references) is code."""
    seen = bound(see_prose(text).text, limit, tail=0)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", seen))
    return "\n\n".join(_quiet(paragraph) for paragraph in paragraphs if paragraph)


def cell(text: str, *, limit: int = 200) -> str:
    """Plain words for one cell of a table."""
    return _in_cell(_quiet(one_line(text, limit)))


def code_cell(text: str, *, limit: int = 200) -> str:
    """A code span for one cell of a table."""
    return _in_cell(code(text, limit=limit))


def _span(line: str) -> str:
    if not line:
        return "` `"
    run = "`" * (_longest_run(line) + 1)
    # One blank on each side is not shown, and keeps backticks at the ends apart from ours.
    edge = " " if "`" in (line[0], line[-1]) else ""
    return f"{run}{edge}{line}{edge}{run}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _quiet(line: str) -> str:
    words = line.split(" ")
    return _opened(" ".join(_span(word) if _LIVE.search(word) else _flat(word) for word in words))


def _flat(word: str) -> str:
    return _MARKUP.sub(r"\\\1", word)


def _opened(line: str) -> str:
    first = _OPENER.match(line)
    if first is None:
        return line
    # Before a mark, but after the number of what would be a list: digits cannot be escaped.
    place = first.end() if first.group().isdigit() else 0
    return f"{line[:place]}\\{line[place:]}"


def _in_cell(markdown: str) -> str:
    # A table takes one backslash before a bar away, in code too, before anything else is read.
    return markdown.replace("|", "\\|")
