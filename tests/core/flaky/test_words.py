"""Signatures, commands and conditions as words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.contract import Dialect, Gate
from bot.core.flaky.arms import arm_of, arms
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.factors import factors, only, words
from bot.core.flaky.history import Attempt, Pointed, junit_name, point
from bot.core.flaky.means import Means
from bot.core.flaky.signature import signature_of, signature_of_text
from bot.core.flaky.spelling import command

A, B = "tests/test_a.py::test_a", "tests/test_b.py::test_b[x y]"


def gate(run: str = "python -m pytest -q tests", report: Dialect = Dialect.PYTEST) -> Gate:
    return Gate(run=run, report=report)


def test_numbers_addresses_and_quotes_make_no_other_signature() -> None:
    one = signature_of("KeyError", "'abc' at 0x7f00 after 12 s", "a.py:f: x[k]")

    assert one == signature_of("KeyError", "'d' at 0x1 after 3.5 s", "a.py:f: x[k]")
    assert one == "KeyError | Q at A after N s | a.py:f: x[k]"


def test_an_assertion_is_known_by_its_place_alone() -> None:
    assert signature_of("AssertionError", "assert {1, 2} == {3}", "t.py:t: assert a == b") == (
        "AssertionError | t.py:t: assert a == b"
    )


def test_a_signature_is_read_from_text_where_nothing_better_is_known() -> None:
    text = "    def test_a():\n>       f()\nE   ValueError: 3 is no 'x'\n\nlib/a.py:12: ValueError"

    assert signature_of_text(text) == "ValueError | N is no Q | lib/a.py"


COMMANDS: list[tuple[Condition, str]] = [
    (Condition(tests=(A, B), order=Order.GIVEN), f"python -m pytest -q {A} '{B}'"),
    (Condition(tests=(A,), hash_seed=3), f"PYTHONHASHSEED=3 python -m pytest -q {A}"),
    (Condition(tests=(A,), zone="Asia/Kathmandu"), f"TZ=Asia/Kathmandu python -m pytest -q {A}"),
    (
        Condition(tests=(A,), clock=datetime(2028, 2, 29, 12, tzinfo=UTC)),
        "TZ=UTC FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f '@2028-02-29 12:00:00' "
        f"python -m pytest -q {A}",
    ),
    (Condition(tests=(A,), workers=2), f"python -m pytest -q -n 2 {A}"),
    (Condition(order=Order.SHUFFLED, order_seed=4), ""),
]


@pytest.mark.parametrize(("condition", "spelled"), COMMANDS)
def test_a_condition_is_a_command(condition: Condition, spelled: str) -> None:
    assert command(gate(), condition) == spelled


def test_what_stands_before_pytest_stays_there() -> None:
    run = "cd lib && PYTHONPATH=src python3 -m pytest -c x.ini -o addopts= -k fast tests"

    assert command(gate(run), Condition(tests=(A,), hash_seed=1)) == (
        "cd lib && PYTHONPATH=src PYTHONHASHSEED=1 python3 -m pytest -q -c x.ini -o addopts= " + A
    )


def test_coverage_is_left_out() -> None:
    assert command(gate("coverage run -m pytest"), Condition(tests=(A,))) == (
        f"python -m pytest -q {A}"
    )


def test_unittest_names_its_tests_itself() -> None:
    plain = gate("python -m unittest discover -s tests", Dialect.UNITTEST)

    assert command(plain, Condition(tests=("tests.a.A.test_a",), hash_seed=2)) == (
        "PYTHONHASHSEED=2 python -m unittest tests.a.A.test_a"
    )


def test_what_fails_now_and_then_is_a_loop() -> None:
    told = command(gate(), Condition(tests=(A,)), rate=0.1, tries=44)

    assert told == f"for i in $(seq 44); do python -m pytest -q {A} || break; done"


def test_factors_are_what_differs_from_the_plain_run() -> None:
    condition = Condition(order=Order.SHUFFLED, order_seed=3, hash_seed=4)

    assert factors(condition) == ("order", "hash seed")
    assert only(condition, "hash seed") == Condition(hash_seed=4)
    assert words(condition) == "shuffled by seed 3, PYTHONHASHSEED=4"
    assert words(Condition()) == "as the command runs it"


def test_every_arm_knows_its_own_conditions() -> None:
    means = Means(order=True, clock=True, workers=True, locales=("C",), cores=2)

    assert {arm.name: arm_of(arm.make(0)) for arm in arms(means)} == {
        arm.name: arm.name for arm in arms(means)
    }


def attempt(commit: str, number: str, *, job: str = "", **seen: frozenset[str]) -> Attempt:
    return Attempt(commit=commit, job=job, attempt=number, **seen)


def test_one_commit_with_two_results_is_proof_and_two_commits_are_not() -> None:
    one, two = frozenset({"one"}), frozenset({"two"})
    told = point(
        [
            attempt("aaa", "1", job="py311", failed=one, passed=two),
            attempt("aaa", "2", job="py311", passed=one | two),
            attempt("bbb", "1", job="py311", passed=one, failed=two),
        ]
    )

    assert told == (
        Pointed(
            test="one",
            proven=True,
            why="on aaa in py311 it failed in 1 of 2 attempts and passed in others",
        ),
        Pointed(
            test="two",
            proven=False,
            why="it failed on 1 of 2 commits, which proves nothing",
        ),
    )


def test_two_jobs_may_well_differ() -> None:
    one = frozenset({"one"})
    told = point(
        [
            attempt("aaa", "1", job="py311", passed=one),
            attempt("aaa", "1", job="py38", failed=one),
        ]
    )

    assert [pointed.proven for pointed in told] == [False]


def test_pytest_ids_are_known_again_in_junit() -> None:
    assert junit_name("tests/test_a.py::TestB::test_c[x.y::z]") == (
        "tests.test_a.TestB::test_c[x.y::z]"
    )
