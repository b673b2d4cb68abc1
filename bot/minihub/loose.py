"""
Loose objects and refs as files: what git would read or write, without starting git. Whatever is not
loose (packed, abbreviated) is None here, and git is asked.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zlib
from pathlib import Path

SHA = re.compile(r"[0-9a-f]{40}")


def is_sha(text: str) -> bool:
    return SHA.fullmatch(text) is not None


def read(folder: Path, sha: str) -> tuple[str, bytes] | None:
    """The kind and the content of a loose object."""
    try:
        packed = (folder / "objects" / sha[:2] / sha[2:]).read_bytes()
    except OSError:
        return None
    head, _, content = zlib.decompress(packed).partition(b"\0")
    return head.split(b" ")[0].decode(), content


def write(folder: Path, content: bytes, *, kind: str) -> str:
    whole = f"{kind} {len(content)}\0".encode() + content
    sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    place = folder / "objects" / sha[:2] / sha[2:]
    if place.exists():
        return sha
    place.parent.mkdir(exist_ok=True)
    # Another reader sees the whole object or none.
    handle, name = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(zlib.compress(whole, 1))
    Path(name).chmod(0o444)
    Path(name).replace(place)
    return sha


def refs(folder: Path) -> dict[str, str]:
    """Every ref, by name; a loose one hides a packed one."""
    found: dict[str, str] = {}
    try:
        packed = (folder / "packed-refs").read_text()
    except OSError:
        packed = ""
    for line in packed.splitlines():
        sha, _, name = line.partition(" ")
        if is_sha(sha):
            found[name] = sha
    for place in (folder / "refs").rglob("*"):
        if place.is_file() and not place.name.endswith(".lock"):
            found[place.relative_to(folder).as_posix()] = place.read_text().strip()
    return dict(sorted(found.items()))
