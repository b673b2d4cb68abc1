"""
The log of a job that failed: which tests it says failed, and the part that a reader needs.

It only points: what has to become green is decided by jam's own run of the oracle, and a name that
does not fail there is no target. Knows the words of pytest, unittest and go; any other log is read
by its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core import named_ids
from bot.core.visible import bound

LIMIT = 20_000
MANY = 100

_STAMP = re.compile(r"(?m)^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PYTEST = re.compile(r"(?m)^(?:FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - .*)?$")
_GO = re.compile(r"(?m)^\s*--- FAIL: (\S+) \(")
_UNITTEST = re.compile(r"(?m)^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)$")
_GROUP = re.compile(r"(?m)^##\[(?:end)?group\].*\n?")


def read(content: bytes) -> str:
    """As a person reads it: without the runner's stamps, colours and folds."""
    text = content.decode(errors="replace").replace("\r\n", "\n")
    return _GROUP.sub("", _COLOUR.sub("", _STAMP.sub("", text)))


def failing(text: str) -> tuple[str, ...]:
    """Test ids in the order in which they are named, each once."""
    return tuple(dict.fromkeys(_named(text)))[:MANY]


def _named(text: str) -> Iterator[str]:
    for found in _PYTEST.finditer(text):
        if not isinstance(named_ids.read(found[1]), named_ids.Unfit):
            yield found[1]
    for found in _UNITTEST.finditer(text):
        module = found[2]
        yield module if module.endswith(f".{found[1]}") else f"{module}.{found[1]}"
    yield from (found[1] for found in _GO.finditer(text))


def excerpt(text: str, *, limit: int = LIMIT) -> str:
    """The end of the log, which is where it says what went wrong."""
    return bound(text.strip("\n"), limit, tail=0.9)
