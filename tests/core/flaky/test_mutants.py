"""The same break can be made on both sides of a mend."""

from __future__ import annotations

from bot.core.flaky.mend_mutants import mutants, spread

SOURCE = '''
LIMIT = 3


def total(prices, rebate=0):
    """Ünïcode before what is changed."""
    if len(prices) > LIMIT and rebate:
        return sum(prices) - rebate
    return f"{sum(prices) + 1}" and None
'''


def test_every_break_is_of_code_in_a_function() -> None:
    assert [one.said for one in mutants("a.py", SOURCE)] == [
        "`len(prices) > LIMIT and rebate` becomes `not (len(prices) > LIMIT and rebate)`",
        "`len(prices) > LIMIT and rebate` becomes `len(prices) > LIMIT or rebate`",
        "`len(prices) > LIMIT` becomes `len(prices) <= LIMIT`",
        "`sum(prices) - rebate` becomes `None`",
        "`sum(prices) - rebate` becomes `sum(prices) + rebate`",
        "`f'{sum(prices) + 1}' and None` becomes `None`",
        "`f'{sum(prices) + 1}' and None` becomes `f'{sum(prices) + 1}' or None`",
    ]


def test_a_break_leaves_everything_else_as_it_was() -> None:
    found = {one.said: one.text for one in mutants("a.py", SOURCE)}

    assert found["`sum(prices) - rebate` becomes `None`"] == SOURCE.replace(
        "return sum(prices) - rebate", "return (None)"
    )


def test_only_lines_that_are_run_are_broken() -> None:
    assert [one.line for one in mutants("a.py", SOURCE, frozenset({8}))] == [8, 8]


def test_a_break_has_the_same_name_when_other_lines_come_and_go() -> None:
    moved = "import sys\n\n" + SOURCE.replace("return f", "print(sys)\n    return f")

    before = {one.key for one in mutants("a.py", SOURCE)}
    after = {one.key for one in mutants("a.py", moved)}
    assert before == after


def test_few_are_taken_from_everywhere() -> None:
    found = mutants("a.py", SOURCE)

    assert [one.line for one in spread(found, 3)] == [7, 7, 8]
    assert spread(found, 99) == found


def test_what_is_no_python_has_none() -> None:
    assert mutants("a.py", "def (") == ()
