import pytest

from meetings import free, merge, offers, span

DAY = span("9:00-17:00")


def test_touching_appointments_become_one():
    assert merge([span("10:00-11:00"), span("9:00-10:00")]) == [span("9:00-11:00")]


def test_an_appointment_inside_another_adds_nothing():
    assert merge([span("9:00-12:00"), span("10:00-11:00")]) == [span("9:00-12:00")]


def test_an_empty_day_is_free():
    assert free([], DAY) == [DAY]


def test_free_time_lies_between_appointments():
    busy = [span("10:00-12:00"), span("13:00-16:00")]

    assert free(busy, DAY) == [span("9:00-10:00"), span("12:00-13:00"), span("16:00-17:00")]


def test_a_day_that_is_full_has_no_free_time():
    assert free([span("8:00-18:00")], DAY) == []


def test_meetings_begin_on_the_quarter_hour():
    assert offers([span("10:00-17:00")], span("9:05-17:00"), minutes=20) == ["9:15", "9:30"]


def test_a_meeting_that_fits_exactly_is_offered():
    assert offers([span("9:30-17:00")], DAY, minutes=30) == ["9:00"]


def test_a_meeting_may_end_when_the_day_does():
    assert offers([span("9:00-16:00")], DAY, minutes=30) == ["16:00", "16:15", "16:30"]


def test_a_meeting_that_is_too_long_is_not_offered():
    assert offers([span("9:30-17:00")], DAY, minutes=45) == []


def test_a_pause_is_kept_around_appointments():
    busy = [span("9:00-10:00"), span("11:00-17:00")]

    assert offers(busy, DAY, minutes=25, pause=10) == ["10:15"]


def test_the_grid_can_be_wider():
    assert offers([span("11:10-17:00")], DAY, minutes=60, step=60) == ["9:00", "10:00"]


def test_a_meeting_without_length_is_refused():
    with pytest.raises(ValueError):
        offers([], DAY, minutes=0)
