"""What is found readable is what a command needs, and none of the user's own things."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.sandbox import choose
from bot.adapters.toolchain import Toolchain, closed_to_others, readable_for, words
from bot.adapters.toolchain.words import Words
from bot.core.contract import SandboxKind
from bot.ports import Bind, Ended, Limits, Ran, View

BASE = Path(sys.base_prefix).resolve()
PYTHON = Path(os.path.realpath(sys.executable))
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a space in its name, closed to others, that holds secrets."""
    home = tmp_path / "our home"
    for secret in (".ssh/id", ".aws/credentials", ".config/gh/hosts.yml"):
        (home / secret).parent.mkdir(parents=True)
        (home / secret).write_text("secret")
    (home / ".netrc").write_text("secret")
    home.chmod(0o700)
    return home


@pytest.fixture
def tree(home: Path) -> Path:
    tree = home / "work" / "project"
    tree.mkdir(parents=True)
    return tree


def environment(folder: Path) -> Path:
    subprocess.run((PYTHON, "-m", "venv", "--without-pip", folder), check=True)
    return folder


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def seen_by(command: str, found: Toolchain, tree: Path) -> Ran:
    jail = choose(SandboxKind.BWRAP)
    jail.adopt(tree)
    view = View(
        tree=tree,
        at=tree,
        readable=found.readable,
        binds=found.binds,
        env={**found.env, "PATH": found.path},
    )
    return jail.run(("sh", "-c", command), view=view, limits=Limits(timeout_s=20))


class TestWords:
    @pytest.mark.parametrize(
        ("command", "programs"),
        [
            ("pytest", ("pytest",)),
            ("A=b C='d e' python -m pytest -q", ("python", "pytest")),
            ("cd /x && ./run.sh; make test|tee log", ("./run.sh", "make", "test", "tee", "log")),
            ("env X=1 go test ./...", ("env", "go", "test", "./...")),
            (
                "sh -c 'cargo test && \"/a b/c\" x'",
                ("sh", "cargo", "test", "/a b/c", "/a", "b/c", "x"),
            ),
            ("(time tox) > out 2>&1 &", ("time", "tox", "out", "2", "1")),
            ("x=$(which python3)", ("which", "python3")),
            ("python 'never closed", ("python", "never", "closed")),
            ("echo `node -v`", ("echo", "node")),
            ("$RUNNER --flag", ()),
            (
                "PY=/opt/a/python make test CC=./cc X=$HOME/y",
                ("/opt/a/python", "make", "test", "./cc"),
            ),
        ],
    )
    def test_what_could_be_a_program_is_named(
        self, command: str, programs: tuple[str, ...]
    ) -> None:
        assert words.read(command).programs == programs

    def test_folders_are_told_apart(self) -> None:
        assert words.read("cd sub/dir && PATH=/a/bin:$PATH:/b/bin pytest") == Words(
            ("pytest",), ("/a/bin", "/b/bin"), ("sub/dir",)
        )


class TestVirtualEnvironments:
    def test_one_anywhere_is_seen_with_the_interpreter_behind_it(
        self, home: Path, tree: Path
    ) -> None:
        env = environment(home / "envs" / "mine")

        found = readable_for(
            "python -m pytest", path=f"{env}/bin:{SYSTEM_PATH}", home=home, tree=tree
        )
        ran = seen_by("python -c 'import json, sys; print(sys.prefix)'", found, tree)

        assert (ran.exit_code, ran.output) == (0, f"{env}\n")
        assert found.problems == ()
        assert set(found.readable) <= {env, BASE}
        first = found.interpreters[0]
        assert (first.executable, first.prefix, first.base) == (env / "bin/python", env, PYTHON)
        assert (first.is_environment, first.version) == (True, sys.version_info[:2])
        assert first.site_packages == (env / "lib" / f"python{VERSION}" / "site-packages",)

    def test_one_inside_of_the_checkout_is_laid_over_the_tree(self, home: Path, tree: Path) -> None:
        env = environment(tree / ".venv")
        room = home / "room"
        room.mkdir()

        found = readable_for(".venv/bin/python x.py", path=SYSTEM_PATH, home=home, tree=tree)
        jail = choose(SandboxKind.BWRAP)
        jail.adopt(room)
        view = View(tree=room, at=tree, readable=found.readable, binds=found.binds)
        ran = jail.run(
            (".venv/bin/python", "-c", "print(1)"), view=view, limits=Limits(timeout_s=9)
        )

        assert found.binds == (Bind(env, env),)
        assert not any(tree in (path, *path.parents) for path in found.readable)
        assert (ran.exit_code, ran.output) == (0, "1\n")

    def test_its_place_inside_follows_the_checkouts(self, home: Path, tree: Path) -> None:
        env = environment(tree / ".venv")

        found = readable_for(
            "pytest", path=f"{env}/bin:/usr/bin", home=home, tree=tree, at=Path("/jam/repo")
        )

        assert found.path.startswith("/jam/repo/.venv/bin:/usr/bin")

    def test_a_script_leads_to_the_environment_it_was_installed_in(
        self, home: Path, tree: Path
    ) -> None:
        env = environment(home / "envs" / "mine")
        tool = program(
            env / "bin/tool", f"#!/bin/sh\n'''exec' \"{env}/bin/python\" \"$0\" \"$@\"\n' '''\n"
        )
        (home / "bin").mkdir()
        (home / "bin" / "tool").symlink_to(tool)

        found = readable_for("tool", path=f"{home}/bin:{SYSTEM_PATH}", home=home, tree=tree)

        assert env in found.readable
        assert seen_by("tool", found, tree).exit_code == 0

    def test_no_program_of_the_checkout_is_run_to_find_out(self, home: Path, tree: Path) -> None:
        mark = home / "ran"
        program(tree / "evil" / "python3", f"#!/bin/sh\ntouch '{mark}'\n")
        program(tree / ".venv/bin/python", f"#!/bin/sh\ntouch '{mark}'\n")
        (tree / ".venv/pyvenv.cfg").write_text(f"home = {tree}/evil\n")

        found = readable_for(".venv/bin/python x.py", path="/usr/bin", home=home, tree=tree)

        assert not mark.exists()
        assert "inside of the checkout is not run" in found.problems[0]

    def test_one_whose_interpreter_is_gone_is_a_problem(self, home: Path, tree: Path) -> None:
        env = environment(home / "env")
        for link in (env / "bin").glob("python*"):
            link.unlink()
        program(env / "bin" / "python", "#!/bin/sh\n").rename(env / "bin" / "tool")
        (env / "pyvenv.cfg").write_text("home = /nonexistent/bin\n")
        program(env / "bin" / "python3", "")
        (env / "bin" / "python3").write_bytes(b"\x7fELF")

        found = readable_for("python3", path=f"{env}/bin", home=home, tree=tree)

        assert len(found.problems) == 1
        assert str(env / "bin" / "python3") in found.problems[0]

    def test_what_others_cannot_read_is_told(self, home: Path, tree: Path) -> None:
        env = environment(home / "env")
        package = env / "lib" / f"python{VERSION}" / "site-packages" / "package"
        package.mkdir(mode=0o700)

        found = readable_for("python", path=f"{env}/bin:/usr/bin", home=home, tree=tree)

        assert closed_to_others(found) == (
            f"{env} cannot be read by the user that commands run as "
            f"({package} is closed to others): chmod -R go+rX '{env}'",
        )


class TestSecrets:
    def test_a_home_and_what_it_hides_stay_out_whatever_is_named(
        self, home: Path, tree: Path
    ) -> None:
        program(home / "run", "#!/bin/sh\n")
        program(home / ".ssh" / "agent", "#!/bin/sh\n")
        path = f"{home}:{home}/.ssh:{home}/.config/gh:{SYSTEM_PATH}"
        named = ("~/run", f"'{home}/.ssh/agent'", "agent", f"'{home}/.ssh/id'", "run")

        found = readable_for(
            " && ".join(named), path=path, home=home, tree=tree, extra=(home, home / ".ssh")
        )
        ran = seen_by(f"cat '{home}/.ssh/id' '{home}/.netrc'; ls -A '{home}'", found, tree)

        hidden = {home, *home.parents, home / ".ssh", home / ".config", home / ".aws"}
        assert not hidden & set(found.readable)
        assert "secret" not in ran.output
        assert {".ssh", ".netrc", ".aws"}.isdisjoint(ran.output.split())
        assert len(found.problems) == 2

    def test_what_the_contract_names_is_shown(self, home: Path, tree: Path) -> None:
        (home / "data").mkdir()
        (home / "data" / "set").write_text("data")

        found = readable_for("true", path="/usr/bin", home=home, tree=tree, extra=(home / "data",))

        assert home / "data" in found.readable
        assert seen_by(f"cat '{home}/data/set'", found, tree).output == "data"

    def test_what_does_not_exist_is_a_problem(self, home: Path, tree: Path) -> None:
        found = readable_for("true", path="/usr/bin", home=home, tree=tree, extra=(Path("/no"),))

        assert found.problems == ("sandbox.read names /no, which does not exist",)


class TestVersionManagers:
    @pytest.fixture
    def manager(self, home: Path) -> Path:
        root = home / ".pyenv"
        for version in ("3.9.1", "3.10.2", "3.10.11"):
            program(root / "versions" / version / "bin" / "tool", f"#!/bin/sh\necho {version}\n")
        program(root / "shims" / "tool", "#!/bin/sh\necho a shim\n")
        (root / "version").write_text("3.9.1\n")
        return root

    def find(self, home: Path, tree: Path) -> Toolchain:
        path = f"{home}/.pyenv/shims:{SYSTEM_PATH}"
        return readable_for("tool", path=path, home=home, tree=tree)

    def test_the_real_program_stands_for_the_shim(
        self, home: Path, tree: Path, manager: Path
    ) -> None:
        found = self.find(home, tree)

        assert seen_by("tool", found, tree).output == "3.9.1\n"
        assert manager / "versions/3.9.1" in found.readable
        assert "shims" not in found.path

    def test_the_checkout_may_choose_and_part_of_a_version_means_the_newest(
        self, home: Path, tree: Path, manager: Path
    ) -> None:
        (tree / ".python-version").write_text("# ours\n3.10\n")

        assert seen_by("tool", self.find(home, tree), tree).output == "3.10.11\n"

    def test_a_choice_of_the_checkouts_leads_nowhere_else(
        self, home: Path, tree: Path, manager: Path
    ) -> None:
        (tree / ".python-version").write_text("../../.ssh\n")

        found = self.find(home, tree)

        assert len(found.problems) == 1
        assert not any(".ssh" in path.parts for path in found.readable)

    def test_the_systems_own_is_further_down_path(
        self, home: Path, tree: Path, manager: Path
    ) -> None:
        (manager / "version").write_text("system\n")
        program(home / "bin" / "tool", "#!/bin/sh\necho further down\n")

        path = f"{manager}/shims:{home}/bin:{SYSTEM_PATH}"
        found = readable_for("tool", path=path, home=home, tree=tree)

        assert seen_by("tool", found, tree).output == "further down\n"

    def test_rustups_toolchain_stands_for_it(self, home: Path, tree: Path) -> None:
        program(home / ".cargo/bin/rustup", "#!/bin/sh\necho rustup\n")
        (home / ".cargo/bin/cargo").symlink_to("rustup")
        (home / ".cargo/credentials.toml").write_text("secret")
        (home / ".rustup").mkdir()
        (home / ".rustup/settings.toml").write_text('default_toolchain = "stable-x"\n')
        program(home / ".rustup/toolchains/stable-x/bin/cargo", "#!/bin/sh\necho real\n")
        (home / ".cargo/registry").mkdir()
        (tree / "Cargo.toml").write_text("")

        found = readable_for("cargo test", path=f"{home}/.cargo/bin:/usr/bin", home=home, tree=tree)
        ran = seen_by('cargo; ls -A "$CARGO_HOME"', found, tree)

        assert ran.output == "real\nregistry\n"

    def test_rustup_of_another_home_has_its_toolchains_there(
        self, home: Path, tree: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other"
        program(other / ".cargo/bin/rustup", "#!/bin/sh\necho rustup\n")
        (other / ".cargo/bin/cargo").symlink_to("rustup")
        program(other / ".rustup/toolchains/stable-x/bin/cargo", "#!/bin/sh\necho real\n")
        (other / ".rustup/settings.toml").write_text('default_toolchain = "stable-x"\n')

        path = f"{other}/.cargo/bin:/usr/bin"
        found = readable_for("cargo test", path=path, home=home, tree=tree)

        assert seen_by("cargo", found, tree).output == "real\n"


class TestOtherToolchains:
    def test_an_installation_is_seen_whole(self, home: Path, tree: Path) -> None:
        root = home / "sdk" / "node-20"
        program(root / "bin" / "node", '#!/bin/sh\ncat "$(dirname "$0")/../lib/part"\n')
        (root / "lib").mkdir()
        (root / "lib" / "part").write_text("whole")

        found = readable_for("node x.js", path=f"{root}/bin:/usr/bin:/bin", home=home, tree=tree)

        assert root in found.readable
        assert seen_by("node", found, tree).output == "whole"

    def test_what_a_makefile_may_call_is_seen_too(self, home: Path, tree: Path) -> None:
        env = environment(home / "env")

        found = readable_for("make test", path=f"{env}/bin:{SYSTEM_PATH}", home=home, tree=tree)

        assert env in found.readable

    def test_the_users_packages_come_with_an_interpreter_of_the_systems(
        self, home: Path, tree: Path
    ) -> None:
        plain = shutil.which("python3", path=SYSTEM_PATH)
        assert plain is not None
        asked = (
            f"{plain} -c 'import sys; print(sys.version_info[0], sys.version_info[1], sep=\".\")'"
        )
        version = subprocess.check_output(asked, shell=True, text=True).strip()
        site = home / ".local/lib" / f"python{version}" / "site-packages"
        site.mkdir(parents=True)
        (site / "ours.py").write_text("print('ours')")
        (home / ".local/share/keyrings").mkdir(parents=True)

        found = readable_for("python3 -m pytest", path=SYSTEM_PATH, home=home, tree=tree)
        ran = seen_by(f"python3 -m ours; ls -A '{home}/.local'", found, tree)

        assert ran.output == "ours\nlib\n"

    def test_modules_of_node_inside_of_the_checkout_are_laid_over_the_tree(
        self, home: Path, tree: Path
    ) -> None:
        (tree / "node_modules").mkdir()

        found = readable_for("npm test", path="/usr/bin", home=home, tree=tree)

        assert found.binds == (Bind(tree / "node_modules", tree / "node_modules"),)

    def test_a_command_of_the_system_needs_nothing(self, home: Path, tree: Path) -> None:
        found = readable_for("make -C sub check", path="/usr/bin:/bin", home=home, tree=tree)

        assert (found.readable, found.binds, found.problems) == ((), (), ())
        assert seen_by("true", found, tree).ended is Ended.EXITED
