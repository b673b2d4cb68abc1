"""
Which tests run, and in which order, when jam asks for it. PYTEST_DONT_REWRITE

The same wishes give the same order in every process. Files and classes stay together, so that
what is set up once for them still is, unless jam wants tests shuffled across them. Refuses
to know pytest and unittest.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from typing import Any, Callable, Sequence, TypeVar

    Item = TypeVar("Item")


def chosen(
    items: Sequence[Item], name: Callable[[Item], str], wishes: dict[str, Any]
) -> tuple[list[Item], list[Item]]:
    """What jam wants to run, and the rest."""
    wanted = wishes.get("select")
    if wanted is None:
        return list(items), []
    names = frozenset(wanted)
    kept = [item for item in items if name(item) in names]
    return kept, [item for item in items if name(item) not in names]


def files_of(wishes: dict[str, Any], root: str) -> list[str]:
    """Where the tests are that jam wants to run; nothing where it wants all, or does not know."""
    wanted = wishes.get("select") or ()
    files = sorted({name.partition("::")[0] for name in wanted if "::" in name})
    return [os.path.join(root, file) for file in files]


def covered(files: list[str], args: Sequence[str], folder: str) -> list[str]:
    """Those that a run with ``args`` comes to, or that lie beside a file that it names."""
    found = []
    for file in files:
        for arg in args:
            place = os.path.realpath(os.path.join(folder, arg.partition("::")[0]))
            place = os.path.dirname(place) if os.path.isfile(place) else place
            if os.path.realpath(file).startswith(place.rstrip(os.sep) + os.sep):
                found.append(file)
                break
    return found


def ordered(
    items: Sequence[Item], name: Callable[[Item], str], wishes: dict[str, Any]
) -> list[Item]:
    order = wishes.get("order") or {}
    if order.get("given"):
        turns = {wanted: at for at, wanted in enumerate(order["given"])}
        return sorted(items, key=lambda item: turns.get(name(item), len(turns)))
    seed, backwards = order.get("seed"), order.get("backwards")
    if not seed and not backwards:
        return list(items)
    moved = frozenset(order.get("moved") or ())
    places = [at for at, item in enumerate(items) if not moved or name(item) in moved]
    subjects = [items[at] for at in places]
    if seed:
        import random

        chance = random.Random(seed)  # noqa: S311  # no secret
        if order.get("across"):
            chance.shuffle(subjects)
        else:
            subjects = _shuffled(subjects, name, chance)
    if backwards:
        subjects.reverse()
    result = list(items)
    for at, item in zip(places, subjects):  # not in 3.8; both are as long
        result[at] = item
    return result


def _shuffled(items: list[Item], name: Callable[[Item], str], chance: random.Random) -> list[Item]:
    """Files in another order, classes within a file, tests within a class."""
    result: list[Item] = []
    for file in _in_chance_order(items, lambda item: groups(name(item))[0], chance):
        for group in _in_chance_order(file, lambda item: groups(name(item))[1], chance):
            chance.shuffle(group)
            result.extend(group)
    return result


def _in_chance_order(
    items: list[Item], key: Callable[[Item], str], chance: random.Random
) -> list[list[Item]]:
    together: dict[str, list[Item]] = {}
    for item in items:
        together.setdefault(key(item), []).append(item)
    result = list(together.values())
    chance.shuffle(result)
    return result


def groups(name: str) -> tuple[str, str]:
    """File and class of ``tests/a.py::B::test[c::d]`` or of ``tests.a.B.test``."""
    bare = name.partition("[")[0]
    if "::" in bare:
        return bare.partition("::")[0], bare.rpartition("::")[0]
    return bare.rpartition(".")[0].rpartition(".")[0], bare.rpartition(".")[0]
