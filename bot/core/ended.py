"""How a command came to its end."""

from __future__ import annotations

from enum import StrEnum


class Ended(StrEnum):
    EXITED = "exited"  # by itself; exit_code is set (128+n when a signal ended it)
    TIMED_OUT = "timed out"
    FLOODED = "flooded"  # more output than may be read
    STOPPED = "stopped"  # jam was asked to stop
    NOT_STARTED = "not started"  # the sandbox or the shell could not be started
