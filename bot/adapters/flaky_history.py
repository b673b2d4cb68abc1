"""The JUnit files of a folder, as bytes: no link is followed, and none is larger than it may be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from bot.errors import RequestError

FILE_BYTES = 32 << 20
MOST_FILES = 5000


def read_folder(folder: Path) -> Mapping[PurePosixPath, bytes]:
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder: --history names one with JUnit files in it")
    found: dict[PurePosixPath, bytes] = {}
    for path in sorted(folder.rglob("*.xml")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > FILE_BYTES:
            continue
        found[PurePosixPath(path.relative_to(folder).as_posix())] = path.read_bytes()
        if len(found) >= MOST_FILES:
            break
    if not found:
        raise RequestError(
            f"{folder} holds no JUnit file: they are looked for as COMMIT/JOB/ATTEMPT/….xml"
        )
    return found
