"""
One spelling for every value that is kept: JSON with sorted keys, no spaces, ASCII only.

File names that are not UTF-8 are lone surrogates in Python; this spelling keeps them, where
pydantic's own JSON refuses them.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel


def spell(value: BaseModel | Any) -> str:
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def unspell(text: str | bytes) -> Any:
    """``ValueError`` when it is not JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
