"""
What jam needs of the world, in its own words, by room: commands, trees, stores, agents, gates.

Each port has a real adapter and, where a test wants one, a fake that works; ``bot.wiring`` is the
only place that knows which is which.
"""

from __future__ import annotations

from bot.core.ended import Ended
from bot.core.tree import FileChange, TreeEntry
from bot.ports.agents import (
    Agent,
    Bench,
    Brief,
    Call,
    Purse,
    Remaining,
    Say,
    Suspect,
    TurnDone,
    Usage,
    Wish,
)
from bot.ports.commands import Bind, Jail, Limits, Ran, View
from bot.ports.gates import GateRan, GateRunner, Ready, Stage
from bot.ports.signing import Envelope, Signer
from bot.ports.stores import Evidence, Journal, Publisher
from bot.ports.trees import Checkpoint, Workcopy

__all__ = [
    "Agent",
    "Bench",
    "Bind",
    "Brief",
    "Call",
    "Checkpoint",
    "Ended",
    "Envelope",
    "Evidence",
    "FileChange",
    "GateRan",
    "GateRunner",
    "Jail",
    "Journal",
    "Limits",
    "Publisher",
    "Purse",
    "Ran",
    "Ready",
    "Remaining",
    "Say",
    "Signer",
    "Stage",
    "Suspect",
    "TreeEntry",
    "TurnDone",
    "Usage",
    "View",
    "Wish",
    "Workcopy",
]
