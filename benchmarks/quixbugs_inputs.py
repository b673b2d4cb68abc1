"""
Random valid inputs for each program of the QuixBugs benchmark, made from its documented
preconditions. Nothing of the benchmark itself is in here.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable
from random import Random
from typing import Any

Arguments = tuple[Any, ...]


def ints(r: Random, *, most: int = 9, low: int = -9, high: int = 30) -> list[int]:
    return [r.randint(low, high) for _ in range(r.randint(0, most))]


def ordered(r: Random) -> list[int]:
    return sorted(ints(r))


def word(r: Random, letters: str = "abc", most: int = 7) -> str:
    return "".join(r.choice(letters) for _ in range(r.randint(0, most)))


def nested(r: Random, depth: int = 3) -> list[Any]:
    return [
        nested(r, depth - 1) if depth and r.random() < 0.4 else r.randint(0, 9)
        for _ in range(r.randint(0, 4))
    ]


def sought(r: Random) -> Arguments:
    arr = ordered(r)
    return arr, r.choice(arr) if arr and r.random() < 0.7 else r.randint(-10, 31)


def bucket(r: Random) -> Arguments:
    arr = ints(r, low=0, high=9)
    return arr, max(arr, default=0) + r.randint(1, 3)


def nearly_sorted(r: Random) -> Arguments:
    arr, k = ordered(r), r.randint(1, 4)
    for place in range(0, len(arr) - k, k + 1):
        part = arr[place : place + k]
        r.shuffle(part)
        arr[place : place + k] = part
    return arr, min(k, len(arr))


def sack(r: Random) -> Arguments:
    return r.randint(1, 30), [(r.randint(1, 12), r.randint(1, 40)) for _ in range(r.randint(0, 6))]


def kth(r: Random) -> Arguments:
    arr = ints(r) or [1]
    return arr, r.randrange(len(arr))


def polish(r: Random) -> Arguments:
    tokens: list[Any] = [float(r.randint(1, 9))]
    depth = 1
    for _ in range(r.randint(1, 8)):
        if depth > 1 and r.random() < 0.5:
            tokens.append(r.choice("+-*/"))
            depth -= 1
        else:
            tokens.append(float(r.randint(1, 9)))
            depth += 1
    return ([*tokens, *(r.choice("+-*/") for _ in range(depth - 1))],)


def infix(r: Random) -> Arguments:
    tokens: list[Any] = [r.randint(1, 20)]
    for _ in range(r.randint(0, 5)):
        tokens += [r.choice("+-*/"), r.randint(1, 20)]
    return (tokens,)


def prose(r: Random) -> Arguments:
    words = (word(r, string.ascii_lowercase, 8) or "a" for _ in range(r.randint(1, 14)))
    return " ".join(words), r.randint(3, 20)


def digits(r: Random) -> list[int]:
    return [r.randint(1, 9), *(r.choice((0, 9, r.randint(0, 9))) for _ in range(r.randint(0, 5)))]


def permutation(r: Random) -> Arguments:
    arr = r.sample(range(20), r.randint(2, 6))
    return (sorted(arr, reverse=True) if arr == sorted(arr) and r.random() < 0.2 else arr,)


def _nodes(r: Random, node: Any, *, acyclic: bool) -> list[Any]:
    """``acyclic``: edges only lead forward."""
    made = [node(str(n)) for n in range(r.randint(1, 7))]
    for place, one in enumerate(made):
        others = made[place + 1 :] if acyclic else made
        one.successors = r.sample(others, min(len(others), r.randint(0, 3)))
        for other in one.successors:
            other.predecessors = [*(other.predecessors or []), one]
        one.incoming_nodes = list(getattr(one, "incoming_nodes", None) or [])
    for one in made:
        one.outgoing_nodes = list(one.successors)
        for other in one.successors:
            other.incoming_nodes.append(one)
    return made


def two_nodes(r: Random, node: Any) -> Arguments:
    made = _nodes(r, node, acyclic=False)
    return r.choice(made), r.choice(made)


def chain(r: Random, node: Any) -> list[Any]:
    made = [node(n) for n in range(r.randint(1, 6))]
    for one, other in itertools.pairwise(made):
        one.successor = other
    return made


def maybe_cycle(r: Random, node: Any) -> Arguments:
    made = chain(r, node)
    if r.random() < 0.5:
        made[-1].successor = r.choice(made)
    return (made[0],)


def _edges(r: Random, *, low: int, directed: bool) -> tuple[list[str], dict[Any, int]]:
    names = list("ABCDEF")[: r.randint(2, 6)]
    edges = {}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            if r.random() < 0.6:
                edges[one, other] = r.randint(low, 12)
            elif directed and r.random() < 0.3:
                edges[other, one] = r.randint(max(low, 6), 20)
    return names, edges


def spanning(r: Random) -> Arguments:
    _, edges = _edges(r, low=1, directed=False)
    weights = r.sample(range(1, 60), len(edges))
    return (dict(zip(edges, weights, strict=True)),)


def all_paths(r: Random) -> Arguments:
    names, edges = _edges(r, low=1, directed=True)
    numbers = {name: place for place, name in enumerate(names)}
    return len(names), {(numbers[a], numbers[b]): cost for (a, b), cost in edges.items()}


def one_source(r: Random) -> Arguments:
    names, edges = _edges(r, low=1, directed=True)
    return names[0], edges


def weighted(r: Random, node: Any) -> Arguments:
    made = _nodes(r, node, acyclic=False)
    return (
        {(one, other): r.randint(1, 9) for one in made for other in one.successors},
        made[0],
        r.choice(made),
    )


PLAIN: dict[str, Callable[[Random], Arguments]] = {
    "bitcount": lambda r: (r.randint(0, 5000),),
    "bucketsort": bucket,
    "find_first_in_sorted": sought,
    "find_in_sorted": sought,
    "flatten": lambda r: (nested(r),),
    "gcd": lambda r: (r.randint(0, 300), r.randint(0, 300)),
    "get_factors": lambda r: (r.randint(1, 3000),),
    "hanoi": lambda r: (r.randint(0, 6), *r.sample((1, 2, 3), 2)),
    "is_valid_parenthesization": lambda r: (word(r, "()", 8),),
    "kheapsort": nearly_sorted,
    "knapsack": sack,
    "kth": kth,
    "lcs_length": lambda r: (word(r), word(r)),
    "levenshtein": lambda r: (word(r, most=5), word(r, most=5)),
    "lis": lambda r: (ints(r),),
    "longest_common_subsequence": lambda r: (word(r, most=6), word(r, most=6)),
    "max_sublist_sum": lambda r: (ints(r, low=-20, high=20),),
    "mergesort": lambda r: (ints(r),),
    "next_palindrome": lambda r: (digits(r),),
    "next_permutation": permutation,
    "pascal": lambda r: (r.randint(1, 12),),
    "possible_change": lambda r: (r.sample((1, 2, 5, 10, 25), r.randint(1, 4)), r.randint(0, 60)),
    "powerset": lambda r: (ints(r, most=5),),
    "quicksort": lambda r: (ints(r),),
    "rpn_eval": polish,
    "shunting_yard": infix,
    "sieve": lambda r: (r.randint(1, 120),),
    "sqrt": lambda r: (r.uniform(0.1, 200), 10 ** -r.randint(1, 6)),
    "subsequences": lambda r: (r.randint(1, 5), r.randint(4, 9), r.randint(0, 4)),
    "to_base": lambda r: (r.randint(1, 5000), r.randint(2, 36)),
    "wrap": prose,
    "minimum_spanning_tree": spanning,
    "shortest_path_lengths": all_paths,
    "shortest_paths": one_source,
}  # fmt: skip
WITH_NODES: dict[str, Callable[[Random, Any], Arguments]] = {
    "breadth_first_search": two_nodes,
    "depth_first_search": two_nodes,
    "detect_cycle": maybe_cycle,
    "reverse_linked_list": lambda r, node: (chain(r, node)[0],),
    "shortest_path_length": weighted,
    "topological_ordering": lambda r, node: (_nodes(r, node, acyclic=True),),
}


def arguments(program: str, r: Random, node: Any) -> Arguments:
    if program in PLAIN:
        return PLAIN[program](r)
    return WITH_NODES[program](r, node)
