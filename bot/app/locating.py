"""The lines that the failing tests point at, as something that may be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from bot.ports import Bench, Suspect

Locator: TypeAlias = Callable[[tuple[str, ...], Bench], tuple[Suspect, ...]]
"""Targets, and where to look for what they blame."""
