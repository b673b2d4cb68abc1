"""
Which programs the first lines of a script say that it is run by. It reads a few bytes, no more.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

FIRST_BYTES = 1024
# How installers write a shebang that is too long, or has a space in it, for the kernel.
SHELL_TRICK = re.compile(r"^'''exec' (\"[^\"]+\"|\S+)")


def interpreter_words(program: Path) -> tuple[str, ...]:
    """Names for PATH, or absolute paths; nothing for what is not a script."""
    try:
        with program.open("rb") as file:
            start = file.read(FIRST_BYTES)
    except OSError:
        return ()
    if not start.startswith(b"#!"):
        return ()
    first, *rest = start.decode(errors="replace").splitlines()
    if rest and (found := SHELL_TRICK.match(rest[0])):
        return (found[1].strip('"'),)
    try:
        said = shlex.split(first[2:])
    except ValueError:
        said = first[2:].split()
    if said and Path(said[0]).name == "env":
        names = [word for word in said[1:] if not word.startswith("-") and "=" not in word]
        return tuple(names[:1])
    return tuple(said[:1])
