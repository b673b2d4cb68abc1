"""
What a session was asked, as text: the decision that began it, and where its sign is.

The queue hands over a name only. Whoever takes the session up reads here what was decided, so that
nothing is decided twice, and never differently.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

from bot.core.decision import (
    At,
    Failed,
    Flaky,
    Named,
    Retry,
    Start,
    Told,
    Undo,
    Verify,
    Words,
)
from bot.core.event import CheckKind
from bot.core.forge_values import OfComment, OfThread, Spot
from bot.core.thread import Account, Pull, Repository, Thread

Wish: TypeAlias = Start | Retry | Verify | Undo


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """``spot``: where jam's sign stands; None where nothing can bear one."""

    wish: Wish
    spot: Spot | None = None


class NotAsked(ValueError):
    """This text was not written by ``spell``."""


_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        Account, Asked, At, Failed, Flaky, Named, OfComment, OfThread, Pull, Repository, Retry,
        Start, Thread, Told, Undo, Verify, Words,
    )
}  # fmt: skip
_IS = "is"


def spell(asked: Asked) -> str:
    return json.dumps(_written(asked), ensure_ascii=True, sort_keys=True)


def unspell(text: str) -> Asked:
    try:
        asked = _read(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise NotAsked(str(error)) from error
    if not isinstance(asked, Asked):
        raise NotAsked("it is something else")
    return asked


def _written(value: Any) -> Any:
    if isinstance(value, CheckKind):
        return {_IS: CheckKind.__name__, "value": value.value}
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: _written(getattr(value, field.name)) for field in fields(value)}
        return {_IS: type(value).__name__, **told}
    return [_written(one) for one in value] if isinstance(value, tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read(one) for one in value)
    if not isinstance(value, dict):
        return value
    name = value.pop(_IS)
    if name == CheckKind.__name__:
        return CheckKind(value["value"])
    return _KINDS[name](**{key: _read(one) for key, one in value.items()})
