"""
What the reporters said while one command ran: lines as they came, connection by connection.

Only how it is kept. The bytes are evidence, so they are written once and read back exactly; what
the lines mean is for ``bot.oracles``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEADER = b"jam recording 1"


class NotARecording(ValueError):
    """These bytes were not written by ``Recording.to_bytes``."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One reporter. ``whole``: it ended on a full line and within every limit."""

    lines: tuple[bytes, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Recording:
    """Connections in the order in which they were made."""

    connections: tuple[Connection, ...] = ()

    def to_bytes(self) -> bytes:
        parts = [HEADER, b"%d connections" % len(self.connections)]
        for connection in self.connections:
            end = b"whole" if connection.whole else b"broken"
            parts.append(b"connection %d %s" % (len(connection.lines), end))
            parts.extend(connection.lines)
        return b"\n".join(parts) + b"\n"

    @classmethod
    def from_bytes(cls, content: bytes) -> Recording:
        lines = content.split(b"\n")
        if lines[0] != HEADER or lines[-1] != b"":
            raise NotARecording
        connections, at = [], 2
        while at < len(lines) - 1:
            count, whole = _opening(lines[at])
            at += 1
            if at + count >= len(lines):
                raise NotARecording
            connections.append(Connection(tuple(lines[at : at + count]), whole))
            at += count
        if lines[1] != b"%d connections" % len(connections):
            raise NotARecording
        return cls(tuple(connections))


def _opening(line: bytes) -> tuple[int, bool]:
    match line.split(b" "):
        case [b"connection", count, (b"whole" | b"broken") as end] if count.isdigit():
            return int(count), end == b"whole"
        case _:
            raise NotARecording


def recording_of(*connections: Sequence[bytes]) -> Recording:
    """A recording of whole connections, for those who have the lines at hand."""
    return Recording(tuple(Connection(tuple(lines)) for lines in connections))
