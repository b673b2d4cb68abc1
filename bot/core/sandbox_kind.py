"""Where commands run. Apart from the contract, so that a door can name it without reading one."""

from __future__ import annotations

from enum import StrEnum


class SandboxKind(StrEnum):
    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"
