"""Both jails: whatever a command does, it is over when it is over."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.adapters.sandbox import choose
from bot.core.contract import SandboxKind
from bot.ports import Bind, Ended, Jail, Limits, Ran, View

ROOT = Path(__file__).parent.parent.parent
LIMITS = Limits(timeout_s=20)


@pytest.fixture(params=[SandboxKind.BWRAP, SandboxKind.NONE], scope="module")
def jail(request: pytest.FixtureRequest) -> Jail:
    return choose(request.param)


@pytest.fixture
def view(jail: Jail, tmp_path: Path) -> View:
    tree = tmp_path / "tree"
    tree.mkdir()
    jail.adopt(tree)
    return View(tree=tree, at=Path("/jam/repo"))


@pytest.fixture
def word() -> Iterator[str]:
    """A word that marks processes; whoever still has it afterwards is ended."""
    word = f"marked-{secrets.token_hex(8)}"
    yield word
    for pid in marked(word):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def marked(word: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def shell(jail: Jail, view: View, script: str, limits: Limits = LIMITS) -> Ran:
    return jail.run(("sh", "-c", script), view=view, limits=limits)


def test_a_command_works_in_the_tree(jail: Jail, view: View) -> None:
    ran = shell(jail, view, "echo hello > file; cat file; exit 3")

    assert (ran.ended, ran.exit_code, ran.output) == (Ended.EXITED, 3, "hello\n")
    assert (view.tree / "file").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("kill -SEGV $$", 139), ("kill -9 $$", 137)]
)
def test_the_exit_code_is_what_a_shell_would_tell(
    jail: Jail, view: View, script: str, code: int
) -> None:
    assert shell(jail, view, script).exit_code == code


def test_a_program_that_is_not_there_is_127(jail: Jail, view: View) -> None:
    ran = jail.run(("nonesuch",), view=view, limits=LIMITS)

    assert (ran.ended, ran.exit_code) == (Ended.EXITED, 127)
    assert "nonesuch" in ran.output


def test_a_tree_that_is_not_there_is_no_start(jail: Jail, tmp_path: Path) -> None:
    ran = shell(jail, View(tree=tmp_path / "nonesuch", at=Path("/jam/repo")), "true")

    assert (ran.ended, ran.exit_code) == (Ended.NOT_STARTED, None)
    assert "nonesuch" in ran.output


def test_stdin_and_streams_can_be_opened_by_name(jail: Jail, view: View) -> None:
    ran = jail.run(
        ("sh", "-c", "cat /dev/stdin; echo err > /dev/stderr; echo out > /dev/stdout"),
        view=view,
        limits=LIMITS,
        stdin=b"in\n",
    )

    assert ran.output == "in\nerr\nout\n"


def test_a_hanging_command_that_ignores_signals_is_ended(jail: Jail, view: View, word: str) -> None:
    ran = shell(jail, view, f"trap '' TERM HUP INT; sleep 30; : {word}", Limits(timeout_s=0.4))

    assert ran.ended is Ended.TIMED_OUT
    assert ran.seconds < 3
    assert marked(word) == []


def test_a_command_that_stops_itself_is_ended(jail: Jail, view: View, word: str) -> None:
    ran = shell(jail, view, f"kill -STOP $$; : {word}", Limits(timeout_s=0.4))

    assert ran.ended is Ended.TIMED_OUT
    assert marked(word) == []


def test_daemons_are_dead_on_return(jail: Jail, view: View, word: str) -> None:
    daemon = f"(setsid sh -c 'trap \"\" TERM HUP; sleep 30; : {word}' &) &"

    ran = shell(jail, view, f"{daemon * 5} sleep 0.2; echo bye")

    assert (ran.ended, ran.output) == (Ended.EXITED, "bye\n")
    assert marked(word) == []


def test_daemons_that_let_go_of_the_pipe_are_dead_on_return(
    jail: Jail, view: View, word: str
) -> None:
    shell(jail, view, f"setsid sh -c 'sleep 30; : {word}' >/dev/null 2>&1 & sleep 0.2")

    assert marked(word) == []


def test_a_wish_to_stop_ends_all_of_it(jail: Jail, view: View, word: str) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()

    ran = jail.run(
        ("sh", "-c", f"setsid sh -c 'sleep 30; : {word}' & sleep 30"),
        view=view,
        limits=LIMITS,
        stop=stop,
    )

    assert ran.ended is Ended.STOPPED
    assert ran.seconds < 3
    assert marked(word) == []


def test_a_flood_is_ended(jail: Jail, view: View) -> None:
    ran = shell(jail, view, "yes", Limits(timeout_s=20, output_bytes=1 << 20, keep_bytes=1000))

    assert ran.ended is Ended.FLOODED
    assert len(ran.output) <= 1000


def test_files_have_a_largest_size(jail: Jail, view: View) -> None:
    shell(jail, view, "head -c 100000 /dev/zero > big", Limits(timeout_s=5, file_bytes=5000))

    assert (view.tree / "big").stat().st_size == 5000


def test_memory_is_bounded(jail: Jail, view: View) -> None:
    script = "/usr/bin/python3 -c 'b\"x\" * (600 << 20)'"

    ran = shell(jail, view, script, Limits(timeout_s=20, memory_bytes=300 << 20))

    assert ran.exit_code == 1
    assert "MemoryError" in ran.output


def test_home_and_temporary_folder_are_there_and_gone_afterwards(jail: Jail, view: View) -> None:
    first = shell(jail, view, 'touch "$HOME/mark" "$TMPDIR/mark" && ls "$HOME" "$TMPDIR"')
    second = shell(jail, view, 'ls "$HOME" "$TMPDIR"')

    assert first.output.count("mark") == 2
    assert "mark" not in second.output


def test_the_environment_is_bare(jail: Jail, view: View) -> None:
    names = {line.partition("=")[0] for line in shell(jail, view, "env").output.splitlines()}

    assert names <= {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "USER", "LOGNAME", "PWD"}


def test_what_is_bound_is_found_by_its_name_in_the_environment(
    jail: Jail, view: View, tmp_path: Path
) -> None:
    (tmp_path / "channel").mkdir(mode=0o755)
    (tmp_path / "channel" / "note").write_text("read me")
    seen = View(
        tree=view.tree,
        at=view.at,
        binds=(Bind(tmp_path / "channel", Path("/jam/channel")),),
        env={"NOTES": "/nonesuch:/jam/channel/note", "HERE": "/jam/repo"},
    )

    ran = shell(jail, seen, 'cat "${NOTES#*:}"; test "$(pwd -P)" = "$(cd "$HERE"; pwd -P)"')

    assert (ran.exit_code, ran.output) == (0, "read me")


def test_commands_run_side_by_side(jail: Jail, view: View) -> None:
    limits = Limits(timeout_s=20, processes=40)
    with ThreadPoolExecutor(4) as pool:
        scripts = [
            f"for i in 1 2 3 4 5 6 7 8; do sleep 0.4 & done; wait; echo {n}" for n in range(4)
        ]
        answers = list(pool.map(lambda script: shell(jail, view, script, limits).output, scripts))

    assert answers == ["0\n", "1\n", "2\n", "3\n"]


def test_a_command_outlives_the_thread_that_first_ran_one(jail: Jail, view: View) -> None:
    """The kernel tells a jail that its parent died when the *thread* that started it ends."""
    late: list[Ran] = []
    first = threading.Thread(target=shell, args=(jail, view, "true"))
    second = threading.Thread(target=lambda: late.append(shell(jail, view, "sleep 0.5; echo done")))
    first.start()
    second.start()
    first.join()
    second.join()

    assert [ran.output for ran in late] == ["done\n"]


HELD = """
import sys
from pathlib import Path
from bot.adapters.sandbox import choose
from bot.core.contract import SandboxKind
from bot.ports import Limits, View
kind, tree, word = sys.argv[1:]
jail = choose(SandboxKind(kind))
script = f"setsid sh -c 'trap \\"\\" TERM HUP; sleep 30; : {word}' & echo > ready; sleep 30"
view = View(tree=Path(tree), at=Path(tree))
jail.run(("sh", "-c", script), view=view, limits=Limits(timeout_s=30))
"""


def test_nothing_is_left_when_jam_itself_is_killed(
    jail: Jail, view: View, word: str, tmp_path: Path
) -> None:
    view.tree.chmod(0o777)
    own = tmp_path / "own"
    own.mkdir()
    env = {"PYTHONPATH": ":".join((str(ROOT), *sys.path)), "TMPDIR": str(own)}
    jam = subprocess.Popen((sys.executable, "-c", HELD, jail.level, str(view.tree), word), env=env)
    until(lambda: (view.tree / "ready").exists() and len(marked(word)) > 1)

    jam.kill()
    jam.wait()

    # Without a sandbox the folder is swept by a keeper that may be killed on the way, too.
    swept = (lambda: True) if jail.level == "none" else lambda: not any(own.iterdir())
    until(lambda: marked(word) == [] and swept())
    assert (marked(word), swept()) == ([], True)


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 8
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.02)
