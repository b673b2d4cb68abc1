"""A socket can be reached also where its path is longer than a socket's name may be."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from bot.adapters import door


@pytest.mark.parametrize("length", [20, 99, 108, 250])
def test_whoever_knocks_is_heard(tmp_path: Path, length: int) -> None:
    folder = tmp_path / ("x" * max(1, length - len(os.fsencode(tmp_path))))
    folder.mkdir()
    with door.listen(folder / "socket", waiting=1) as heard:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect(f"/proc/self/fd/{here}/socket")
            knocking.sendall(b"hello")
            peer, _ = heard.accept()
            with peer:
                assert peer.recv(5) == b"hello"
        os.close(here)

    assert (folder / "socket").stat().st_mode & 0o777 == 0o666
