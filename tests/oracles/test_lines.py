"""A recording that jam's reporter did not write, or did not write like this, is not believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core.contract import Dialect, Gate
from bot.core.recording import Connection, Recording, recording_of
from bot.core.report import Case, Mark, Reading, Report, Unreadable
from bot.core.report_json import dump, load
from bot.oracles import PARSERS, Raw

START: dict[str, object] = {
    "t": "start",
    "n": 0,
    "kind": "pytest",
    "role": "session",
    "pid": 7,
    "parent": None,
    "ancestors": [3, 1],
    "root": "/jam/repo",
    "python": "3.12.1",
    "executable": "/venv/bin/python",
    "framework": "9.2.0",
}
PHASES = [["setup", "passed", "passed", 0.0], ["call", "passed", "passed", 0.1]]
WHOLE = [*PHASES, ["teardown", "passed", "passed", 0.0]]
GOOD: tuple[dict[str, object], ...] = (
    START,
    {"t": "collected", "n": 1, "ids": ["a.py::test"]},
    {"t": "run", "n": 2, "id": "a.py::test"},
    {"t": "case", "n": 3, "id": "a.py::test", "phases": WHOLE},
    {"t": "origins", "n": 4, "files": {"a.py": "/jam/repo/a.py"}},
    {"t": "tampered", "n": 5, "names": []},
    {"t": "end", "n": 6, "status": 0, "failed": 0, "workers": 0},
)


def lines(*facts: dict[str, object]) -> list[bytes]:
    return [json.dumps(fact).encode() for fact in facts]


def numbered(*facts: dict[str, object]) -> list[bytes]:
    return lines(*({**fact, "n": place} for place, fact in enumerate(facts)))


def read(recording: bytes, *, exit_code: int = 0) -> Reading:
    return PARSERS[Dialect.PYTEST](
        Raw(
            exit_code=exit_code,
            output="1 passed in 0.01s",
            recording=recording,
            report_file=None,
            gate=Gate(run="pytest"),
        )
    )


def heard(*talks: list[bytes]) -> Reading:
    return read(recording_of(*talks).to_bytes())


PASSED = Case("a.py::test", Mark.PASSED, seconds=0.1)


def test_a_whole_session_is_a_report() -> None:
    assert heard(lines(*GOOD)) == Report(cases=(PASSED,), origins={"a.py": "/jam/repo/a.py"})


@pytest.mark.parametrize("place", range(len(GOOD)), ids=[str(fact["t"]) for fact in GOOD])
def test_no_line_can_be_left_out_unseen(place: int) -> None:
    assert isinstance(heard(lines(*GOOD[:place], *GOOD[place + 1 :])), Unreadable)


@pytest.mark.parametrize("place", range(len(GOOD)), ids=[str(fact["t"]) for fact in GOOD])
def test_no_line_can_be_said_twice(place: int) -> None:
    assert isinstance(heard(numbered(*GOOD[: place + 1], *GOOD[place:])), Unreadable | Report)
    assert isinstance(heard(lines(*GOOD[: place + 1], *GOOD[place:])), Unreadable)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"t":"case","n":3,"id":"a.py::test","phases":[["call"]]}',
        b'{"t":"case","n":3,"id":7,"phases":[]}',
        b'{"t":"end","n":3,"status":"0","failed":0,"workers":0}',
        b'{"t":"end","n":3,"status":0,"failed":0,"workers":0,"passed":true}',
        b'{"t":"verdict","n":3,"green":true}',
        b'{"t":"run","n":' + b"9" * 10_000 + b',"id":"a"}',
        json.dumps(START | {"n": 3}).encode(),
    ],
    ids=[
        "empty",
        "null",
        "no-text",
        "deep",
        "short-phase",
        "number-for-id",
        "text-for-status",
        "unknown-key",
        "unknown-word",
        "huge-number",
        "second-start",
    ],
)
def test_a_line_that_the_reporter_does_not_write_spoils_the_recording(line: bytes) -> None:
    good = lines(*GOOD)

    reading = heard([*good[:3], line, *good[3:]])

    assert isinstance(reading, Unreadable)
    assert reading.reason.startswith("the report cannot be read: ")


def test_half_of_a_surrogate_pair_is_a_letter_like_any_other() -> None:
    """A file name that is not UTF-8, say: in an id, or in what a failing assertion prints."""
    odd = "a.py::test[\udcff]"
    phases = [["call", "failed", "failed", 0.1], WHOLE[-1]]
    case = {"t": "case", "n": 3, "id": odd, "phases": phases, "message": "no \udcfe"}
    end = {"t": "end", "n": 6, "status": 1, "failed": 1, "workers": 0}
    said = lines(START, GOOD[1] | {"ids": [odd]}, GOOD[2] | {"id": odd}, case, *GOOD[4:6], end)

    reading = read(recording_of(said).to_bytes(), exit_code=1)

    assert isinstance(reading, Report)
    assert reading.cases == (Case(odd, Mark.FAILED, "no \udcfe", seconds=0.1),)
    assert load(dump(reading)) == reading


def test_nothing_may_follow_the_end() -> None:
    reading = heard(numbered(*GOOD, {"t": "end", "status": 0, "failed": 0, "workers": 0}))

    assert reading == Unreadable("the report cannot be read: a session went on after its end")


def test_a_test_that_was_told_twice_keeps_its_worst_mark() -> None:
    failed = {"t": "case", "id": "a.py::test", "phases": [["call", "failed", "failed", 0.0]]}

    reading = heard(numbered(*GOOD[:4], failed, *GOOD[4:]))

    assert isinstance(reading, Report)
    assert [(c.mark, c.doubled) for c in reading.cases] == [(Mark.FAILED, True)]


def test_a_test_that_was_not_collected_is_not_believed() -> None:
    forged = {"t": "case", "id": "a.py::other", "phases": WHOLE}

    assert heard(numbered(*GOOD[:4], forged, *GOOD[4:])) == Unreadable(
        "a.py::other ran, though it was not collected"
    )


def test_a_test_without_a_tear_down_did_not_come_to_its_end() -> None:
    case = {"t": "case", "id": "a.py::test", "phases": PHASES}

    assert heard(numbered(*GOOD[:3], case, *GOOD[4:])) == Unreadable(
        "0 of 1 collected tests ran", cut=True
    )


def test_failures_that_no_test_shows_are_not_overlooked() -> None:
    end = {"t": "end", "status": 0, "failed": 1, "workers": 0}

    assert heard(numbered(*GOOD[:6], end)) == Unreadable(
        "the test run failed, though no test did", untold=True
    )


def test_what_passed_the_limits_of_the_channel_is_cut() -> None:
    recording = Recording((Connection(tuple(lines(*GOOD)), whole=False),))

    assert read(recording.to_bytes()) == Unreadable(
        "the report breaks off while a.py::test ran", cut=True
    )


def test_a_session_inside_of_another_does_not_count() -> None:
    inner = START | {"pid": 9, "ancestors": [8, 7, 3, 1]}

    assert heard(lines(*GOOD), lines(inner)) == heard(lines(*GOOD))


RED = [["setup", "passed", "passed", 0.0], ["call", "failed", "failed", 0.1], WHOLE[2]]
BAD: tuple[dict[str, object], ...] = (
    *GOOD[:3],
    {"t": "case", "n": 3, "id": "a.py::test", "phases": RED},
    *GOOD[4:6],
    {"t": "end", "n": 6, "status": 1, "failed": 1, "workers": 0},
)
FORGERIES = {
    "a session that calls itself the parent": START | {"pid": 3, "ancestors": [1]},
    "a session beside it": START | {"pid": 8},
    "a child": START | {"pid": 9, "ancestors": [7, 3, 1]},
    "a worker": START | {"pid": 9, "role": "worker", "parent": 7},
}


@pytest.mark.parametrize("start", FORGERIES.values(), ids=FORGERIES)
def test_who_comes_later_makes_nothing_better(start: dict[str, object]) -> None:
    forged = heard(lines(*BAD), lines(start, *GOOD[1:]))

    assert isinstance(forged, Report)
    assert [(case.id, case.mark) for case in forged.cases] == [("a.py::test", Mark.FAILED)]


def test_a_session_beside_another_counts() -> None:
    beside = START | {"pid": 9, "ancestors": [3, 1]}

    assert heard(lines(*GOOD), lines(beside)) == Unreadable("the report breaks off", cut=True)


def test_a_worker_of_somebody_else_does_not_count() -> None:
    stranger = START | {"role": "worker", "parent": 99, "pid": 9}
    forged = {"t": "case", "id": "a.py::test", "phases": [["call", "passed", "failed", 0.0]]}

    assert heard(lines(*GOOD), numbered(stranger, forged)) == heard(lines(*GOOD))


def test_every_worker_must_have_told_what_it_did() -> None:
    end = {"t": "end", "status": 0, "failed": 0, "workers": 2}
    worker = START | {"role": "worker", "parent": 7, "pid": 9}
    bye = {"t": "end", "status": 0, "failed": 0, "workers": 0}

    reading = heard(numbered(*GOOD[:6], end), numbered(worker, bye))

    assert reading == Unreadable("1 of 2 workers told what they did", cut=True)


def test_a_file_from_elsewhere_outweighs_one_from_the_checkout() -> None:
    beside = START | {"pid": 9}
    elsewhere = {"t": "origins", "files": {"a.py": "/venv/a.py"}}

    reading = heard(lines(*GOOD), numbered(beside, *GOOD[1:4], elsewhere, *GOOD[5:]))

    assert isinstance(reading, Report)
    assert reading.origins == {"a.py": "/venv/a.py"}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b"connection 1 whole\n",
        lambda content: content.replace(b"1 connections", b"2 connections"),
        lambda content: content.replace(b"connection 7", b"connection 9"),
        lambda content: content.replace(b"connection 7", b"connection -7"),
        lambda content: b"jam recording 2" + content[15:],
    ],
    ids=[
        "nothing",
        "no-last-newline",
        "missing-lines",
        "missing-connection",
        "too-many",
        "negative",
        "other-format",
    ],
)
def test_bytes_that_are_no_recording_are_no_report(spoil: Callable[[bytes], bytes]) -> None:
    content = spoil(recording_of(lines(*GOOD)).to_bytes())

    assert read(content) == Unreadable("the report cannot be read: this is no recording of jam's")


def test_silence_is_not_passed() -> None:
    assert heard() == Unreadable("no report of pytest reached jam")


def test_a_recording_is_read_as_it_was_written() -> None:
    recording = Recording(
        (
            Connection((b"connection 3 whole", b"\xff\x00", b""), whole=True),
            Connection((), whole=False),
        )
    )

    assert Recording.from_bytes(recording.to_bytes()) == recording


def test_recordings_of_the_data_folder_keep_their_bytes() -> None:
    folder = Path(__file__).parent.parent / "data" / "oracles"
    contents = [path.read_bytes() for path in sorted(folder.glob("*/*/recording"))]

    assert [Recording.from_bytes(content).to_bytes() for content in contents] == contents
