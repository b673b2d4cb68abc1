"""
Inputs near those that the tests used, and what came of them in a form that can be compared.
"""

from __future__ import annotations

import copy
import functools
import itertools
import random
import re
from typing import Any, Callable, Iterator, Sequence

SPOTS, DEEP, LONGEST = 400, 6, 4000
ROUNDS = 8


def near(calls: Sequence[Any]) -> Iterator[Any]:
    """Each call as it was, then again and again with one part somewhere inside changed a little."""
    chance = random.Random(0)  # noqa: S311  # the same inputs for every candidate, nothing secret
    yield from calls
    for _ in range(ROUNDS):
        for call in calls:
            changed = _changed(call, chance)
            if changed is not None:
                yield changed


def _changed(call: Any, chance: random.Random) -> Any:
    positional, keywords = copy.deepcopy(call)
    whole = [list(positional), keywords]
    spots = list(itertools.islice(_spots(whole), SPOTS))
    for _ in range(5):
        if not spots:
            return None
        value, put = chance.choice(spots)
        other = _other(value, spots, chance)
        if other is not None:
            put(other[0])
            return tuple(whole[0]), keywords
    return None


def _spots(whole: Any) -> Iterator[Any]:
    """Every value inside that can be exchanged, breadth first."""
    waiting: list[Any] = [(part, 0) for part in whole]
    seen: set[int] = set()
    while waiting:
        value, depth = waiting.pop(0)
        if id(value) in seen or depth > DEEP:
            continue
        seen.add(id(value))
        for inner, put in _parts(value):
            yield inner, put
            if not isinstance(inner, (str, bytes, int, float, type(None))):
                waiting.append((inner, depth + 1))


def _parts(value: Any) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    if isinstance(value, list):
        for place, inner in enumerate(value):
            yield inner, functools.partial(value.__setitem__, place)
    elif isinstance(value, dict):
        for key, inner in list(value.items()):
            yield inner, functools.partial(value.__setitem__, key)
    elif type(value).__module__ not in ("builtins", "types") and hasattr(value, "__dict__"):
        names = value.__dict__
        if isinstance(names, dict):
            for name, inner in list(names.items()):
                yield inner, functools.partial(names.__setitem__, name)


def _other(value: Any, spots: Sequence[Any], chance: random.Random) -> Any:
    """Another value of its kind, in a list of one; None where there is none."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [max(value + chance.choice((-2, -1, 1, 2, 5)), 0 if value >= 0 else value - 9)]
    if isinstance(value, float):
        return [value * chance.choice((0.5, 1.5, 2.0)) + chance.choice((0.0, 0.25))]
    if isinstance(value, str):
        return [_other_text(value, chance)]
    if isinstance(value, (list, tuple, set)):
        return [_other_sequence(value, spots, chance)]
    alike = [other for other, _ in spots if type(other) is type(value) and other is not value]
    return [chance.choice(alike)] if alike and value is not None else None


def _other_text(value: str, chance: random.Random) -> str:
    place = chance.randrange(len(value) + 1)
    how = chance.randrange(3)
    if how == 0 or not value:
        return value[:place] + chance.choice(value or "ab ") + value[place:]
    return value[:place] + value[place + 1 :] if how == 1 else value[::-1]


def _other_sequence(value: Any, spots: Sequence[Any], chance: random.Random) -> Any:
    parts = list(value)
    how = chance.randrange(5)
    if how == 0 and parts:
        del parts[chance.randrange(len(parts))]
    elif how == 1 and parts:
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(parts))
    elif how == 2 and len(parts) > 1:
        chance.shuffle(parts)
    elif how == 3 and parts:
        alike = [other for other, _ in spots if type(other) is type(parts[0])]
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(alike or parts))
    elif parts:
        place = chance.randrange(len(parts))
        changed = _other(parts[place], spots, chance)
        parts[place] = changed[0] if changed else parts[place]
    try:
        return type(value)(parts)
    except TypeError:
        return value


def plain(value: Any) -> str:
    """What a value is, to be compared: addresses left out, objects by what they hold."""
    return _plain(value, 0, set())[:LONGEST]


def _plain(value: Any, depth: int, above: set[int]) -> str:
    if depth > DEEP or id(value) in above:
        return "…"
    above = {*above, id(value)}
    if isinstance(value, (list, tuple)):
        inner = (_plain(part, depth + 1, above) for part in value[:200])
        return f"{type(value).__name__}({', '.join(inner)})"
    if isinstance(value, dict):
        pairs = (
            f"{_plain(key, depth + 1, above)}: {_plain(part, depth + 1, above)}"
            for key, part in list(value.items())[:200]
        )
        return f"{type(value).__name__}({', '.join(pairs)})"
    if isinstance(value, (set, frozenset)):
        return f"set({sorted(_plain(part, depth + 1, above) for part in value)})"
    text = re.sub(r"0x[0-9a-f]+", "0x", repr(value))
    names = getattr(value, "__dict__", None)
    if " at 0x" in text and isinstance(names, dict) and not callable(value):
        return f"{type(value).__name__}{_plain(names, depth + 1, above)}"
    return text
