"""What is free in a day, and when a meeting could begin."""

from meetings.span import Span, clock


def merge(spans):
    """The same time in as few spans as possible, in order. Neighbours that touch become one."""
    merged = []
    for one in sorted(spans):
        if merged and one.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return merged


def free(busy, within):
    """The spans of ``within`` in which nothing is going on."""
    gaps, start = [], within.start
    for taken in merge(busy):
        taken = taken.clipped(within)
        if taken is None:
            continue
        if start < taken.start:
            gaps.append(Span(start, taken.start))
        start = taken.end
    if start < within.end:
        gaps.append(Span(start, within.end))
    return gaps


def offers(busy, within, minutes, step=15, pause=0):
    """
    When a meeting of so many minutes could begin, on the quarter hour unless ``step`` says else.

    ``pause`` minutes are kept free before and after every appointment.
    """
    if minutes <= 0 or step <= 0:
        raise ValueError("a meeting takes time, and so does a step")
    padded = [Span(max(0, one.start - pause), min(24 * 60, one.end + pause)) for one in busy]
    return [
        clock(start)
        for gap in free(padded, within)
        for start in starts(gap, minutes, step)
    ]


def starts(gap, minutes, step):
    """Every start on the grid from which the meeting is over when the gap is."""
    start = -(-gap.start // step) * step
    while start + minutes < gap.end:
        yield start
        start += step
