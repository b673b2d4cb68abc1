"""Which lines are blamed, from what tests were seen to do; and in the sandbox, from the tests."""

from __future__ import annotations

from pathlib import Path

from bot.agents.repair import locate
from tests.agents.repair.changes import source, suspicion
from tests.agents.repair.ground import lay

Seen = suspicion.Seen


def lines(*numbers: int) -> frozenset[tuple[str, int]]:
    return frozenset(("shop.py", number) for number in numbers)


def test_a_line_that_only_failing_tests_run_is_blamed_most() -> None:
    scores = suspicion.ochiai(
        [Seen("a", True, lines(1, 2, 3)), Seen("b", False, lines(1, 2)), Seen("c", False, lines(1))]
    )

    assert scores == {
        ("shop.py", 3): 1.0,
        ("shop.py", 2): 1 / 2**0.5,
        ("shop.py", 1): 1 / 3**0.5,
    }


def test_the_line_that_raised_is_blamed_more_than_its_callers() -> None:
    where = (("shop.py", 2), ("shop.py", 1))

    scores = suspicion.ochiai([Seen("a", True, lines(1, 2, 3), where)])

    assert scores == {("shop.py", 2): 1.5, ("shop.py", 1): 1.25, ("shop.py", 3): 1.0}


def test_a_constant_inherits_from_the_line_that_names_it() -> None:
    one = source("LIMIT = 3\nOTHER = 4\n\ndef f(n):\n    return n < LIMIT\n")
    scores = {one: suspicion.statements(one, {5: 1.0})}

    found = suspicion.inherit([one], scores)

    assert {s.lineno: score for s, score in found[one].items()} == {1: 0.6, 4: 0.6}


def test_locate_names_the_guilty_line_first(tmp_path: Path) -> None:
    ground = lay(
        tmp_path,
        {
            "shop.py": """
                def price(n, member):
                    cost = n * 10
                    if member:
                        cost = cost / 0
                    return cost
                """,
            "tests/test_it.py": """
                from shop import price

                def test_member(): assert price(2, True) == 10
                def test_guest(): assert price(2, False) == 20
                """,
        },
    )

    found = locate(ground.lab, ground.bench, targets=("tests/test_it.py::test_member",))

    assert (found[0].path, found[0].line, found[0].score, found[0].text) == (
        "shop.py",
        4,
        1.0,
        "cost = cost / 0",
    )
