"""
What a model agent can do to a checkout, and what it is told of it.

Every tool goes through the same jail in the same view, is decided by the policy, bounded and
recorded; there is no other way from a model's words to a file.
"""

from __future__ import annotations

from bot.agents.tools.actions import (
    Action,
    Delete,
    Done,
    Edit,
    Finish,
    Insert,
    Read,
    Search,
    Shell,
    Unusable,
    Write,
)
from bot.agents.tools.toolbox import Toolbox

__all__ = [
    "Action",
    "Delete",
    "Done",
    "Edit",
    "Finish",
    "Insert",
    "Read",
    "Search",
    "Shell",
    "Toolbox",
    "Unusable",
    "Write",
]
