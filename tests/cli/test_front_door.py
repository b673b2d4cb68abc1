"""What is answered from the table alone, and that it needs nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from bot import __version__
from bot.cli import COMMANDS, main, overview

HEAVY = ("typer", "rich", "pydantic", "yaml", "difflib", "importlib.metadata", "bot.app")
ASK = "import sys; from bot.cli import main; main(sys.argv[1:]); print(*sys.modules)"


def test_the_table_is_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert [main(argv) for argv in ([], ["--help"], ["-h"], ["help"])] == [0, 0, 0, 0]
    assert capsys.readouterr().out == f"{overview()}\n" * 4
    assert [line.split()[0] for line in overview().splitlines() if line.startswith("  ")] == list(
        COMMANDS
    )


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"jam {__version__}\n"


MISTYPED = {
    "a near miss": ("fxi", "jam: 'fxi' is not a command; did you mean `jam fix`?\n"),
    "nothing like it": ("zzz", "jam: 'zzz' is not a command; `jam --help` lists the commands.\n"),
    "an option first": (
        "--repo",
        "jam: '--repo' is not a command; `jam --help` lists the commands.\n",
    ),
}


@pytest.mark.parametrize(("word", "sentence"), MISTYPED.values(), ids=MISTYPED.keys())
def test_a_mistyped_command_is_told_once(
    word: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert capsys.readouterr() == ("", sentence)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_module_and_its_help(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hasattr(import_module(COMMANDS[name][0]), "app")
    assert main([name, "--help"]) == 0
    assert f"Usage: jam {name} " in capsys.readouterr().out


def test_help_and_version_import_nothing_heavy() -> None:
    for word in ("--help", "--version"):
        ran = subprocess.run(
            [sys.executable, "-c", ASK, word], capture_output=True, text=True, check=True
        )
        loaded = set(ran.stdout.splitlines()[-1].split())

        assert [name for name in HEAVY if name in loaded] == []
