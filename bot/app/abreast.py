"""
Rooms side by side, and what becomes of them when nobody waits for them any more.

Whoever leaves, by an error or because a person would not wait, ends what still runs: a room that is
judged to its end for nobody only keeps everybody from going on.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event


@contextmanager
def abreast(count: int, halt: Event) -> Iterator[ThreadPoolExecutor]:
    """``halt`` is set when this is left before its time; whatever runs looks at it."""
    rooms = ThreadPoolExecutor(max_workers=count)
    try:
        yield rooms
    except BaseException:
        halt.set()
        raise
    finally:
        rooms.shutdown(cancel_futures=True)
