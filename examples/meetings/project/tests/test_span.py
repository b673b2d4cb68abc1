import pytest

from meetings import Span, clock, span


def test_a_span_is_read_in_minutes():
    assert span("9:00-17:30") == Span(540, 1050)


@pytest.mark.parametrize("text", ["9-17", "9:00", "9:61-10:00", "17:00-9:00", "23:00-25:00"])
def test_nonsense_is_refused(text):
    with pytest.raises(ValueError):
        span(text)


def test_a_clock_pads_minutes():
    assert clock(545) == "9:05"


def test_spans_that_touch_do_not_overlap():
    assert not span("9:00-10:00").overlaps(span("10:00-11:00"))


def test_a_span_is_clipped_to_the_day():
    assert span("8:00-10:00").clipped(span("9:00-17:00")) == span("9:00-10:00")


def test_a_span_outside_is_clipped_to_nothing():
    assert span("7:00-8:00").clipped(span("9:00-17:00")) is None
