"""
What is being dealt with: the ids that a line of a log belongs to, known to whoever writes it.

A line is said by code that knows nothing of deliveries; the thread that runs it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_IDS: ContextVar[Mapping[str, str]] = ContextVar("ids", default={})  # noqa: B039  # never changed


@contextmanager
def about(**ids: str) -> Iterator[None]:
    token = _IDS.set({**_IDS.get(), **ids})
    try:
        yield
    finally:
        _IDS.reset(token)


def ids() -> Mapping[str, str]:
    return _IDS.get()
