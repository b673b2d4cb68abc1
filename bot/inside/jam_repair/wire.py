"""
What the search says to jam: JSON lines over the unix socket that the configuration names.

Only the process that opened the line may speak on it, so that a candidate that forks cannot.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any


class Wire:
    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._owner = os.getpid()

    def hand_over(self) -> None:
        """This process speaks from now on (it was forked from the one that opened the line)."""
        self._owner = os.getpid()

    def say(self, kind: str, **facts: Any) -> None:
        if os.getpid() != self._owner:
            return
        line = json.dumps({"t": kind, **facts}, separators=(",", ":"))
        self._socket.sendall(line.encode() + b"\n")

    def close(self) -> None:
        self._socket.close()
