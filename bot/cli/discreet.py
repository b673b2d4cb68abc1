"""
Standard output and standard error without secrets: every line of a command, of a server's log and
of a traceback goes through here, whoever prints it.

A line is written when it is whole, so that no secret is cut in two on its way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any, TextIO

LONGEST = 1 << 20
"""A line that does not end by then is written as far as it came."""


class DiscreetStream:
    """All of ``stream``, with ``clean`` between. What is asked of it otherwise, it answers."""

    def __init__(self, stream: TextIO, clean: Callable[[str], str]) -> None:
        self.stream = stream
        self._clean = clean
        self._begun = ""
        self._lock = RLock()

    def write(self, text: str) -> int:
        with self._lock:
            self._begun += text
            whole = self._begun.rfind("\n") + 1
            if whole or len(self._begun) > LONGEST:
                ready = self._begun[: whole or None]
                self._begun = self._begun[len(ready) :]
                self.stream.write(self._clean(ready))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        with self._lock:
            if self._begun:
                ready, self._begun = self._begun, ""
                self.stream.write(self._clean(ready))
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def cover(clean: Callable[[str], str]) -> None:
    """From here on, everything that this process says."""
    sys.stdout = _covered(sys.stdout, clean)
    sys.stderr = _covered(sys.stderr, clean)


def bare(stream: TextIO) -> TextIO:
    """For words to a program that has to hear them as they are."""
    return stream.stream if isinstance(stream, DiscreetStream) else stream


def _covered(stream: TextIO, clean: Callable[[str], str]) -> TextIO:
    if isinstance(stream, DiscreetStream):
        return stream
    covered: Any = DiscreetStream(stream, clean)
    return covered  # type: ignore[no-any-return]  # whoever prints sees a stream
