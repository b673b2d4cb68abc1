"""
Which files the search may change: source of the repository, never a test and never what is frozen.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from bot.ports import Bench, Ended, Limits

MOST = 5_000
LISTING = (
    "find . -xdev -type d ( -name .* -o -name node_modules -o -name __pycache__"
    " -o -name site-packages ) ! -name . -prune -o -type f -name *.py -size -2000k -print0"
)
TEST_FOLDERS = {"tests", "test", "testing", "t", "docs", "doc", "examples", "benchmarks", "build"}
TEST_FILE = re.compile(
    r"test_.*|.*_tests?|tests?|conftest|setup|noxfile|tasks|sitecustomize|usercustomize"
)


def editable_files(bench: Bench) -> tuple[str, ...]:
    """Listed inside the jail, so that what a link points to is never looked at from outside."""
    ran = bench.jail.run(
        LISTING.split(),
        view=bench.view,
        limits=Limits(timeout_s=60, keep_bytes=4 << 20),
        stop=bench.stop,
    )
    if ran.ended is not Ended.EXITED:
        return ()
    paths = sorted(
        name.removeprefix("./") for name in ran.output.split("\0") if name.endswith(".py")
    )
    return tuple(path for path in paths if is_editable(path, bench))[:MOST]


def is_editable(path: str, bench: Bench) -> bool:
    return is_source(path) and not bench.is_read_only(path) and bench.may_write(path)[0] == "allow"


def is_source(path: str) -> bool:
    parts = PurePosixPath(path)
    if "\n" in path or TEST_FOLDERS & {part.lower() for part in parts.parts[:-1]}:
        return False
    return TEST_FILE.fullmatch(parts.stem) is None
