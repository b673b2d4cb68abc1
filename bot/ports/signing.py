"""Who signs what jam says, and what an envelope holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What is in one. ``keys``: the names of those that are said to have signed it, unchecked."""

    kind: str
    payload: bytes
    keys: tuple[str, ...] = ()


class Signer(Protocol):
    @property
    def key(self) -> str:
        """The name of the key; '' for a signer that has none and signs nothing."""
        ...

    def sign(self, payload: bytes, *, kind: str) -> bytes:
        """The envelope around ``payload``."""
        ...
