"""README's tables say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.agents import AGENTS
from bot.cli import COMMANDS
from bot.core import contract_file
from bot.core.conclude import EXIT_CODES
from bot.core.contract import Dialect
from bot.errors import JamError, RequestError, TransientError, TrustError

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CODE = "\n".join(path.read_text() for path in (ROOT / "bot").rglob("*.py"))


def section(heading: str, *, of: str = README) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", of, re.M | re.S)
    return found.group(1) if found else ""


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line.strip().strip("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]


def plain(cell: str) -> str:
    return cell.replace("`", "").replace("\\|", "|").strip()


def test_commands_are_those_of_the_table() -> None:
    told = {plain(name).removeprefix("jam "): does for name, does in rows(section("Commands"))}

    assert told == {name: does for name, (_, does) in COMMANDS.items()}


def test_dialects_are_those_of_a_gate() -> None:
    assert [plain(row[0]) for row in rows(section("Report dialects"))] == [d.value for d in Dialect]


def test_agents_are_those_that_can_be_made() -> None:
    told = [plain(row[0]).split(":")[0] for row in rows(section("Agents"))]

    assert sorted(told) == sorted(AGENTS)


def test_ends_have_the_exit_codes_of_the_code() -> None:
    told = {plain(end): int(code) for end, code, *_ in rows(section("Ends"))}

    assert told == {
        **EXIT_CODES,
        "refused": RequestError.exit_code,
        "paused": TransientError.exit_code,
        "ledger broken": TrustError.exit_code,
        "bug": JamError.exit_code,
    }


def test_words_are_words_of_the_code() -> None:
    words = [word for row in rows(section("Words")) for word in plain(row[0]).split(" / ")]
    unused = [word for word in words if not re.search(word.replace(" ", r"[ _]?"), CODE, re.I)]

    assert len(words) > 15
    assert unused == []


def test_the_contract_shown_is_one_that_jam_reads() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", section("The contract"), re.S)
    said = contract_file.read(shown, name="README.md")

    assert contract_file.choose_oracle(said)[0] == "unit"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_places_that_are_named_exist(name: str) -> None:
    named = re.findall(r"`((?:bot|tests|benchmarks|examples)/[\w./-]*)`", (ROOT / name).read_text())

    assert [place for place in named if not (ROOT / place).exists()] == []
