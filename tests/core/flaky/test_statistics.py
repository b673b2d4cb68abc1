"""The numbers of FLAKY's rules, against values worked out elsewhere and against simulation."""

from __future__ import annotations

import random

import pytest

from benchmarks.flaky_statistics import ALPHA, RATES, fixed_for, simulate
from bot.core.flaky import statistics
from bot.core.flaky.statistics import Answered, Sprt


def test_the_interval_is_clopper_and_pearsons() -> None:
    span = statistics.interval(7, 60)

    assert (round(span.low, 3), round(span.high, 3)) == (0.048, 0.226)
    assert statistics.interval(0, 10).low == 0.0
    assert statistics.interval(10, 10).high == 1.0


@pytest.mark.parametrize(
    ("runs", "bound"), [(12, 0.221), (20, 0.139), (60, 0.0487), (200, 0.0149), (300, 0.0099)]
)
def test_clean_runs_bound_the_rate(runs: int, bound: float) -> None:
    assert statistics.upper_bound(0, runs) == pytest.approx(bound, abs=0.0006)
    assert statistics.clean_runs_for_bound(statistics.upper_bound(0, runs)) in (runs, runs + 1)


@pytest.mark.parametrize(("runs", "bound"), [(60, 0.055), (200, 0.0173), (300, 0.0117)])
def test_the_anytime_bound_is_a_little_wider(runs: int, bound: float) -> None:
    assert statistics.anytime_bound(0, runs) == pytest.approx(bound, abs=0.0006)
    assert statistics.anytime_bound(0, runs) > statistics.upper_bound(0, runs)


def test_nothing_is_known_of_no_runs() -> None:
    assert statistics.upper_bound(0, 0) == statistics.anytime_bound(0, 0) == 1.0


@pytest.mark.parametrize(
    ("failed", "attempts", "share"),
    [(2, 1, 3.47), (3, 1, 1.71), (7, 1, 0.53), (7, 3, 0.79), (20, 3, 0.23)],
)
def test_rule_a_is_the_closed_form(failed: int, attempts: int, share: float) -> None:
    needed = statistics.clean_runs_for_drop(failed, 1000, attempts=attempts)

    assert needed / 1000 == pytest.approx(share, abs=0.006)


def test_seven_of_sixty_asks_for_48_clean_runs_and_the_bound_for_60() -> None:
    assert statistics.clean_runs_for_drop(7, 60, attempts=3) == 48
    assert statistics.clean_runs(7, 60, attempts=3) == 60


def test_a_rate_that_was_never_seen_cannot_drop() -> None:
    with pytest.raises(ValueError, match="never seen"):
        statistics.clean_runs_for_drop(0, 60)


@pytest.mark.parametrize(
    ("rate", "runs"), [(0.5, 5), (0.2, 14), (0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299)]
)
def test_so_many_runs_show_a_failure(rate: float, runs: int) -> None:
    assert statistics.runs_to_see(rate) == runs


def test_the_polluter_test_keeps_after_one_failure_and_discards_after_eleven_clean_runs() -> None:
    sprt = Sprt()

    assert sprt.answer(failed=1, passed=0) is Answered.FAILS
    assert sprt.answer(failed=0, passed=10) is Answered.OPEN
    assert sprt.answer(failed=0, passed=11) is Answered.PASSES


def test_fishers_test_of_a_drop() -> None:
    assert statistics.no_drop(7, 60, 0, 60) == pytest.approx(0.0065, abs=0.0002)
    assert statistics.no_drop(7, 60, 0, 200) == pytest.approx(2.6e-5, rel=0.05)
    assert statistics.same_rate(5, 20, 5, 20) == pytest.approx(1.0)


def test_many_questions_are_paid_for() -> None:
    assert statistics.adjusted([0.01, 0.04, 0.5]) == pytest.approx((0.03, 0.06, 0.5))
    assert statistics.adjusted([]) == ()


def error(cases: list) -> float:
    return sum(case.bad_accepted for case in cases) / len(cases)


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.117, 0.5])
def test_a_mend_that_changes_nothing_is_accepted_no_oftener_than_stated(rate: float) -> None:
    trials = 3000
    slack = 3 * (ALPHA / 3 / trials) ** 0.5

    assert error(simulate(rate, trials, attempts=3)) <= ALPHA / 3 + slack


@pytest.mark.slow
@pytest.mark.parametrize("attempts", [1, 3])
@pytest.mark.parametrize("rate", RATES)
def test_the_error_holds_over_all_rates(rate: float, attempts: int) -> None:
    trials = 40_000
    allowed = ALPHA / attempts

    assert (
        error(simulate(rate, trials, attempts=attempts)) <= allowed + 3 * (allowed / trials) ** 0.5
    )


def test_the_whole_costs_less_than_half_of_a_fixed_number_with_the_same_error() -> None:
    fixed = fixed_for(RATES[0], error=ALPHA / 3)
    cheap = []
    for rate in RATES:
        good = sorted(case.good_runs for case in simulate(rate, 1000) if case.judged)
        cheap.append(good[len(good) // 2] / fixed)

    assert sorted(cheap)[len(cheap) // 2] < 0.5


@pytest.mark.parametrize("rate", [0.05, 0.117, 0.5])
def test_a_bad_mend_dies_after_about_one_over_p_runs(rate: float) -> None:
    cases = [case for case in simulate(rate, 3000) if case.judged]

    assert sum(case.bad_runs for case in cases) / len(cases) == pytest.approx(1 / rate, rel=0.1)


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_intervals_hold_what_they_promise(rate: float) -> None:
    chance = random.Random(4)
    spans = [
        statistics.interval(sum(chance.random() < rate for _ in range(40)), 40) for _ in range(400)
    ]

    assert sum(span.low <= rate <= span.high for span in spans) / len(spans) >= 0.94
