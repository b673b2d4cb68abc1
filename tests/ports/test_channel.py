"""The channel: what is said over it is kept as it was, within limits, and nothing else is."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.adapters.channel import Bounds, Channel, Wishes
from bot.core.recording import Connection, Recording

WISHES = Wishes(dialect="pytest", root="/jam/repo")


def say(channel: Channel, *chunks: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.connect(str(channel.folder / "socket"))
        for chunk in chunks:
            try:
                peer.sendall(chunk)
            except OSError:  # the channel has heard enough
                return


def heard(chunks: Sequence[bytes], tmp_path: Path, bounds: Bounds | None = None) -> Recording:
    with Channel.open(WISHES, within=tmp_path, bounds=bounds) as channel:
        say(channel, *chunks)
        return channel.close()


def test_lines_are_kept_connection_by_connection(tmp_path: Path) -> None:
    with Channel.open(WISHES, within=tmp_path) as channel:
        say(channel, b"one\ntw", b"o\n")
        say(channel, b"\xff three\n")

        assert channel.close() == Recording(
            (Connection((b"one", b"two")), Connection((b"\xff three",)))
        )


def test_what_was_said_just_before_the_end_is_heard(tmp_path: Path) -> None:
    """Two hundred connections that nobody waited for."""
    with Channel.open(WISHES, within=tmp_path) as channel:
        for number in range(200):
            say(channel, b"%d\n" % number)
        recording = channel.close()

    assert [talk.lines for talk in recording.connections] == [(b"%d" % n,) for n in range(200)]


def test_a_line_without_an_end_is_not_whole(tmp_path: Path) -> None:
    assert heard([b"one\ntwo"], tmp_path) == Recording((Connection((b"one",), whole=False),))


def test_a_survivor_that_holds_its_end_open_is_not_waited_for(tmp_path: Path) -> None:
    channel = Channel.open(WISHES, within=tmp_path, bounds=Bounds(last_words_s=0.2))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.connect(str(channel.folder / "socket"))
        peer.sendall(b"one\n")

        assert channel.close() == Recording((Connection((b"one",), whole=False),))


@pytest.mark.parametrize(
    ("chunks", "bounds"),
    [
        ([b"a\n" * 11], Bounds(lines=10)),
        ([b"x" * 101 + b"\n"], Bounds(line_bytes=100)),
        ([b"x" * 101], Bounds(line_bytes=100)),
        ([b"x\n" * 60], Bounds(total_bytes=100)),
    ],
    ids=["lines", "a-long-line", "a-line-without-end", "bytes"],
)
def test_what_passes_a_limit_is_not_whole(
    chunks: list[bytes], bounds: Bounds, tmp_path: Path
) -> None:
    (connection,) = heard(chunks, tmp_path, bounds).connections

    assert connection.whole is False


def test_one_connection_too_many_shows_and_the_rest_are_refused(tmp_path: Path) -> None:
    with Channel.open(WISHES, within=tmp_path, bounds=Bounds(connections=2)) as channel:
        for word in (b"one\n", b"two\n", b"three\n", b"four\n"):
            say(channel, word)
        recording = channel.close()

    assert recording == Recording(
        (Connection((b"one",)), Connection((b"two",)), Connection((), whole=False))
    )


def test_those_inside_may_read_the_folder_and_write_only_to_the_socket(tmp_path: Path) -> None:
    with Channel.open(WISHES, within=tmp_path) as channel:
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in (channel.folder, *channel.folder.iterdir())
        }

    assert modes == {channel.folder.name: 0o755, "socket": 0o666, "wishes.json": 0o644}


def test_wishes_lie_beside_the_socket(tmp_path: Path) -> None:
    wishes = Wishes(
        dialect="pytest", root="/jam/repo", watch=("a.py",), select=("a.py::t",), seed=3
    )
    with Channel.open(wishes, within=tmp_path) as channel:
        told = json.loads((channel.folder / "wishes.json").read_text())

    assert told == {
        "dialect": "pytest",
        "root": "/jam/repo",
        "watch": ["a.py"],
        "select": ["a.py::t"],
        "order": {
            "seed": 3,
            "backwards": False,
            "moved": [],
            "across": False,
            "given": [],
        },
        "measure": None,
    }


def test_a_closed_channel_says_the_same_again_and_leaves_nothing(tmp_path: Path) -> None:
    channel = Channel.open(WISHES, within=tmp_path)
    say(channel, b"one\n")

    assert channel.close() == channel.close() == Recording((Connection((b"one",)),))
    assert list(tmp_path.iterdir()) == []


def test_a_long_path_is_no_hindrance(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()

    with Channel.open(WISHES, within=deep) as channel:
        assert (channel.folder / "socket").is_socket()
