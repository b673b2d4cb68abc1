"""What a command cannot reach in bubblewrap's jail, and what it must be able to."""

from __future__ import annotations

import dataclasses
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.adapters.sandbox import BwrapJail, choose, installed
from bot.adapters.sandbox.layout import TMP_BYTES
from bot.core.contract import SandboxKind
from bot.ports import Bind, Ended, Limits, Ran, View

LIMITS = Limits(timeout_s=20)
IS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def jail() -> BwrapJail:
    jail = choose(SandboxKind.BWRAP)
    assert isinstance(jail, BwrapJail)
    return jail


@pytest.fixture
def view(jail: BwrapJail, tmp_path: Path) -> View:
    tree = tmp_path / "tree"
    tree.mkdir()
    jail.adopt(tree)
    return View(tree=tree, at=Path("/jam/repo"))


def shell(jail: BwrapJail, view: View, script: str, limits: Limits = LIMITS) -> Ran:
    return jail.run(("sh", "-c", script), view=view, limits=limits)


def python(jail: BwrapJail, view: View, code: str) -> Ran:
    return jail.run(("/usr/bin/python3", "-I", "-c", code), view=view, limits=LIMITS)


class TestIsolation:
    def test_an_environment_variable_of_jams_is_nowhere(self, tmp_path: Path) -> None:
        code = (
            "from pathlib import Path; from bot.adapters.sandbox import choose\n"
            "from bot.core.contract import SandboxKind; from bot.ports import Limits, View\n"
            f"jail = choose(SandboxKind.BWRAP); tree = Path({str(tmp_path)!r}); jail.adopt(tree)\n"
            "script = 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; env; echo the end'\n"
            "ran = jail.run(('sh', '-c', script), view=View(tree=tree, at=Path('/jam/repo')),\n"
            "               limits=Limits(timeout_s=10)); print(ran.output)"
        )
        places = (str(Path.cwd()), *(path for path in sys.path if "packages" in path))
        env = {"PYTHONPATH": ":".join(places), "CANARY": "tweet-tweet"}

        said = subprocess.run((sys.executable, "-c", code), env=env, capture_output=True, text=True)

        assert "the end" in said.stdout
        assert "tweet" not in said.stdout + said.stderr

    def test_command_lines_inside_name_no_folder_of_the_host(
        self, jail: BwrapJail, view: View
    ) -> None:
        ran = shell(jail, view, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")

        assert "--args" in ran.output
        assert str(view.tree) not in ran.output

    def test_processes_of_the_host_are_not_there(self, jail: BwrapJail, view: View) -> None:
        code = "import os; print(max(int(n) for n in os.listdir('/proc') if n.isdigit()))"

        assert int(python(jail, view, code).output) < 50

    def test_no_descriptor_of_jams_is_open_inside(self, jail: BwrapJail, view: View) -> None:
        ran = shell(jail, view, "ls /proc/self/fd | sort -n | tr '\\n' ' '")

        assert ran.output == "0 1 2 3 "  # the last is the listing's own

    def test_nobody_special_runs_without_any_capability(self, jail: BwrapJail, view: View) -> None:
        status = shell(
            jail, view, "grep -E 'Cap|NoNewPrivs|Groups|Seccomp:' /proc/self/status"
        ).output

        facts = dict(line.split(":", 1) for line in status.replace("\t", " ").splitlines())
        assert {name: value.strip() for name, value in facts.items()} == {
            "Groups": "" if IS_ROOT else facts["Groups"].strip(),
            **dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), "0" * 16),
            "NoNewPrivs": "1",
            "Seccomp": "2",
        }

    @pytest.mark.parametrize(
        "attempt",
        [
            ": >> /proc/sys/kernel/core_pattern",
            "unshare --user true",
            "unshare --map-root-user true",
            "mount -t tmpfs none /tmp",
            "touch /mark",
            "touch /dev/mark",
            "touch /usr/mark",
            "touch /etc/mark",
            "touch /jam/mark",
            "cat /etc/shadow",
            "ls /root",
            "ls /home",
            "ls /proc/1/root/root",
            "mknod disk b 8 0",
            "getent ahostsv4 example.com",
            "cat /etc/resolv.conf",
            "cat /dev/mem",
            "cat /proc/kcore",
            "dmesg",
            "chroot / true",
        ],
    )
    def test_it_is_refused(self, jail: BwrapJail, view: View, attempt: str) -> None:
        ran = shell(jail, view, attempt)

        assert ran.ended is Ended.EXITED
        assert ran.exit_code != 0

    def test_a_port_of_the_host_is_out_of_reach(self, jail: BwrapJail, view: View) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            ran = python(
                jail, view, f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
            )

        assert "ConnectionRefusedError" in ran.output

    @pytest.mark.parametrize("family", ["AF_VSOCK", "AF_ALG"])
    def test_sockets_that_no_namespace_confines_are_refused(
        self, jail: BwrapJail, view: View, family: str
    ) -> None:
        ran = python(jail, view, f"import socket; socket.socket(socket.{family})")

        assert "Address family not supported" in ran.output

    @pytest.mark.parametrize("nested", [True, False])
    def test_no_program_of_the_tree_runs_before_the_command_does(
        self, tmp_path: Path, nested: bool
    ) -> None:
        """The first steps inside are still root's; a PATH that names the tree must not matter."""
        jail = BwrapJail(next(installed()), nested=nested)
        for name in ("setpriv", "bwrap", "env", "prlimit", "choom"):
            (tmp_path / name).write_text(f"#!/bin/sh\nid -u > /jam/repo/ran-{name}\n")
            (tmp_path / name).chmod(0o755)
        jail.adopt(tmp_path)
        path = "/jam/repo:/usr/bin:/bin"
        view = View(tree=tmp_path, at=Path("/jam/repo"), env={"PATH": path})

        ran = shell(jail, view, 'echo "$PATH"')

        assert (ran.exit_code, ran.output) == (0, f"{path}\n")
        assert list(tmp_path.glob("ran-*")) == []

    @pytest.mark.skipif(not IS_ROOT, reason="nothing runs as root then")
    def test_no_library_of_the_tree_is_loaded_by_root(self, tmp_path: Path) -> None:
        jail = BwrapJail(next(installed()))
        jail.adopt(tmp_path)
        env = {"LD_PRELOAD": "/jam/repo/hostile.so"}
        view = View(tree=tmp_path, at=Path("/jam/repo"), env=env)

        ran = shell(jail, view, "true")

        # ld.so complains once for every program that it starts: the limits' two, and the shell.
        assert ran.output.count("hostile.so") == 3

    def test_the_names_of_the_hosts_users_are_unknown(self, jail: BwrapJail, view: View) -> None:
        ran = shell(jail, view, "cut -d: -f1 /etc/passwd | tr '\\n' ' '; id -un; hostname")

        assert ran.output == "root jam nobody jam\njam\n"

    def test_a_file_beside_the_tree_does_not_exist(
        self, jail: BwrapJail, view: View, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("secret")

        ran = shell(jail, view, f"cat '{tmp_path}/secret' ../secret /jam/secret")

        assert ran.exit_code != 0
        assert ran.output.count("No such file") == 3

    def test_root_and_the_user_of_another_jail_are_two(self, jail: BwrapJail) -> None:
        other = choose(SandboxKind.BWRAP)

        assert isinstance(other, BwrapJail)
        assert (jail.uid != other.uid) == IS_ROOT
        assert (jail.uid != os.geteuid()) == IS_ROOT


class TestBounds:
    def test_a_fork_bomb_ends_with_its_time(self, jail: BwrapJail, view: View) -> None:
        bomb = "import os\nwhile True:\n try: os.fork()\n except OSError: pass"

        ran = jail.run(
            ("/usr/bin/python3", "-I", "-S", "-c", bomb),
            view=view,
            limits=Limits(timeout_s=0.7, processes=50),
        )

        assert ran.ended is Ended.TIMED_OUT
        assert ran.seconds < 5

    def test_processes_are_counted_and_no_more_than_that(self, jail: BwrapJail, view: View) -> None:
        code = (
            "import os, time\nchildren = 0\n"
            "try:\n  while True:\n    if os.fork() == 0: time.sleep(9); os._exit(0)\n"
            "    children += 1\nexcept OSError: print(children)"
        )

        ran = jail.run(
            ("/usr/bin/python3", "-I", "-S", "-c", code),
            view=view,
            limits=Limits(timeout_s=9, processes=30),
        )

        assert 20 <= int(ran.output) <= 30

    def test_the_temporary_folder_is_not_the_disk(self, jail: BwrapJail, view: View) -> None:
        ran = shell(jail, view, "df --output=fstype,size -B1 /tmp /dev/shm | tail -2")

        kinds = [line.split() for line in ran.output.splitlines()]
        assert [kind for kind, _size in kinds] == ["tmpfs", "tmpfs"]
        assert int(kinds[0][1]) == TMP_BYTES

    def test_a_full_temporary_folder_is_the_commands_trouble(
        self, jail: BwrapJail, view: View
    ) -> None:
        ran = shell(jail, view, "fallocate -l 3G /tmp/a && fallocate -l 3G /tmp/b; rm /tmp/a")

        assert "No space left on device" in ran.output

    def test_big_reservations_of_address_space_are_no_trouble(
        self, jail: BwrapJail, view: View
    ) -> None:
        code = "import mmap as m; m.mmap(-1, 64 << 30, flags=34, prot=m.PROT_READ); print('ok')"

        ran = python(jail, view, code)

        assert ran.output == "ok\n"


class TestNetworkInside:
    @pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "jam"])
    def test_localhost_works(self, jail: BwrapJail, view: View, host: str) -> None:
        code = (
            "import socket, threading\n"
            f"family = socket.AF_INET6 if ':' in {host!r} else socket.AF_INET\n"
            f"server = socket.create_server(({host!r}, 0), family=family)\n"
            f"client = socket.create_connection(({host!r}, server.getsockname()[1]), 5)\n"
            "server.accept()[0].sendall(b'hello'); print(client.recv(9))"
        )

        assert python(jail, view, code).output == "b'hello'\n"

    def test_a_unix_socket_of_a_bound_folder_leads_out(self, jail: BwrapJail, view: View) -> None:
        code = (
            "import socket; s = socket.socket(socket.AF_UNIX)\n"
            "s.connect('/jam/channel/s'); s.sendall(b'report')"
        )
        # Not pytest's folder: a socket's name may not be long.
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{folder}/s")
            Path(folder).chmod(0o755)
            Path(folder, "s").chmod(0o666)
            server.listen()
            bind = Bind(Path(folder), Path("/jam/channel"))
            python(jail, dataclasses.replace(view, binds=(bind,)), code)
            server.settimeout(5)
            with server.accept()[0] as peer:
                assert peer.recv(99) == b"report"

    def test_with_network_the_hosts_settings_are_there(self, jail: BwrapJail, view: View) -> None:
        online = dataclasses.replace(view, network=True)

        ran = shell(jail, online, "cat /etc/hosts; readlink /proc/self/ns/net")

        assert (
            ran.output
            == Path("/etc/hosts").read_text() + f"{Path('/proc/self/ns/net').readlink()}\n"
        )


ODD = "a b\n🙂'\"$x"


class TestMounts:
    @pytest.mark.parametrize(
        "at", ["/jam/repo", f"/{ODD}/repo", "/home/u/repo", "/root/r", "/tmp/t/r"]
    )
    def test_the_tree_may_be_anywhere(self, jail: BwrapJail, tmp_path: Path, at: str) -> None:
        closed = tmp_path / ODD
        tree = closed / "tree"
        tree.mkdir(parents=True)
        closed.chmod(0o700)
        jail.adopt(tree)

        ran = shell(jail, View(tree=tree, at=Path(at)), 'printf %s "$PWD"; touch mark')

        assert (ran.output, ran.exit_code) == (at, 0)
        assert (tree / "mark").exists()

    def test_a_read_only_tree_cannot_be_written(self, jail: BwrapJail, view: View) -> None:
        ran = shell(jail, dataclasses.replace(view, writable=False), "touch mark")

        assert "Read-only file system" in ran.output

    def test_what_is_readable_is_seen_at_its_place_and_read_only(
        self, jail: BwrapJail, view: View, tmp_path: Path
    ) -> None:
        outer = tmp_path / ODD / "tool"
        (outer / "inner").mkdir(parents=True)
        (outer / "inner" / "file").write_text("there")
        (tmp_path / ODD).chmod(0o700)
        seen = dataclasses.replace(view, readable=(outer / "inner", outer))

        ran = jail.run(
            ("sh", "-c", 'cat "$0/inner/file"; touch "$0/mark"', str(outer)),
            view=seen,
            limits=LIMITS,
        )

        assert ran.output.startswith("there")
        assert "Read-only file system" in ran.output

    @pytest.mark.parametrize("writable", [True, False])
    def test_an_environment_inside_of_the_tree_is_laid_over_it(
        self, jail: BwrapJail, view: View, tmp_path: Path, writable: bool
    ) -> None:
        (tmp_path / "env").mkdir()
        (tmp_path / "env" / "python").write_text("real")
        seen = dataclasses.replace(
            view, writable=writable, binds=(Bind(tmp_path / "env", Path("/jam/repo/.venv")),)
        )

        ran = shell(jail, seen, "cat .venv/python; touch .venv/mark; touch mark")

        assert ran.output.startswith("real")
        assert ran.output.count("Read-only file system") == (1 if writable else 2)

    def test_a_readable_folder_inside_of_the_tree_is_not_hidden_by_it(
        self, jail: BwrapJail, tmp_path: Path
    ) -> None:
        checkout, room = tmp_path / "checkout", tmp_path / "room"
        (checkout / ".venv").mkdir(parents=True)
        (checkout / ".venv" / "python").write_text("real")
        room.mkdir()
        jail.adopt(room)

        seen = View(tree=room, at=checkout, readable=(checkout / ".venv",))

        assert shell(jail, seen, "cat .venv/python").output == "real"

    @pytest.mark.parametrize("link", [".venv", "sub"])
    def test_a_mount_point_behind_a_link_is_refused(
        self, jail: BwrapJail, view: View, tmp_path: Path, link: str
    ) -> None:
        """bubblewrap would follow it, as root, and make files out there."""
        victim = tmp_path / "victim"
        victim.mkdir()
        (view.tree / link).symlink_to(victim / "new" if link == ".venv" else victim)
        target = Path("/jam/repo") / (".venv" if link == ".venv" else "sub/.venv")
        (tmp_path / "file").write_text("")

        ran = shell(
            jail, dataclasses.replace(view, binds=(Bind(tmp_path / "file", target),)), "true"
        )

        assert ran.ended is Ended.NOT_STARTED
        assert list(victim.iterdir()) == []

    def test_a_writable_bind_is(self, jail: BwrapJail, view: View, tmp_path: Path) -> None:
        (tmp_path / "own").mkdir()
        jail.adopt(tmp_path / "own")
        bind = Bind(tmp_path / "own", Path("/jam/own"), writable=True)

        shell(jail, dataclasses.replace(view, binds=(bind,)), "echo mark > /jam/own/file")

        assert (tmp_path / "own" / "file").read_text() == "mark\n"

    def test_a_terminal_of_its_own_can_be_had(self, jail: BwrapJail, view: View) -> None:
        assert python(jail, view, "import os; print(os.isatty(os.openpty()[1]))").output == "True\n"

    def test_semaphores_and_shared_memory_work(self, jail: BwrapJail, view: View) -> None:
        code = "from multiprocessing import Pool\nprint(Pool(2).map(abs, [-1]))"

        assert python(jail, view, code).output == "[1]\n"


@pytest.mark.skipif(not IS_ROOT, reason="others' files are theirs already")
class TestAdopt:
    def test_it_owns_all_and_follows_no_link(self, jail: BwrapJail, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.write_text("")
        tree = tmp_path / "tree"
        (tree / "a" / ODD).mkdir(parents=True)
        (tree / "a" / os.fsdecode(b"\xff")).write_text("")
        (tree / "link").symlink_to(outside)
        (tree / "folder").symlink_to(tmp_path)

        jail.adopt(tree)

        owners = {path.lstat().st_uid for path in (tree, *tree.rglob("*"))}
        assert owners == {jail.uid}
        assert outside.stat().st_uid == tmp_path.stat().st_uid == 0

    def test_a_second_time_touches_nothing(self, jail: BwrapJail, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        jail.adopt(tmp_path)
        before = (tmp_path / "file").stat().st_ctime_ns

        jail.adopt(tmp_path)

        assert (tmp_path / "file").stat().st_ctime_ns == before

    def test_a_link_is_not_taken_for_the_folder(self, jail: BwrapJail, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")

        with pytest.raises(OSError, match="link"):
            jail.adopt(tmp_path / "link")

        assert (tmp_path / "real").stat().st_uid == 0

    def test_very_deep_folders_are_no_trouble(self, jail: BwrapJail, tmp_path: Path) -> None:
        deep = tmp_path.joinpath(*["d"] * 1050)
        subprocess.run(("mkdir", "-p", deep), check=True)

        jail.adopt(tmp_path)

        assert deep.stat().st_uid == jail.uid
        subprocess.run(("rm", "-r", tmp_path / "d"), check=True)  # Python would not get that deep


def test_the_filter_alone_forbids_user_namespaces_where_none_can_be_nested(tmp_path: Path) -> None:
    jail = BwrapJail(next(installed()), nested=False)
    jail.adopt(tmp_path)
    view = View(tree=tmp_path, at=Path("/jam/repo"))

    ran = shell(jail, view, "unshare --user true; unshare -p true; id -u; touch mark")

    assert ran.output.count("Operation not permitted") == 2
    assert ran.output.endswith(f"{jail.uid}\n")
    assert (tmp_path / "mark").exists()
