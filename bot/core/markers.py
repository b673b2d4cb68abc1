"""
Hidden marks by which jam finds again what it wrote, and what they say.

A mark is an address and never a proof: anybody can copy one. So it counts only where the forge
says that jam's own account wrote the text, and what it points to is checked elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.facts import Own
from bot.core.thread import Account

_STATUS = "<!-- jam:status v1 thread={repository}#{number} -->"
_BLOCK = re.compile(
    r"<!-- jam:session=(?P<session>[A-Za-z0-9][A-Za-z0-9._-]{0,80}) "
    r"contract=(?P<contract>[0-9a-f]{64}) "
    r"entries=(?P<entries>[0-9]{1,9}) "
    r"seal=(?P<seal>[0-9a-f]{64})"
    r"(?: statement=(?P<statement>[0-9a-f]{64}))? -->[ \t]*"
)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Written:
    """A comment or a body, and who wrote it as the forge says."""

    id: int
    author: Account
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The machine block of a pull request: which session, and how far its ledger went."""

    session: str
    contract_sha256: str
    entries: int
    seal: str
    statement: str = ""  # the sha256 of its envelope


def status(repository: int, number: int) -> str:
    """The first line of the one status comment of a thread."""
    return _STATUS.format(repository=repository, number=number)


def first_line(text: str) -> str:
    """Where the mark of a comment stands."""
    return _LINE_END.split(text)[0].strip()


def find_status(
    comments: Iterable[Written], *, own: Own, repository: int, number: int
) -> Written | None:
    """jam's own oldest one: should there ever be two, both workers settle on the same."""
    mark = status(repository, number)
    found = [
        comment
        for comment in comments
        if own.wrote(comment.author) and first_line(comment.text) == mark
    ]
    return min(found, key=lambda comment: comment.id, default=None)


def read_block(written: Written, *, own: Own) -> Block | None:
    """
    The block of jam's own pull request. The last one counts: jam writes it last, and a forged one
    in quoted output stands before it.
    """
    if not own.wrote(written.author):
        return None
    blocks = [found for line in _LINE_END.split(written.text) if (found := _BLOCK.fullmatch(line))]
    if not blocks:
        return None
    last = blocks[-1]
    return Block(
        session=last["session"],
        contract_sha256=last["contract"],
        entries=int(last["entries"]),
        seal=last["seal"],
        statement=last["statement"] or "",
    )
