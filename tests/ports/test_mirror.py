"""What is kept of a repository is brought anew when the disk spoiled it, and never believed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.adapters.github.transport import bring
from bot.minihub.minihub import Minihub
from bot.minihub.people import File
from tests.minihub import hubs

REPO = "ada/lib"
FILES: dict[str, File] = {"a.py": "1\n", "lib/b.py": "2\n"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Minihub]:
    with hubs.minihub(tmp_path / "hub") as one:
        one.repository(REPO, FILES)
        yield one


def _objects(place: Path) -> list[Path]:
    return [path for path in (place / "objects").rglob("*") if path.is_file()]


def _empty_head(place: Path) -> None:
    (place / "HEAD").write_bytes(b"")


def _no_head(place: Path) -> None:
    (place / "HEAD").unlink()


def _packed_refs(place: Path) -> None:
    (place / "packed-refs").write_text("this is no list of references\n")


def _no_objects(place: Path) -> None:
    for path in _objects(place):
        path.unlink()


def _cut_pack(place: Path) -> None:
    for path in _objects(place):
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _config(place: Path) -> None:
    (place / "config").write_text("[core\n")


def _left_locks(place: Path) -> None:
    for name in ("HEAD.lock", "packed-refs.lock", "index.lock", "shallow.lock"):
        (place / name).touch()


def _leave_it(_: Path) -> None:
    """The ordinary case."""


@pytest.mark.parametrize(
    "spoil",
    [_leave_it, _empty_head, _no_head, _packed_refs, _no_objects, _cut_pack, _config, _left_locks],
)
def test_it_is_whole_again(hub: Minihub, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    place, url = tmp_path / "mirror.git", f"{hub.url}/{REPO}.git"
    first = hub.refs(REPO)["refs/heads/main"]
    bring(place, [first], url=url, secret=None)
    spoil(place)
    second = hub.person("ada").push(REPO, "main", {"a.py": "3\n"})

    for sha, text in ((first, b"1\n"), (second, b"3\n")):
        assert bring(place, [sha], url=url, secret=None).read(sha, "a.py") == text


BRING = """
import sys
from pathlib import Path
from bot.adapters.github.transport import bring
bring(Path(sys.argv[1]), [sys.argv[3]], url=sys.argv[2], secret=None)
"""


@pytest.mark.slow
def test_killed_while_it_is_brought_it_is_brought_the_next_time(
    hub: Minihub, tmp_path: Path
) -> None:
    place, url = tmp_path / "mirror.git", f"{hub.url}/{REPO}.git"
    chance = random.Random(13)
    for turn in range(12):
        sha = hub.person("ada").push(REPO, "main", {"a.py": f"{turn}\n"})
        with subprocess.Popen([sys.executable, "-c", BRING, str(place), url, sha]) as process:
            try:
                process.wait(timeout=0.2 + chance.random() * 0.5)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        assert bring(place, [sha], url=url, secret=None).read(sha, "a.py") == b"%d\n" % turn
    assert not list(place.rglob("*.lock"))
