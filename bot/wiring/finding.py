"""What a doctor finds: one thing, whether it works, and what to do if not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``good``: True, False (something will not work), or None (worth knowing)."""

    what: str
    good: bool | None
    told: str
    remedy: str = ""
