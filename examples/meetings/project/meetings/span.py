"""A stretch of one day, in minutes since midnight. The end is not part of it."""

import re
from dataclasses import dataclass

DAY = 24 * 60
TIMES = re.compile(r"\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*")


@dataclass(frozen=True, order=True)
class Span:
    start: int
    end: int

    def __post_init__(self):
        if not 0 <= self.start <= self.end <= DAY:
            raise ValueError(f"{self.start} to {self.end} is no stretch of a day")

    @property
    def minutes(self):
        return self.end - self.start

    def overlaps(self, other):
        return self.start < other.end and other.start < self.end

    def clipped(self, within):
        """The part of this span that lies within another, or None."""
        if not self.overlaps(within):
            return None
        return Span(max(self.start, within.start), min(self.end, within.end))


def span(text):
    """Reads a span such as ``9:00-17:30``."""
    found = TIMES.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not like 9:00-17:30")
    hour, minute, end_hour, end_minute = map(int, found.groups())
    if minute > 59 or end_minute > 59:
        raise ValueError(f"{text!r} has more than 59 minutes in an hour")
    return Span(hour * 60 + minute, end_hour * 60 + end_minute)


def clock(minute):
    """Minutes since midnight as people write them."""
    return f"{minute // 60}:{minute % 60:02}"
