"""What a model agent can do to a checkout, in a real jail."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bot.agents.tools import (
    Action,
    Delete,
    Done,
    Edit,
    Finish,
    Insert,
    Read,
    Search,
    Shell,
    Toolbox,
    Unusable,
    Write,
)
from bot.core.contract import Protection
from bot.core.policy import READ_ONLY, Policy, layer, read_only
from bot.ports import Call
from tests.agents.bench import JAILS, Lab, make_lab


@pytest.fixture(params=JAILS)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    tree = tmp_path / "tree with blanks"
    tree.mkdir()
    (tree / "src").mkdir()
    (tree / "src/a.py").write_text("def a():\n    return 1\n")
    return make_lab(tree, jail=request.param)


def use(lab: Lab, action: Action, **over: int) -> Done:
    return Toolbox(lab.bench, lambda: 30.0, clock=lambda: 0.0, **over).perform(action)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def plain(tmp_path: Path, *, policy: Policy) -> Lab:
    return make_lab(tmp_path / "tree", policy=policy)


class TestShell:
    def test_says_what_the_command_said_and_how_it_ended(self, lab: Lab) -> None:
        assert use(lab, Shell("ls src; echo oops >&2; exit 3")) == Done(
            text="a.py\noops\n[exit code 3]",
            call=Call(tool="shell", argument="ls src; echo oops >&2; exit 3", exit_code=3),
        )

    def test_starts_each_time_in_the_checkout(self, lab: Lab) -> None:
        use(lab, Shell("cd src; export A=1"))

        assert use(lab, Shell("ls; echo A=$A")).text == "src\nA=\n[exit code 0]"

    def test_leaves_nothing_running(self, lab: Lab) -> None:
        use(lab, Shell("(sleep 0.2; echo late > late) >/dev/null 2>&1 &"))

        assert use(lab, Shell("sleep 0.5; ls")).text == "src\n[exit code 0]"

    def test_is_ended_when_its_time_is_over(self, lab: Lab) -> None:
        done = use(lab, Shell("echo begun; sleep 60", timeout_s=1.0))

        assert done.text == "begun\n[ended after 1 s; all that it had started is dead]"
        assert not done.ok

    def test_keeps_head_and_tail_of_much_output_and_says_so(self, lab: Lab) -> None:
        done = use(lab, Shell("seq 1 100000"), shown=200)

        assert done.text.startswith("1\n2\n")
        assert "characters cut …]" in done.text
        assert done.text.endswith("100000\n[exit code 0]")

    def test_shows_nothing_hidden(self, lab: Lab) -> None:
        done = use(lab, Shell(r"printf '\033[31mred\033[0m\000 \342\200\213\377'"))

        assert done.text == "red \ufffd\ufffd\n[exit code 0]"

    def test_sees_no_environment_but_the_view(self, lab: Lab) -> None:
        os.environ["JAM_CANARY"] = "canary-8f1e"  # jam's own process has it
        try:
            done = use(lab, Shell("env; cat /proc/self/environ; true"))
        finally:
            del os.environ["JAM_CANARY"]

        assert "canary-8f1e" not in done.text

    def test_that_is_denied_or_asked_about_is_not_run(self, tmp_path: Path) -> None:
        lab = plain(tmp_path, policy=layer(deny=["touch"], ask=["mkdir"]))

        denied, asked = use(lab, Shell("touch a")), use(lab, Shell("mkdir b"))

        assert denied == Done(
            text="Not allowed here: policy denies 'touch'.",
            call=Call(
                tool="shell", argument="touch a", decision="deny", why="policy denies 'touch'"
            ),
            ok=False,
        )
        assert asked.call.decision == "ask"
        assert asked.text == (
            "Not done yet: a person is asked first (policy asks about 'mkdir'): mkdir b"
        )
        assert names(lab.tree) == []


class TestRead:
    def test_numbers_the_lines(self, lab: Lab) -> None:
        assert use(lab, Read("src/a.py")).text == "     1\tdef a():\n     2\t    return 1"

    def test_takes_the_path_of_the_checkout_in_full(self, lab: Lab) -> None:
        assert use(lab, Read("/jam/repo/src/a.py", first=2)).text == "     2\t    return 1"

    def test_of_a_folder_lists_it(self, lab: Lab) -> None:
        assert use(lab, Read(".")).text == "./ holds:\nsrc\nsrc/a.py"

    def test_of_a_range_beyond_the_end_tells_the_length(self, lab: Lab) -> None:
        assert use(lab, Read("src/a.py", first=7)).text == "(the file has 2 lines)"

    def test_of_a_binary_file_says_so(self, lab: Lab) -> None:
        use(lab, Shell(r"printf 'a\000b' > blob"))

        assert use(lab, Read("blob")).text == "blob is binary: 3 bytes."

    def test_of_an_empty_file_says_so(self, lab: Lab) -> None:
        use(lab, Write("empty", ""))

        assert use(lab, Read("empty")).text == "(the file is empty)"

    def test_of_a_large_file_points_to_the_shell(self, lab: Lab) -> None:
        use(lab, Shell("head -c 3000000 /dev/zero | tr '\\0' x > big"))

        assert use(lab, Read("big")).text == (
            "big is too large (3,000,000 bytes); look at it with the shell."
        )

    def test_of_a_pipe_does_not_hang(self, lab: Lab) -> None:
        use(lab, Shell("mkfifo pipe"))

        assert use(lab, Read("pipe")).text == "pipe is not an ordinary file."

    @pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "src/../../x", "", "a\nb"])
    def test_outside_of_the_checkout_is_denied(self, lab: Lab, path: str) -> None:
        done = use(lab, Read(path))

        assert done.call.decision == "deny"
        assert "no path inside of the checkout" in done.text

    def test_of_what_is_missing_says_so(self, lab: Lab) -> None:
        assert use(lab, Read("nope.py")) == Done(
            text="nope.py does not exist.", call=Call(tool="read", argument="nope.py"), ok=False
        )


class TestWrite:
    def test_makes_the_folders_it_needs(self, lab: Lab) -> None:
        assert use(lab, Write("new/deep/b.py", "x = 1\n")) == Done(
            text="new/deep/b.py is written: 6 bytes.",
            call=Call(tool="write", argument="new/deep/b.py"),
        )
        assert lab.text("new/deep/b.py") == "x = 1\n"

    def test_keeps_the_mode_of_what_it_replaces(self, lab: Lab) -> None:
        use(lab, Shell("chmod 755 src/a.py"))

        use(lab, Write("src/a.py", "pass\n"))

        assert stat.S_IMODE((lab.tree / "src/a.py").stat().st_mode) == 0o755

    @pytest.mark.parametrize("path", ["-n", "$(touch x)", "a b'\"c", "*", "ünï.py"])
    def test_takes_any_name_as_a_name(self, lab: Lab, path: str) -> None:
        assert use(lab, Write(path, "hello")).ok
        assert use(lab, Read(path)).text == "     1\thello"
        assert names(lab.tree) == sorted(["src", path])

    @pytest.mark.parametrize("path", ["link/x.py", "file-link.py"])
    def test_goes_through_no_link(self, lab: Lab, tmp_path: Path, path: str) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (lab.tree / "link").symlink_to(outside)
        (lab.tree / "file-link.py").symlink_to("src/a.py")

        done = use(lab, Write(path, "evil"))

        assert done.text == f"{path} is or lies behind a symbolic link; name the real path instead."
        assert (names(outside), lab.text("src/a.py")) == ([], "def a():\n    return 1\n")

    def test_on_a_folder_is_refused(self, lab: Lab) -> None:
        assert use(lab, Write("src", "x")).text == "src is a folder."

    def test_on_read_only_and_protected_paths_is_denied(self, tmp_path: Path) -> None:
        protected = layer(protect={".github/**": Protection.BLOCK})
        lab = plain(tmp_path, policy=protected)
        frozen = plain(tmp_path, policy=read_only(["tests/test_a.py"]))

        assert use(frozen, Write("tests/test_a.py", "")).text == f"Not allowed here: {READ_ONLY}."
        assert use(frozen, Write("tests/test_b.py", "")).ok
        assert use(lab, Write(".github/ci.yml", "")).call.decision == "deny"
        assert use(lab, Delete(".git/config")).call.decision == "deny"


class TestEdit:
    def test_replaces_what_is_there_once_and_shows_it(self, lab: Lab) -> None:
        done = use(lab, Edit("src/a.py", "return 1", "return 2"))

        assert done.text == "src/a.py is changed:\n     1\tdef a():\n     2\t    return 2"
        assert lab.text("src/a.py") == "def a():\n    return 2\n"

    @pytest.mark.parametrize(
        ("old", "said"),
        [
            ("return 3", "not in the file"),
            ("r", "is there 1 times"),
            ("", "is empty"),
        ],
    )
    def test_changes_nothing_when_it_is_not_there_once(self, lab: Lab, old: str, said: str) -> None:
        use(lab, Write("src/a.py", "r + r\n" if old == "r" else "return 1\n"))
        before = lab.text("src/a.py")

        done = use(lab, Edit("src/a.py", old, "x"))

        assert said.replace("1 times", "2 times") in done.text
        assert (done.ok, lab.text("src/a.py")) == (False, before)

    def test_leaves_all_other_bytes_alone(self, lab: Lab) -> None:
        (lab.tree / "latin.py").write_bytes(b"# caf\xe9\r\nx = 1\r\ny = 2\r\n")
        lab.bench.jail.adopt(lab.tree)

        use(lab, Edit("latin.py", "x = 1\ny = 2", "x = 2\ny = 3"))

        assert (lab.tree / "latin.py").read_bytes() == b"# caf\xe9\r\nx = 2\r\ny = 3\r\n"

    @pytest.mark.parametrize(
        ("line", "content"),
        [(0, "new\na\nb"), (1, "a\nnew\nb"), (2, "a\nb\nnew\n")],
    )
    def test_inserts_whole_lines(self, lab: Lab, line: int, content: str) -> None:
        use(lab, Write("c.txt", "a\nb"))

        use(lab, Insert("c.txt", line, "new"))

        assert lab.text("c.txt") == content

    def test_does_not_insert_beyond_the_end(self, lab: Lab) -> None:
        assert use(lab, Insert("src/a.py", 9, "x")).text == (
            "src/a.py has 2 lines; nothing was inserted."
        )


class TestDelete:
    def test_takes_away_files_folders_and_links_but_not_what_they_lead_to(self, lab: Lab) -> None:
        (lab.tree / "link").symlink_to("src")
        use(lab, Write("d/e/f", ""))

        assert [use(lab, Delete(path)).text for path in ("link", "d", "nope")] == [
            "link is deleted.",
            "d is deleted.",
            "nope does not exist.",
        ]
        assert names(lab.tree) == ["src"]


class TestSearch:
    def test_finds_lines_with_their_places(self, lab: Lab) -> None:
        assert use(lab, Search("return [0-9]")) == Done(
            text="src/a.py:2:    return 1",
            call=Call(tool="search", argument="return [0-9] in .", exit_code=0),
        )

    def test_leaves_out_what_is_ignored_and_gits_own(self, lab: Lab) -> None:
        use(lab, Shell("git init -q; echo needle > x.log; echo '*.log' > .gitignore"))
        use(lab, Shell("echo needle > seen.txt"))
        (lab.tree / ".git/y").write_text("needle\n")

        assert use(lab, Search("needle")).text == "seen.txt:1:needle"

    def test_of_nothing_and_of_a_broken_pattern(self, lab: Lab) -> None:
        assert use(lab, Search("nowhere to be found")).text == "(nothing found)"
        assert not use(lab, Search("(")).ok

    def test_of_very_much_is_cut(self, lab: Lab) -> None:
        use(lab, Write("w.txt", "wide" * 1000))
        use(lab, Shell("seq 1 1000 > n.txt"))

        assert use(lab, Search("wide")).text == f"w.txt:1:{'wide' * 73}…"
        assert use(lab, Search("[0-9]", "n.txt")).text.endswith("… and 800 more lines")


def test_a_call_that_makes_no_sense_is_told_and_recorded(tmp_path: Path) -> None:
    lab = plain(tmp_path, policy=Policy())

    assert use(lab, Unusable("fly", "There is no tool named fly.")) == Done(
        text="There is no tool named fly.",
        call=Call(tool="fly", argument="", why="There is no tool named fly."),
        ok=False,
    )


def test_finishing_is_recorded(tmp_path: Path) -> None:
    assert use(plain(tmp_path, policy=Policy()), Finish("done")).call == Call(
        tool="finish", argument=""
    )


def test_each_call_is_told_in_one_line(tmp_path: Path) -> None:
    lab = plain(tmp_path, policy=layer(deny=["rm"]))

    use(lab, Shell("echo a\necho b"))
    use(lab, Shell("rm -rf x"))

    assert lab.said == ["shell echo a echo b", "shell rm -rf x (deny: policy denies 'rm')"]


def test_a_stopped_session_ends_the_command(tmp_path: Path) -> None:
    lab = plain(tmp_path, policy=Policy())
    lab.stop.set()

    assert use(lab, Shell("sleep 60")).text == "[ended: the session is being stopped]"


class TestWithoutAWorkingJail:
    @pytest.mark.parametrize(
        ("action", "said"),
        [
            (Shell("ls"), "nothing here\n[it could not be started]"),
            (Read("a.py"), "a.py: the tool was ended (not started)."),
            (Write("a.py", ""), "a.py: the tool was ended (not started)."),
        ],
    )
    def test_every_tool_says_so(self, tmp_path: Path, action: Action, said: str) -> None:
        lab = plain(tmp_path, policy=Policy())
        bench = replace(lab.bench, view=replace(lab.bench.view, tree=tmp_path / "gone"))

        done = Toolbox(bench, lambda: 30.0).perform(action)

        assert not done.ok
        assert done.text.splitlines()[-1] == said.splitlines()[-1]


def test_output_without_end_is_ended(lab: Lab) -> None:
    done = use(lab, Shell("yes"), shown=500)

    assert re.fullmatch(r"\[ended: too much output, [0-9,]+ bytes\]", done.text.splitlines()[-1])


def test_a_disk_without_room_is_told(lab: Lab) -> None:
    use(lab, Shell("ln -s /dev/full full && cat a > full || true"))

    assert "No space left" in use(lab, Shell("echo x > full")).text
