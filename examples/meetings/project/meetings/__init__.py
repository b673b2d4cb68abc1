"""Finds free time between appointments."""

from meetings.calendar import free, merge, offers
from meetings.span import Span, clock, span

__all__ = ["Span", "clock", "free", "merge", "offers", "span"]
