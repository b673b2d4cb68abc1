"""A quarantine has a reason, an owner and an end, and can be read back and taken away."""

from __future__ import annotations

from datetime import date

import pytest

from bot.core.flaky import quarantine
from bot.core.flaky.quarantine import Marker
from bot.core.flaky.quarantine_watch import Act, Issue, Watched, due, missed, seen

TODAY = date(2026, 3, 1)
TEXT = '''"""Tests."""

from __future__ import annotations

import json


class TestShop:
    @staticmethod
    def test_sells():
        assert json


def test_buys():
    assert json
'''
MARKER = Marker(
    test="tests/test_shop.py::TestShop::test_sells",
    reason='it says "now" \\ and then',
    owner="@shop/team",
    issue=7,
    ends=date(2026, 3, 31),
)


def test_a_marker_that_was_put_is_read_back_and_taken_away() -> None:
    marked = quarantine.put(TEXT, MARKER)

    assert marked is not None
    assert marked.splitlines()[9] == (
        '    @pytest.mark.xfail(strict=False, reason="flaky until 2026-03-31, owner @shop/team, '
        'issue #7: it says \\"now\\" \\\\ and then")'
    )
    assert quarantine.read("tests/test_shop.py", marked) == (MARKER,)
    taken = quarantine.take(marked, MARKER.test)
    assert taken == TEXT.replace("annotations\n", "annotations\nimport pytest\n")


def test_a_test_that_is_not_there_gets_no_marker() -> None:
    other = Marker(
        test="tests/test_shop.py::test_gone", reason="", owner="x", issue=None, ends=TODAY
    )

    assert quarantine.put(TEXT, other) is None
    assert quarantine.take(TEXT, MARKER.test) is None


def test_a_persons_own_xfail_is_left_alone() -> None:
    own = TEXT.replace("def test_buys", "@pytest.mark.xfail(reason='later')\ndef test_buys")

    assert quarantine.read("tests/test_shop.py", own) == ()
    assert quarantine.take(own, "tests/test_shop.py::test_buys") is None


def test_the_end_is_the_last_day() -> None:
    assert [MARKER.is_over(date(2026, 3, day)) for day in (30, 31)] == [False, False]
    assert MARKER.is_over(date(2026, 4, 1))


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("tests/test_a.py", "@tests"),
        ("tests/deep/test_a.py", "@tests"),
        ("src/a.py", "@all"),
        ("docs/api.md", "@docs"),
        ("vendored/x.py", ""),
    ],
)
def test_the_last_rule_that_fits_names_the_owner(path: str, owner: str) -> None:
    rules = "* @all @second\n/tests/ @tests\n*.md @docs # words\n# /src/ @nobody\nvendored/\n"

    assert quarantine.owner_of(path, rules) == owner


def watched(**over: object) -> Watched:
    return Watched(**{"fingerprint": "f", "test": "t", **over})  # type: ignore[arg-type]


OVER = Marker(test="t", reason="", owner="x", issue=None, ends=date(2026, 2, 1))
RUNNING = Marker(test="t", reason="", owner="x", issue=None, ends=date(2026, 4, 1))
TABLE = {
    "seen for the first time": ({}, True, [Act.OPEN_ISSUE, Act.QUARANTINE]),
    "seen, and no quarantine is wanted": ({}, False, [Act.OPEN_ISSUE]),
    "seen again": ({"issue": Issue.OPEN, "marker": RUNNING}, True, [Act.UPDATE_ISSUE]),
    "quiet once": ({"issue": Issue.OPEN, "quiet": 1}, False, []),
    "quiet twice": ({"issue": Issue.OPEN, "quiet": 2}, False, []),
    "quiet for long": ({"issue": Issue.OPEN, "quiet": 3}, False, [Act.CLOSE_ISSUE]),
    "quiet for long, and still set aside": (
        {"issue": Issue.OPEN, "quiet": 3, "marker": RUNNING},
        True,
        [Act.RELEASE],
    ),
    "back after jam had closed it": (
        {"issue": Issue.CLOSED_BY_JAM},
        False,
        [Act.REOPEN_ISSUE],
    ),
    "back after a person had closed it": ({"issue": Issue.CLOSED_BY_PERSON}, True, []),
    "the end has passed": (
        {"issue": Issue.OPEN, "marker": OVER},
        True,
        [Act.UPDATE_ISSUE, Act.RELEASE],
    ),
    "the end has passed, whoever closed the issue": (
        {"issue": Issue.CLOSED_BY_PERSON, "marker": OVER},
        True,
        [Act.RELEASE],
    ),
    "a pull request is open": ({"issue": Issue.OPEN, "has_pull": True}, True, [Act.UPDATE_ISSUE]),
    "a person closed the pull request": (
        {"issue": Issue.OPEN, "refused_pull": True},
        True,
        [Act.UPDATE_ISSUE],
    ),
    "never seen by this search": ({"quiet": 1}, True, []),
}


@pytest.mark.parametrize(("over", "wanted", "acts"), TABLE.values(), ids=TABLE.keys())
def test_what_is_due(over: dict[str, object], wanted: bool, acts: list[Act]) -> None:
    found = due([watched(**over)], today=TODAY, quarantine=wanted)

    assert [one.act for one in found] == acts


def test_a_mend_at_hand_goes_before_a_quarantine() -> None:
    found = due([watched(issue=Issue.OPEN)], today=TODAY, quarantine=True, mended=["f"])

    assert [one.act for one in found] == [Act.UPDATE_ISSUE, Act.MEND]


def test_one_pull_request_at_a_time_and_every_issue() -> None:
    three = [watched(fingerprint=name) for name in "abc"]

    acts = due(three, today=TODAY, quarantine=True)
    busy = due(three, today=TODAY, quarantine=True, open_pulls=1)

    assert [(one.act, one.fingerprint) for one in acts] == [
        (Act.OPEN_ISSUE, "a"),
        (Act.QUARANTINE, "a"),
        (Act.OPEN_ISSUE, "b"),
        (Act.OPEN_ISSUE, "c"),
    ]
    assert [one.act for one in busy] == [Act.OPEN_ISSUE] * 3


def test_a_sighting_begins_the_quiet_anew() -> None:
    quiet = missed(missed(watched()))

    assert (quiet.quiet, seen(quiet).quiet) == (2, 0)
