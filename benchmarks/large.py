"""
What a large repository costs beside what git itself would do, in the same run, step by step.

    python benchmarks/large.py [--files 100000] [--rooms DIR]

A session asks for the files of the same few trees at every step; it lays a checkout out, makes
clean rooms, and leaves all of it behind when it ends. ``--rooms``: where clean rooms are tried
first; shared memory, when nothing is said.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.adapters import folders
from bot.adapters.repository import open_repository
from bot.adapters.workcopy import GitWorkcopy, Place, open_workcopy

AGAIN = 10
SHARED_MEMORY = Path("/dev/shm")


def stream(files: int) -> Iterator[bytes]:
    yield b"blob\nmark :1\ndata 10\nvalue = 1\n\n"
    yield b"commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\n"
    yield b"data 5\nBegin\n"
    for number in range(files):
        yield b"M 100644 :1 d%d/e%d/f%d.py\n" % (number % 100, number % 2000, number)


def make(at: Path, *, files: int) -> Path:
    subprocess.run(["git", "init", "-q", "-b", "main", str(at)], check=True)
    with subprocess.Popen(
        ["git", "-C", str(at), "fast-import", "--quiet"], stdin=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        for line in stream(files):
            process.stdin.write(line)
    if process.returncode:
        raise SystemExit("git fast-import failed")
    return at


@contextmanager
def told(name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{name:44} {time.perf_counter() - start:7.2f} s", flush=True)


def timed(name: str, work: Callable[[], object]) -> None:
    with told(name):
        work()


def measure(at: Path, *, files: int, rooms: Path) -> None:
    repo = make(at / "repo", files=files)
    checkout = at / "by-git"
    timed("git checkout into a new folder", lambda: _by_git(repo, checkout))
    timed("git ls-tree -r", lambda: _git(repo, "ls-tree", "-r", "-z", "HEAD"))
    timed("rm -rf of that folder", lambda: subprocess.run(["rm", "-rf", checkout], check=True))
    opened = open_repository(repo)
    base = opened.resolve()
    place = Place(state=at / "state" / "work", tree=at / "state" / "tree", rooms=(rooms,))
    with open_workcopy(
        opened, session="bench", base=base, place=place, adopt=lambda _: None
    ) as copy:
        _steps(copy, base)
    timed("leave the checkout", lambda: folders.remove(place.tree))


def _steps(copy: GitWorkcopy, base: str) -> None:
    tree = copy.git.line("rev-parse", f"{base}^{{tree}}")
    timed("lay the checkout out", lambda: copy.lay(base))
    timed("the files of a tree, once", lambda: copy.entries(tree))
    timed(
        f"the files of a tree, {AGAIN} times more",
        lambda: [copy.entries(tree) for _ in range(AGAIN)],
    )
    (copy.tree_path / "d0" / "new.py").write_text("new = 1\n")
    timed("a checkpoint", lambda: copy.checkpoint(1, parent=base))
    with told("a clean room"):
        room = copy.room(tree, name="one")
    timed("discard it", lambda: copy.discard(room))


def _by_git(repo: Path, into: Path) -> None:
    _git(repo, "worktree", "add", "-q", "--detach", str(into))


def _git(at: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(at), *args], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rooms", type=Path, default=SHARED_MEMORY)
    options = parser.parse_args()
    at = Path(tempfile.mkdtemp(prefix="jam-bench-"))
    rooms = Path(tempfile.mkdtemp(prefix="jam-bench-", dir=options.rooms))
    print(f"{options.files:,} files")
    try:
        measure(at, files=options.files, rooms=rooms)
    finally:
        folders.remove(rooms)
        folders.remove(at)


if __name__ == "__main__":
    main()
