"""
Compares two versions of one program on random valid inputs, in a process of its own.

    python quixbugs_compare.py FOLDER_OF_THE_REFERENCE FOLDER_OF_THE_CHANGED PROGRAM

Each folder holds ``PROGRAM.py`` (and ``node.py``). Prints one JSON object.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
import json
import math
import signal
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from quixbugs_inputs import arguments  # the script is run by its path

INPUTS, SECONDS = 250, 0.5


class Overdue(BaseException):
    """The call took too long."""


def load(folder: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(
        f"{Path(folder).name}_{name}", f"{folder}/{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(function: Any, given: tuple[Any, ...], *, sizes: int = 2000) -> Any:
    signal.setitimer(signal.ITIMER_PROF, SECONDS, 0.05)
    try:
        value = function(*given)
        if hasattr(value, "__next__"):
            value = list(itertools.islice(value, sizes))
        return plain(value)
    except BaseException as raised:  # noqa: BLE001  # what it raises is its answer
        return f"! {type(raised).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def plain(value: Any, depth: int = 0) -> Any:
    if hasattr(value, "successor") and hasattr(value, "value"):
        return ["node", value.value, plain(value.successor, depth + 1) if depth < 12 else "…"]
    if isinstance(value, dict):
        return sorted((str(plain(k)), plain(v)) for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(str(plain(part)) for part in value)
    return [plain(part, depth) for part in value] if isinstance(value, (list, tuple)) else value


def is_same(program: str, given: tuple[Any, ...], one: Any, other: Any) -> bool:
    if program == "sqrt":
        x, epsilon = given
        return isinstance(other, float) and abs(other - math.sqrt(x)) <= max(
            epsilon, abs(one - math.sqrt(x))
        )
    if program == "powerset":
        return isinstance(other, list) and sorted(map(str, one)) == sorted(map(str, other))
    if program == "topological_ordering" and not isinstance(other, str):
        return sorted(map(str, one)) == sorted(map(str, other)) and one == other
    if program == "get_factors":
        return isinstance(other, list) and sorted(one) == sorted(other)
    return bool(
        (one == other and type(one) is type(other)) or (one, other) in ((True, 1), (False, 0))
    )


def main(reference: str, changed: str, program: str) -> None:
    def ring(*_: object) -> None:
        raise Overdue

    signal.signal(signal.SIGPROF, ring)
    sys.path.insert(0, reference)
    node = load(reference, "node").Node if (Path(reference) / "node.py").exists() else None
    right = getattr(load(reference, program), program)
    ours = getattr(load(changed, program), program)
    compared, differ = 0, []
    for seed in range(INPUTS):
        given = arguments(program, Random(seed), node)  # the same inputs every time
        wanted = answer(right, copy.deepcopy(given))
        if isinstance(wanted, str) and wanted.startswith("!"):
            continue
        got = answer(ours, copy.deepcopy(given))
        compared += 1
        if not is_same(program, given, wanted, got):
            differ.append([repr(given)[:200], str(wanted)[:200], str(got)[:200]])
            if sum(str(d[2]).startswith("! Overdue") for d in differ) > 5:
                break
    print(json.dumps({"compared": compared, "differ": len(differ), "first": differ[:2]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
