"""Files of a tree and how two trees differ, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path that differs between two trees. Modes are git's, as text; '' where absent."""

    path: str
    added: int | None  # lines; None for binary content
    removed: int | None
    old_mode: str = ""
    new_mode: str = ""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a tree. ``mode``: 100644, 100755, 120000 or 160000."""

    path: str
    mode: str
    blob: str
