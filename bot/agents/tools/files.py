"""
Reading and changing files from inside the jail.

Bytes come out and go in unharmed: what an edit does not touch stays as it was, whatever its
encoding and line ends. Refuses to follow links when writing.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.agents.tools import inside
from bot.core.visible import bound, see
from bot.ports import Bench, Ended, Limits, Ran

FILE_S = 60.0
LARGEST = 2 << 20  # bytes; larger files are for the shell
LISTED = 400
_REFUSALS = {
    inside.LINK: "{path} is or lies behind a symbolic link; name the real path instead.",
    inside.FOLDER: "{path} is a folder.",
    inside.MISSING: "{path} does not exist.",
    inside.SPECIAL: "{path} is not an ordinary file.",
    inside.CLOSED: "{path} cannot be read: no permission.",
}


class Refused(Exception):
    """What stands in the way, as a sentence for whoever asked."""


@dataclass(frozen=True, slots=True)
class Files:
    """``path`` is always relative to the checkout and inside it; the toolbox sees to that."""

    bench: Bench
    seconds_left: Callable[[], float]

    def show(self, path: str, *, first: int, last: int, limit: int) -> str:
        try:
            content = self.read(path)
        except Refused:
            listing = self._listing(path)
            if listing is None:
                raise
            return listing
        if b"\0" in content[:8000]:
            return f"{path} is binary: {len(content):,} bytes."
        return _numbered(content, first=first, last=last, limit=limit)

    def read(self, path: str) -> bytes:
        """All of it. Raises ``Refused`` for what is no ordinary file of a usual size."""
        ran = self._run(inside.READ, path, str(LARGEST + 1))
        self._expect(ran, path)
        size, _, encoded = ran.output.partition("\n")
        if int(size) > LARGEST:
            raise Refused(f"{path} is too large ({int(size):,} bytes); look at it with the shell.")
        try:
            return base64.b64decode(encoded, validate=False)
        except binascii.Error:
            raise Refused(f"{path} could not be read whole.") from None

    def write(self, path: str, content: bytes) -> None:
        self._expect(self._run(inside.WRITE, path, stdin=content), path)

    def edit(self, path: str, old: str, new: str) -> str:
        content = self.read(path)
        changed = replaced(content, old, new)
        self.write(path, changed.content)
        return _around(changed.content, changed.place, len(changed.new))

    def insert(self, path: str, line: int, text: str) -> str:
        content = self.read(path)
        lines = content.splitlines(keepends=True)
        if not 0 <= line <= len(lines):
            raise Refused(f"{path} has {len(lines)} lines; nothing was inserted.")
        before, after = b"".join(lines[:line]), b"".join(lines[line:])
        new = _ended(text, content).encode()
        if before and not before.endswith(b"\n"):
            before += _line_end(content)
        self.write(path, before + new + after)
        return _around(before + new + after, len(before), len(new))

    def delete(self, path: str) -> None:
        self._expect(self._run(inside.DELETE, path), path)

    def _listing(self, path: str) -> str | None:
        ran = self._run(inside.LIST, path)
        if ran.ended is not Ended.EXITED or ran.exit_code != 0:
            return None
        names = see(ran.output).text.splitlines()
        more = [f"… and {len(names) - LISTED:,} more"] if len(names) > LISTED else []
        return "\n".join([f"{path}/ holds:", *names[:LISTED], *more])

    def _run(self, script: str, *arguments: str, stdin: bytes = b"") -> Ran:
        return self.bench.jail.run(
            ("sh", "-c", script, "jam", *arguments),
            view=self.bench.view,
            limits=Limits(timeout_s=max(1.0, min(FILE_S, self.seconds_left())), keep_bytes=4 << 20),
            stdin=stdin,
            stop=self.bench.stop,
        )

    def _expect(self, ran: Ran, path: str) -> None:
        """Raises ``Refused`` unless all went well."""
        if ran.ended is not Ended.EXITED:
            raise Refused(f"{path}: the tool was ended ({ran.ended.value}).")
        if ran.exit_code in _REFUSALS:
            raise Refused(_REFUSALS[ran.exit_code].format(path=path))
        if ran.exit_code != 0:
            raise Refused(f"{path}: {bound(see(ran.output).text.strip(), 500, tail=1)}")


@dataclass(frozen=True, slots=True)
class Replaced:
    content: bytes
    place: int
    new: bytes


def replaced(content: bytes, old: str, new: str) -> Replaced:
    """Raises ``Refused`` unless ``old`` is there once. Line ends may be those of the file."""
    if not old:
        raise Refused("The text to replace is empty; to add lines, insert them.")
    for wanted, given in _spellings(content, old, new):
        found = content.count(wanted)
        if found > 1:
            raise Refused(
                f"The text to replace is there {found} times; add lines around it until it is one."
            )
        if found:
            place = content.index(wanted)
            end = place + len(wanted)
            return Replaced(content[:place] + given + content[end:], place, given)
    raise Refused("The text to replace is not in the file; it must match exactly, blanks included.")


def _spellings(content: bytes, old: str, new: str) -> list[tuple[bytes, bytes]]:
    plain = (_bytes(old), _bytes(new))
    if b"\r\n" not in content or "\r\n" in old:
        return [plain]
    return [plain, (_bytes(old.replace("\n", "\r\n")), _bytes(new.replace("\n", "\r\n")))]


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _line_end(content: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in content else b"\n"


def _ended(text: str, content: bytes) -> str:
    """Whole lines, with the ends that the file has."""
    end = _line_end(content).decode()
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return end.join(lines) + end


def _numbered(content: bytes, *, first: int, last: int, limit: int) -> str:
    """Lines with their numbers. As many as fit, and how many are left out."""
    lines = content.decode(errors="replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    first = max(first, 1)
    last = len(lines) if last < 1 else min(last, len(lines))
    if not lines:
        return "(the file is empty)"
    if first > last:
        return f"(the file has {len(lines)} lines)"
    # Seen line by line: an escape code must not join two lines and shift the numbers.
    shown = [f"{n:6}\t{see(lines[n - 1]).text.rstrip()}" for n in range(first, last + 1)]
    return bound("\n".join(shown), limit, tail=0.3)


def _around(content: bytes, place: int, width: int) -> str:
    """The changed lines and three on either side, as proof for whoever changed them."""
    first = content.count(b"\n", 0, place) + 1
    last = first + content.count(b"\n", place, place + max(width - 1, 0))
    return _numbered(content, first=first - 3, last=last + 3, limit=4_000)


def relative(path: str, *, root: PurePosixPath) -> str | None:
    """The path below ``root``, or None for one that leaves it or cannot be a path."""
    if not path.strip() or any(mark in path for mark in "\0\n\r"):
        return None
    tidy = PurePosixPath(path)
    if tidy.is_absolute():
        if not tidy.is_relative_to(root):
            return None
        tidy = tidy.relative_to(root)
    return None if ".." in tidy.parts else str(tidy)
