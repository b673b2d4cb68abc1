"""
What the agent keeps between turns: what it put forward, what was refused, and what is left to try.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.agents.repair.heard import Plausible


class Memory(BaseModel):
    model_config = ConfigDict(frozen=True)

    put: Plausible | None = None  # what the checkout holds now
    base: str = ""  # the file as it was before that, compressed
    left: tuple[Plausible, ...] = ()  # best first
    tried: int = 0
    over: bool = False  # nothing more to try

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()

    @property
    def base_content(self) -> bytes:
        return zlib.decompress(base64.b64decode(self.base)) if self.base else b""


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def last(history: Sequence[bytes]) -> Memory | None:
    """None when there is nothing to go on from."""
    if not history:
        return None
    try:
        return Memory.model_validate_json(history[-1])
    except ValidationError:
        return None
