"""How jam takes GitHub's answers, and that it never has to be told to slow down."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.pacing import (
    ATTEMPTS,
    LONGEST_S,
    Fine,
    GiveUp,
    LookAgain,
    Move,
    Renew,
    Reply,
    Retry,
    decide,
)
from bot.core.write_pace import AHEAD_S, APART_S, PER_HOUR, PER_MINUTE, WritePace

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RESET = str(int((NOW + timedelta(minutes=20)).timestamp()))
HTTP_DATE = "Mon, 30 Nov 2026 12:00:30 GMT"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."
UNPERMITTED = "Resource not accessible by integration"


def get(status: int | None, message: str = "", **headers: str) -> Reply:
    return _reply("GET", status, message, headers)


def post(status: int | None, message: str = "", **headers: str) -> Reply:
    return _reply("POST", status, message, headers)


def _reply(method: str, status: int | None, message: str, headers: dict[str, str]) -> Reply:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(method=method, status=status, message=message, headers=told)


ASKED, MANY = "GitHub asked to wait", "too many requests at a time"
EMPTY = "the hour's requests are used up"
FIRST: dict[str, tuple[Reply, Move]] = {
    "a read that is fine": (get(200), Fine()),
    "a write that is fine": (post(201), Fine()),
    "nothing new": (get(304), Fine()),
    "not ready yet": (get(202), Retry(2.0, "GitHub is still at it")),
    "moved": (get(301), GiveUp("it has moved: find the repository by its number again")),
    "moved, on a write": (
        post(307),
        GiveUp("it has moved: find the repository by its number again"),
    ),
    "no answer to a read": (get(None), Retry(1.0, "no answer")),
    "no answer to a write": (post(None), LookAgain(1.0, "no answer")),
    "no answer to a small write": (
        Reply(method="patch", status=None),
        LookAgain(1.0, "no answer"),
    ),
    "a fault on a read": (get(502), Retry(1.0, "GitHub answered 502")),
    "a fault on a write": (post(502), LookAgain(1.0, "GitHub answered 502")),
    "a fault with a time": (
        get(503, Retry_After="7"),
        Retry(7.0, "GitHub answered 503"),
    ),
    "a token that is over": (post(401), Renew()),
    "a secondary limit with a time": (
        post(403, SECONDARY, Retry_After="30"),
        Retry(30.0, ASKED),
    ),
    "a secondary limit with a date": (
        post(403, SECONDARY, retry_after=HTTP_DATE),
        Retry(30.0, ASKED),
    ),
    "a secondary limit without a time": (post(403, SECONDARY), Retry(60.0, MANY)),
    "a secondary limit with nonsense": (
        post(403, SECONDARY, Retry_After="soon"),
        Retry(60.0, MANY),
    ),
    "a secondary limit with no time at all": (
        post(403, SECONDARY, Retry_After="0"),
        Retry(1.0, ASKED),
    ),
    "an old name of the secondary limit": (
        post(403, "You have triggered an abuse detection mechanism."),
        Retry(60.0, MANY),
    ),
    "too many, without a word": (get(429), Retry(60.0, MANY)),
    "too many, with a time": (get(429, Retry_After="5"), Retry(5.0, ASKED)),
    "the hour is used up": (
        get(403, "API rate limit exceeded", X_RateLimit_Remaining="0", X_RateLimit_Reset=RESET),
        Retry(1201.0, EMPTY),
    ),
    "the hour is used up, with another status": (
        get(429, X_RateLimit_Remaining="0", X_RateLimit_Reset=RESET),
        Retry(1201.0, EMPTY),
    ),
    "the hour is over already": (
        get(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="1"),
        Retry(1.0, EMPTY),
    ),
    "the hour is used up, until nobody knows": (
        get(403, X_RateLimit_Remaining="0"),
        Retry(61.0, EMPTY),
    ),
    "not permitted": (post(403, UNPERMITTED), GiveUp("GitHub does not permit it")),
    "not permitted, whatever else it says": (
        post(403, UNPERMITTED, X_RateLimit_Remaining="4000", Retry_After="5"),
        GiveUp("GitHub does not permit it"),
    ),
    "gone": (get(404), GiveUp("GitHub answered 404")),
    "gone for good": (get(410), GiveUp("GitHub answered 410")),
    "there already": (
        post(422, "A pull request already exists for ada:jam/issue-12."),
        LookAgain(0.0, "it is there already"),
    ),
    "a reference there already": (
        post(422, "Reference already exists"),
        LookAgain(0.0, "it is there already"),
    ),
    "not valid": (post(422, "Validation Failed"), GiveUp("GitHub answered 422")),
    "changed at the same time": (
        post(409),
        LookAgain(1.0, "something else changed it at the same time"),
    ),
    "a wait too long": (
        post(403, SECONDARY, Retry_After="86400"),
        GiveUp("GitHub asked to wait, for 86400 seconds"),
    ),
    "a wait beyond all numbers": (
        post(429, Retry_After="9" * 400),
        GiveUp("GitHub asked to wait, for 14400 seconds"),
    ),
}


class TestAnswers:
    @pytest.mark.parametrize("case", FIRST)
    def test_the_first_time(self, case: str) -> None:
        reply, move = FIRST[case]

        assert decide(reply, attempt=1, now=NOW) == move

    @pytest.mark.parametrize(
        ("reply", "waits"),
        [
            (get(500), [1.0, 2.0, 4.0, 8.0, 16.0]),
            (post(403, SECONDARY), [60.0, 120.0, 240.0, 480.0, 960.0]),
        ],
    )
    def test_waits_double_and_have_an_end(self, reply: Reply, waits: list[float]) -> None:
        moves = [decide(reply, attempt=attempt, now=NOW) for attempt in range(1, ATTEMPTS + 1)]

        assert [move.after_s for move in moves if isinstance(move, Retry)] == waits
        assert isinstance(moves[-1], GiveUp)

    def test_a_new_token_is_asked_for_once(self) -> None:
        assert decide(get(401), attempt=2, now=NOW) == GiveUp("the token is not accepted")

    def test_those_who_wait_together_come_back_apart(self) -> None:
        assert decide(get(500), attempt=1, now=NOW, chance=1.0) == Retry(1.5, "GitHub answered 500")

    @given(
        st.sampled_from(["GET", "POST", "PATCH", "PUT", "DELETE"]),
        st.none() | st.integers(100, 599),
        st.dictionaries(
            st.sampled_from(["Retry-After", "X-RateLimit-Remaining", "X-RateLimit-Reset"]),
            st.text(max_size=20) | st.integers().map(str) | st.just("0"),
        ),
        st.text(max_size=30) | st.just(SECONDARY),
        st.integers(1, 10),
    )
    def test_any_answer_is_taken_and_no_wait_is_for_ever(
        self, method: str, status: int | None, headers: Any, message: str, attempt: int
    ) -> None:
        reply = Reply(method=method, status=status, headers=headers, message=message)
        move = decide(reply, attempt=attempt, now=NOW)

        if isinstance(move, Retry | LookAgain):
            assert 0 <= move.after_s <= LONGEST_S
            assert attempt < ATTEMPTS
        if method != "GET" and (status is None or status >= 500):
            assert isinstance(move, LookAgain | GiveUp)


def pace_of(wants: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    """When each write really goes, if everybody waits as long as they are told."""
    pace, now, went = WritePace(), 0.0, []
    for gap, creates in wants:
        now += gap
        now += pace.wait_s(now, creates=creates)
        pace = pace.wrote(now, creates=creates)
        went.append((now, creates))
    return went


def most_within(times: list[float], window_s: float) -> int:
    return max((sum(at <= t < at + window_s for t in times) for at in times), default=0)


class TestWrites:
    def test_the_first_goes_at_once(self) -> None:
        assert WritePace().wait_s(1_000.0, creates=True) == 0.0

    def test_the_next_waits_a_second(self) -> None:
        pace = WritePace().wrote(1_000.0, creates=False)

        assert pace.wait_s(1_000.25, creates=False) == 0.75
        assert pace.wait_s(1_002.0, creates=False) == 0.0

    def test_no_hour_holds_more_than_five_hundred_creations(self) -> None:
        times = [at for at, _ in pace_of([(0.0, True)] * 1_200)]

        assert most_within(times, 60.0 - 1e-6) <= PER_MINUTE
        assert most_within(times, 3_600.0 - 1e-6) == PER_HOUR

    def test_what_creates_nothing_is_not_held_up_by_what_did(self) -> None:
        pace = WritePace()
        for number in range(PER_HOUR):
            pace = pace.wrote(float(number), creates=True)

        assert pace.wait_s(600.0, creates=False) == 0.0
        assert pace.wait_s(600.0, creates=True) == 3_000.0

    def test_an_hour_is_not_forgotten_before_it_is_over(self) -> None:
        pace = WritePace()
        for number in range(PER_HOUR):
            pace = pace.wrote(float(number), creates=True)

        assert pace.wrote(2_400.0, creates=False).wait_s(2_402.0, creates=True) == 1_198.0

    def test_a_clock_that_went_back_holds_nothing_up_for_long(self) -> None:
        pace = WritePace().wrote(1_000_000.0, creates=True)

        assert pace.wait_s(10.0, creates=True) == APART_S
        assert pace.wrote(10.0, creates=True).created == (10.0, 10.0)

    @given(st.lists(st.tuples(st.floats(0, 5), st.booleans()), max_size=250))
    @settings(max_examples=40, deadline=None)
    def test_no_minute_ever_holds_more_than_it_may(self, wants: list[tuple[float, bool]]) -> None:
        went = pace_of(wants)
        times = [at for at, _ in went]

        assert most_within([at for at, creates in went if creates], 60.0 - 1e-6) <= PER_MINUTE
        assert all(later - earlier >= APART_S - 1e-6 for earlier, later in pairwise(times))


def booked(wants: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    """When each write goes, if whoever would wait longer than half a minute comes back later."""
    pace, now, times = WritePace(), 0.0, []
    for gap, creates in wants:
        now += gap
        now = max(now, pace.book(now, creates=creates)[0] - 30.0)
        at, pace = pace.book(now, creates=creates)
        times.append((at, creates))
    return times


class TestBookings:
    @pytest.mark.parametrize(
        ("pace", "now", "creates", "at"),
        [
            pytest.param(WritePace(), 5.0, True, 5.0, id="the first goes at once"),
            pytest.param(WritePace((), 5.0), 5.25, False, 6.0, id="the next waits a second"),
            pytest.param(WritePace((), 9.0), 5.0, False, 10.0, id="and after what is booked"),
            pytest.param(
                WritePace(tuple(map(float, range(PER_MINUTE))), 79.0),
                79.5,
                True,
                80.0,
                id="the first of eighty is a minute ago by then",
            ),
            pytest.param(
                WritePace((1_000_000.0,), 1_000_000.0),
                10.0,
                True,
                10.0 + AHEAD_S + APART_S,
                id="a clock that went back holds nothing up for long",
            ),
        ],
    )
    def test_each_has_a_time_of_its_own(
        self, pace: WritePace, now: float, creates: bool, at: float
    ) -> None:
        assert pace.book(now, creates=creates)[0] == at

    @given(st.lists(st.tuples(st.floats(0, 3), st.booleans()), max_size=250))
    @settings(max_examples=40, deadline=None)
    def test_no_window_ever_holds_more_than_it_may(self, wants: list[tuple[float, bool]]) -> None:
        went = booked(wants)
        times = [at for at, _ in went]

        assert most_within([at for at, creates in went if creates], 60.0 - 1e-6) <= PER_MINUTE
        assert all(later - earlier >= APART_S - 1e-6 for earlier, later in pairwise(times))

    def test_no_hour_holds_more_than_five_hundred_creations(self) -> None:
        times = [at for at, _ in booked([(0.0, True)] * 1_200)]

        assert most_within(times, 3_600.0 - 1e-6) == PER_HOUR
