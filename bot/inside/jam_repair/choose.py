"""
Which of several plausible changes to put forward.

All of them pass every test, so this asks what else tells them apart: what they do on inputs near
those that the tests used, whether they have the shape of a change that merely silences, and how
much they change.
"""

from __future__ import annotations

import ast
import copy
import itertools
import random
import re
from typing import Any, Iterator, NamedTuple, Sequence

from . import swap
from .children import Tell, ask
from .evaluate import Suite
from .rank import Candidate
from .source import FunctionNode, Source, first_line, splice
from .swap import Live
from .trace import Captured, Files
from .trial import Timer, Trials

INPUTS, CALLS, CALL_SECONDS = 80, 24, 0.05
#: What a kind of edit costs beside its size: people write some more often than others.
COST = {
    "delete": 40, "insert guard": 14, "move": 10, "alternative": 12, "off by one": 6, "extend": 8, "unwrap": 4,
    "condition": 6, "insert statement": 6, "expression": 5, "accumulate": 4, "wrap": 4, "decorate": 20, "parameter": 15,
}  # fmt: skip


class Ranked(NamedTuple):
    candidate: Candidate
    cluster: int  # which behaviour, 0 for the most common
    alike: int  # how many of the plausible ones behave so
    why: str


def choose(found: Sequence[Candidate], behaviours: dict[str, tuple[str, ...]]) -> list[Ranked]:
    """Best first. ``behaviours`` maps a candidate's digest to what it did on other inputs."""
    clusters: dict[tuple[str, ...], list[Candidate]] = {}
    for candidate in found:
        clusters.setdefault(behaviours.get(candidate.digest, ()), []).append(candidate)
    order = sorted(clusters, key=lambda key: _worth(key, clusters))
    ranked: list[Ranked] = []
    for place, key in enumerate(order):
        for candidate in sorted(clusters[key], key=cost):
            ranked.append(Ranked(candidate, place, len(clusters[key]), why(candidate)))
    return ranked


def _worth(key: tuple[str, ...], clusters: dict[tuple[str, ...], list[Candidate]]) -> float:
    """Less is better: the cheapest change in it, eased by how many others agree."""
    members = clusters[key]
    errors = sum(what.startswith("!") for what in key) / (len(key) or 1)
    kinds = len({member.op for member in members})
    return min(map(cost, members)) - 6.0 * min(kinds - 1, 4) + 10.0 * errors


def cost(candidate: Candidate) -> float:
    """How unlike a person's change it is: size, kind, and the shapes that merely silence."""
    base = (
        3.0 * _changed(candidate) ** 0.5
        + COST.get(candidate.op, 0)
        + 3.0 * (len(candidate.splices) - 1)
    )
    return base + (25.0 if _silences(candidate) else 0.0) + 4.0 * _clumsy(candidate)


def _changed(candidate: Candidate) -> int:
    """Characters that really differ, the common ends left out."""
    total = 0
    for start, end, new in candidate.splices:
        old = candidate.source.text[start:end]
        head = len(_common(old, new))
        tail = len(_common(old[head:][::-1], new[head:][::-1]))
        total += max(len(old), len(new)) - head - tail
    return max(total, 1)


def _common(one: str, other: str) -> str:
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other))
    return "".join(pair[0] for pair in pairs)


def _silences(candidate: Candidate) -> bool:
    """A condition made constant, an early plain return, a bare return beside ones with values."""
    new = " ".join(text for _, _, text in candidate.splices)
    if re.search(r"\b(if|while) (True|False|0|1|None)\b", _line(candidate)):
        return True
    if candidate.op == "insert guard" and re.search(
        r"return( None| \[\]| ''| 0| True| False)?\s*$", new
    ):
        return True
    return bool(re.fullmatch(r"\s*return\s*", new))


def _line(candidate: Candidate) -> str:
    text = candidate.text
    start = min(start for start, _, _ in candidate.splices)
    return text[text.rfind("\n", 0, start) + 1 : text.find("\n", start)]


CLUMSY = (
    r"[<>]=? [\w.()\[\]]+ [+-] 1\b",  # a comparison with an off-by-one beside it
    r"[+-] 1 [<>]=?",
    r"1 [+-] 1\b",
    r"\b(\w+) [-/] \1\b",
    r"- -|\+ -",
    r"\bnot not\b",
    r"\b(max|min|int|str|list|len)\(\1\(",
)


def _clumsy(candidate: Candidate) -> int:
    before, after = candidate.source.line(candidate.line), _line(candidate)
    return sum(len(re.findall(shape, after)) > len(re.findall(shape, before)) for shape in CLUMSY)


def why(candidate: Candidate) -> str:
    return "it silences rather than mends" if _silences(candidate) else ""


class Behaviours:
    """Runs the candidates for one function on inputs near those the tests used."""

    def __init__(self, trials: Trials, live: Live, suite: Suite, files: Files) -> None:
        self._trials, self._live, self._suite, self._files = trials, live, suite, files

    def of(
        self, unit: FunctionNode, found: Sequence[Candidate], seconds: float
    ) -> dict[str, tuple[str, ...]]:
        source = found[0].source

        def work(tell: Tell) -> None:
            inputs = self._inputs(source, unit)
            functions = self._live.running(source.file, unit.name, first_line(unit))
            if not functions or not inputs:
                return
            for candidate in found:
                tell(
                    [
                        candidate.digest,
                        ask(
                            lambda t, c=candidate: self._behave(c, functions[0], inputs, t),
                            seconds=3.0,
                        ),
                    ]
                )

        answers = ask(work, seconds=seconds)
        longest = max((len(said) for _, said in answers), default=0)
        return {digest: tuple(said) for digest, said in answers if len(said) == longest}

    def _inputs(self, source: Source, unit: FunctionNode) -> list[Any]:
        captured = Captured(self._files, (source.path, first_line(unit)), most=CALLS)
        timer = Timer()
        for item in [*self._suite.targets, *self._suite.passing[:40]]:
            captured.start()
            self._trials.run(item, seconds=0.5, timer=timer)
            captured.stop()
            if len(captured.arguments) >= CALLS:
                break
        return list(itertools.islice(_near(captured.arguments), INPUTS))

    def _behave(self, candidate: Candidate, function: Any, inputs: list[Any], tell: Tell) -> None:
        assert candidate.unit is not None
        swap.apply(swap.swaps(candidate.source, candidate.unit, candidate.splices, self._live))
        timer = Timer()
        for positional, keywords in inputs:
            tell(_did(function, positional, keywords, timer))


def _did(function: Any, positional: Any, keywords: Any, timer: Timer) -> str:
    try:
        positional, keywords = copy.deepcopy((positional, keywords))
        with timer.limit(CALL_SECONDS):
            value = function(*positional, **keywords)
            if hasattr(value, "__next__"):
                value = list(itertools.islice(value, 200))
            return _plain(repr((value, positional)))
    except BaseException as raised:
        return "!" + type(raised).__name__


def _plain(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", text)[:2000]


def _near(arguments: Sequence[Any]) -> Iterator[Any]:
    """Each call as it was, then with one part of one argument changed a little."""
    chance = random.Random(0)  # noqa: S311  # the same inputs for every candidate, nothing secret
    yield from arguments
    for _ in range(6):
        for positional, keywords in arguments:
            if positional:
                place = chance.randrange(len(positional))
                for changed in _varied(positional[place], chance, depth=0):
                    yield (*positional[:place], changed, *positional[place + 1 :]), keywords
                    break


def _varied(value: Any, chance: random.Random, depth: int) -> Iterator[Any]:
    if isinstance(value, bool) or value is None or depth > 3:
        return
    if isinstance(value, int):
        yield max(value + chance.choice((-2, -1, 1, 2, 5)), 0 if value >= 0 else value - 9)
    elif isinstance(value, float):
        yield value * chance.choice((0.5, 1.5, 2.0)) + chance.choice((0.0, 0.25))
    elif isinstance(value, str):
        yield _varied_text(value, chance)
    elif isinstance(value, (list, tuple)):
        yield _varied_sequence(value, chance, depth)
    elif isinstance(value, dict) and value:
        key = chance.choice(list(value))
        for other in _varied(value[key], chance, depth + 1):
            yield {**value, key: other}


def _varied_text(value: str, chance: random.Random) -> str:
    place = chance.randrange(len(value) + 1)
    how = chance.randrange(3)
    if how == 0 or not value:
        return value[:place] + chance.choice(value or "ab ") + value[place:]
    return value[:place] + value[place + 1 :] if how == 1 else value[::-1]


def _varied_sequence(value: Any, chance: random.Random, depth: int) -> Any:
    parts, how = list(value), chance.randrange(4)
    if how == 0 and parts:
        del parts[chance.randrange(len(parts))]
    elif how == 1 and parts:
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(parts))
    elif how == 2 and len(parts) > 1:
        chance.shuffle(parts)
    elif parts:
        place = chance.randrange(len(parts))
        for other in _varied(parts[place], chance, depth + 1):
            parts[place] = other
    return type(value)(parts) if type(value) in (list, tuple) else value


def edited(candidate: Candidate) -> tuple[str, str]:
    """The changed lines, before and after, for a person."""
    text, start = candidate.source.text, min(s for s, _, _ in candidate.splices)
    end = max(e for _, e, _ in candidate.splices)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(end - 1, start))
    last = len(text) if last < 0 else last
    moved = tuple((s - first, e - first, new) for s, e, new in candidate.splices)
    return text[first:last], splice(text[first:last], moved)


def is_parsed(candidate: Candidate) -> bool:
    try:
        ast.parse(candidate.text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def functions_of(found: Sequence[Candidate]) -> dict[FunctionNode, list[Candidate]]:
    grouped: dict[FunctionNode, list[Candidate]] = {}
    for candidate in found:
        if candidate.unit is not None:
            grouped.setdefault(candidate.unit, []).append(candidate)
    return grouped
