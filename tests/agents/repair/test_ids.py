"""One test under the names that different reports give it."""

from __future__ import annotations

import pytest

from tests.agents.repair.changes import ids

COLLECTED = (
    "tests/a/test_x.py::T::test_one",
    "tests/test_y.py::test_two[1.5]",
    "test_y.py::test_o",
)


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("tests/a/test_x.py::T::test_one", COLLECTED[0]),
        ("tests.a.test_x.T.test_one", COLLECTED[0]),
        ("test_x.T.test_one", COLLECTED[0]),
        ("tests.test_y::test_two[1.5]", COLLECTED[1]),
    ],
)
def test_a_name_means_the_test_that_it_ends(told: str, meant: str) -> None:
    assert ids.find([told], COLLECTED) == {told: meant}


@pytest.mark.parametrize("told", ["test_three", "x.T.test_one", "tests.test_y.test_two[2]"])
def test_a_name_of_nothing_means_nothing(told: str) -> None:
    assert ids.find([told], COLLECTED) == {}
