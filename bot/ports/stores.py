"""What outlives a process: ledgers, evidence, and what was published."""

from __future__ import annotations

from typing import Protocol


class Journal(Protocol):
    """Where ledgers live. Lines are JSON, one sealed entry each."""

    def read(self, session_id: str) -> tuple[str, ...]: ...

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        """Durable on return. Refused unless the ledger holds exactly ``place`` entries, the last
        of which is sealed ``after``; ``Superseded`` where the session is another worker's."""
        ...


class Evidence(Protocol):
    """Bytes kept verbatim under their sha256."""

    def put(self, content: bytes) -> str: ...

    def get(self, sha256: str) -> bytes: ...


class Publisher(Protocol):
    """Where a change goes when it may be seen."""

    def publish(self, branch: str, commit: str) -> str:
        """Create ``branch`` at ``commit``; the name that it really got. Never moves a branch that
        holds anything else; the same commit again changes nothing."""
        ...

    def keep(self, session_id: str) -> None:
        """Put the session's checkpoints where the person can reach them."""
        ...
