"""The runs of a search, one line each, in a file of the state folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bot.errors import StateUnusable


@dataclass(frozen=True, slots=True)
class FileRunLog:
    """The ``RunLog`` port. What a crash cut off is dropped when it is read."""

    path: Path

    def read(self) -> tuple[str, ...]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        whole = content[: content.rfind(b"\n") + 1]
        return tuple(whole.decode(errors="replace").splitlines())

    def add(self, line: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StateUnusable(f"{self.path} cannot be written: {error.strerror}") from error

    def close(self) -> None:
        if self.path.exists():
            self.path.replace(self.path.with_suffix(".done.jsonl"))
