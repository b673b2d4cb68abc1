"""
The tools in the model's words: what is offered, and what a call means.

The shell and the editor are the ones that these models were taught, by their type; the rest is
described here. What cannot be understood becomes an action that only says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.agents.tools import (
    Action,
    Edit,
    Finish,
    Insert,
    Read,
    Search,
    Shell,
    Unusable,
    Write,
)

EDITOR = "str_replace_based_edit_tool"

OFFERED: tuple[dict[str, Any], ...] = (
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": EDITOR},
    {
        "name": "search",
        "description": (
            "Search the files of the checkout for lines that match an extended regular "
            "expression. Answers with path:line:text. Ignored and binary files are left out."
        ),
        "input_schema": {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "An extended regular expression."},
                "path": {
                    "type": "string",
                    "description": "A file or folder; all of the checkout if left out.",
                },
            },
            "required": ["pattern"],
        },
    },
    {
        "name": "finish",
        "description": (
            "Say that the change is right and have it judged by the repository's own tests. "
            "Call it alone, when all edits are done."
        ),
        "input_schema": {
            "type": "object",
            "properties": {
                "summary": {
                    "type": "string",
                    "description": "Two or three sentences: what was wrong, what you changed.",
                }
            },
            "required": ["summary"],
        },
    },
)


class _Wrong(Exception):
    """An argument is missing or of another kind."""


def understood(name: str, arguments: Mapping[str, Any]) -> Action:
    if name not in _READERS:
        known = ", ".join(_READERS)
        return Unusable(name, f"There is no tool with this name. There are: {known}.")
    try:
        return _READERS[name](arguments)
    except _Wrong as why:
        return Unusable(name, f"Nothing was done: {why}.")


def _bash(arguments: Mapping[str, Any]) -> Action:
    if arguments.get("restart"):
        return Unusable("bash", "There is nothing to restart: every command has its own shell.")
    return Shell(_text(arguments, "command"))


def _editor(arguments: Mapping[str, Any]) -> Action:
    command, path = _text(arguments, "command"), _text(arguments, "path")
    match command:
        case "view":
            first, last = _range(arguments.get("view_range"))
            return Read(path, first=first, last=last)
        case "create":
            return Write(path, _text(arguments, "file_text"))
        case "str_replace":
            return Edit(path, _text(arguments, "old_str"), _text(arguments, "new_str", default=""))
        case "insert":
            return Insert(path, _line(arguments.get("insert_line")), _inserted(arguments))
        case _:
            raise _Wrong(f"the editor has no command {command!r}")


def _search(arguments: Mapping[str, Any]) -> Action:
    return Search(_text(arguments, "pattern"), _text(arguments, "path", default=".") or ".")


def _finish(arguments: Mapping[str, Any]) -> Action:
    return Finish(_text(arguments, "summary", default=""))


_READERS: dict[str, Callable[[Mapping[str, Any]], Action]] = {
    "bash": _bash,
    EDITOR: _editor,
    "search": _search,
    "finish": _finish,
}


def _text(arguments: Mapping[str, Any], key: str, *, default: str | None = None) -> str:
    value = arguments.get(key, default)
    if not isinstance(value, str):
        raise _Wrong(f"{key} is missing" if value is None else f"{key} has to be text")
    return value


def _inserted(arguments: Mapping[str, Any]) -> str:
    """Two names have been taught for the same thing."""
    return _text(arguments, "insert_text" if "insert_text" in arguments else "new_str")


def _line(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Wrong("insert_line has to be a number")
    return value


def _range(value: object) -> tuple[int, int]:
    match value:
        case None:
            return 1, 0
        case [int(first), int(last)]:
            return first, last
        case _:
            raise _Wrong("view_range has to be two numbers")
