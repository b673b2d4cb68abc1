"""
Names of branches: jam's own, and whether a foreign one can be a name at all.

The rules are those of ``git check-ref-format --branch``, and GitHub's, which refuses names that
look like a commit. Knows nothing of which branches exist; whoever asks says which are taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

LIMIT = 100
SLUG = 40
FOREIGN_LIMIT = 244  # a reference is a file name in the end

_UNFIT = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
_HEX = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE)
_WORDS = re.compile(r"[^a-z0-9]+")


def is_valid(name: str) -> bool:
    """Whether git takes ``name`` for a branch. Its characters may still be a shell's."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return False
    if not name or size > FOREIGN_LIMIT or name in ("@", "HEAD") or name.startswith("-"):
        return False
    if _UNFIT.search(name) or _HEX.fullmatch(name) or name.endswith((".", "/")):
        return False
    parts = name.split("/")
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in parts)


def for_issue(number: int, title: str, *, prefix: str = "jam/", taken: Collection[str] = ()) -> str:
    """
    jam's branch for an issue. ``taken``: branches that exist and are not jam's for this issue; the
    name stays clear of them, also where one would be a folder of the other.
    """
    return _named(f"issue-{number}-{slug(title)}", prefix=prefix, taken=taken)


def for_words(title: str, *, prefix: str = "jam/", taken: Collection[str] = ()) -> str:
    """jam's branch where there is no issue: for a check that failed, or words alone."""
    return _named(f"fix-{slug(title)}", prefix=prefix, taken=taken)


def _named(stem: str, *, prefix: str, taken: Collection[str]) -> str:
    full = {name.casefold() for name in taken}
    root = prefix if _is_free_root(prefix, full) else f"{prefix.rstrip('/').replace('/', '-')}-"
    first = _fit(f"{root}{stem}", "")
    if _is_free(first, full):
        return first
    return next(
        name
        for count in range(2, len(full) + 3)
        for name in [_fit(first, f"-{count}")]
        if _is_free(name, full)
    )


def is_ours(name: str, *, prefix: str = "jam/") -> bool:
    """Whether ``name`` is one that is made here. Says nothing about who pushed to it."""
    root = prefix.rstrip("/").replace("/", "-")
    return name.startswith((prefix, f"{root}-issue-", f"{root}-fix-"))


def slug(title: str, *, limit: int = SLUG) -> str:
    """Letters, digits and dashes; whatever the alphabet, there is something left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return _WORDS.sub("-", plain).strip("-")[:limit].strip("-") or "change"


def _fit(name: str, end: str) -> str:
    return name[: LIMIT - len(end)].rstrip("-.") + end


def _is_free_root(prefix: str, taken: Collection[str]) -> bool:
    """A branch called ``jam`` is a file where ``jam/…`` needs a folder."""
    return not any(f"{prefix.casefold()}".startswith(f"{name}/") for name in taken)


def _is_free(name: str, taken: Collection[str]) -> bool:
    low = name.casefold()
    return not any(
        low == other or low.startswith(f"{other}/") or other.startswith(f"{low}/")
        for other in taken
    )
