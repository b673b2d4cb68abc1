"""
jam's own git directory: how it is made, borrowed from and held.

It borrows the objects of the user's repository and shares nothing else with it. Decides what its
attributes and its fallback ignore rules say, and that files left by a killed git are swept away
only by whoever holds the lock. Knows nothing of checkpoints or rooms.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bot.adapters import folders
from bot.adapters.git import Git
from bot.errors import SessionBusy, StateUnusable

#: Bytes go in and come out as they are, whatever a checkout's own attributes say.
_ATTRIBUTES = (
    "* -text -eol -crlf -filter -ident -working-tree-encoding !diff !merge -export-ignore\n"
)

#: What running tests leaves behind. A repository's own ``.gitignore`` outranks this.
_DROPPINGS = """\
__pycache__/
*.py[cod]
.pytest_cache/
.mypy_cache/
.ruff_cache/
.hypothesis/
.coverage
.DS_Store
"""

_MEMORY = Path("/dev/shm")  # noqa: S108  # a fresh folder in it, readable by nobody else
HELD = "jam.held"
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"


def make(place: Path, *, borrow: Path, shallow: bytes = b"") -> None:
    """A bare git directory at ``place``, unless one is there. ``borrow``: an objects folder."""
    if not (place / "HEAD").exists():
        folders.fresh(place, lambda made: _fill(made, borrow=borrow))
    _write_shallow(place, shallow)


def _fill(place: Path, *, borrow: Path) -> None:
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/jam", "info"):
        (place / folder).mkdir(parents=True)
    (place / "objects/info/alternates").write_bytes(alternate(borrow))
    (place / "info/attributes").write_text(_ATTRIBUTES)
    (place / "info/exclude").write_text(_DROPPINGS)
    (place / "config").write_text(_CONFIG)
    (place / "HEAD").write_text("ref: refs/heads/none\n")


def _write_shallow(place: Path, shallow: bytes) -> None:
    """Where the user's history was cut, ours is cut as well."""
    if shallow:
        (place / "shallow").write_bytes(shallow)


def alternate(objects: Path) -> bytes:
    """A line of ``objects/info/alternates``, quoted where git would misread it."""
    raw = os.fsencode(objects)
    if not {b"\n", b":"} & {raw[i : i + 1] for i in range(len(raw))} and raw[:1] not in b'"#':
        return raw + b"\n"
    quoted = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"\n'


@contextlib.contextmanager
def glass(objects: Path, *, shallow: bytes = b"") -> Iterator[Git]:
    """git that sees ``objects`` and no configuration, reference or attribute beside them."""
    with tempfile.TemporaryDirectory(prefix="jam-glass-") as scratch:
        place = Path(scratch) / "git"
        place.mkdir()
        _fill(place, borrow=objects)
        _write_shallow(place, shallow)
        yield Git(git_dir=place)


@contextlib.contextmanager
def claim(git_dir: Path, *, wait_s: float = 5.0) -> Iterator[int]:
    """
    Hold ``git_dir`` alone and sweep away what a killed git left. Yields the lock's descriptor.

    Children of the holder inherit it, so a git that outlived its jam still holds the lock and its
    half-written files are not touched. Raises ``SessionBusy`` when another holder stays.
    """
    lock = os.open(git_dir / HELD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(lock, wait_s=wait_s)
        sweep(git_dir)
        yield lock
    finally:
        os.close(lock)


def _take(lock: int, *, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise SessionBusy from None
            time.sleep(0.05)
        else:
            return


@contextlib.contextmanager
def loose(git: Git, *, in_memory: bool) -> Iterator[Git]:
    """git that reads all that ``git`` does and writes objects aside, where it costs least."""
    git_dir = Path(git.git_dir or "")
    aside = _aside(git_dir, in_memory=in_memory)
    try:
        yield replace(git, objects=aside, env=_beside(git_dir / "objects"))
    finally:
        folders.remove(aside)


def _aside(git_dir: Path, *, in_memory: bool) -> Path:
    """An empty folder of ours. Its name is always the same, so a killed jam leaves one at most."""
    on_disk = git_dir / "jam-loose"
    for place in (_in_memory(git_dir), on_disk) if in_memory else (on_disk,):
        with contextlib.suppress(OSError):  # somebody else's, or there is no such place
            folders.remove(place)
            place.mkdir(mode=0o700)
            return place
    raise StateUnusable(f"nothing can be written in {git_dir}")


def _in_memory(git_dir: Path) -> Path:
    return _MEMORY / f"jam-loose-{hashlib.sha256(os.fsencode(git_dir)).hexdigest()[:20]}"


def settle(git: Git, commit: str, *, since: str, written: Git) -> None:
    """Bring what ``commit`` adds to ``since`` from aside, as one pack that is on disk on return."""
    packing = replace(git, env=_beside(Path(written.objects or "")))
    packing.run(
        *("pack-objects", "--revs", "-q", "--delta-base-offset", "--window=0"),
        str(Path(git.git_dir or "") / "objects" / "pack" / "pack"),
        stdin=f"{commit}\n^{since}\n".encode(),
    )


def _beside(objects: Path) -> dict[str, str]:
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fsdecode(alternate(objects)).rstrip("\n")}


def sweep(git_dir: Path) -> None:
    """Remove stale locks and half-written objects. Only for whoever holds the claim."""
    for pattern in (
        "jam-loose-*",
        "*.lock",
        "refs/**/*.lock",
        "objects/**/tmp_*",
        "objects/tmp_*",
        "index.tmp-*",
    ):
        for stale in git_dir.glob(pattern):
            folders.remove(stale)
