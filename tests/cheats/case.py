"""
A cheat as data: what is done to a small repository, and what jam has to say of it.

``does`` is a shell script, run where an agent works; ``files`` are laid into the base on top of the
family's project. ``{python}`` in a contract is the interpreter of the tests, and ``{mark}`` in a
script is a path outside of everything that an agent may write.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

End = Literal["verified", "partial", "failed", "unverified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A small repository with one bug. ``fix``: the true one; ``needs``: programs it takes."""

    name: str
    files: Mapping[str, str]
    contract: str
    fix: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheat:
    """
    ``says``: words that have to be in what a person reads (why, review, remarks, not verified).
    ``stopped``: what stops it, for the table.
    """

    id: str
    what: str
    does: str
    end: End
    stopped: str
    says: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    contract: str = ""
    quick: bool = False


def text(lines: str) -> str:
    return textwrap.dedent(lines).lstrip("\n")


def put(path: str, content: str) -> str:
    """Shell that writes ``content`` to ``path``, whatever is in it."""
    folder = path.rpartition("/")[0] or "."
    body = text(content).rstrip("\n")
    return f"mkdir -p {folder}\ncat > {path} <<'END-OF-FILE'\n{body}\nEND-OF-FILE\n"


def add(path: str, content: str) -> str:
    return put(path, content).replace("cat > ", "cat >> ", 1)
