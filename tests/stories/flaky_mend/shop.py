"""A repository with a flaky test whose cause is known, and the mend of it as jam makes one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bot.adapters import sandbox
from bot.adapters.repository import open_repository
from bot.adapters.store import Store
from bot.app.opening import Wanted
from bot.app.requests import Answer, FlakyRequest
from bot.core import contract_file, ledger
from bot.core.contract import SandboxKind
from bot.core.entries import AnyFact
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.finding import Category, Finding, Leaked, Standing
from bot.core.flaky.runs import Count
from bot.wiring import flaky_mend, local
from bot.wiring.ground import base_of
from bot.wiring.settings import read

PRODUCT = """\
PRICES = {"plain": 200}


def price(kind, count=1):
    total = PRICES[kind] * count
    return total - total // 10 if count >= 10 else total
"""
SALE = """\
import shop


def test_a_shop_sets_its_own_price():
    shop.PRICES["plain"] = 150
    assert shop.price("plain", 2) == 300
"""
PRICE = """\
import time

import pytest

import shop


def check(total):
    assert total > 0


def test_one_ticket():
    total = shop.price("plain")
    check(total)
    assert total == 200


@pytest.mark.parametrize("count", [10, 20])
def test_many_tickets(count):
    assert shop.price("plain", count) == 180 * count


def test_no_such_ticket():
    with pytest.raises(KeyError):
        shop.price("golden")
"""
FILES = {"shop.py": PRODUCT, "tests/test_sale.py": SALE, "tests/test_price.py": PRICE}
VICTIM = "tests/test_price.py::test_one_ticket"
POLLUTER = "tests/test_sale.py::test_a_shop_sets_its_own_price"
CONTRACT = (
    "version: 1\noracles:\n  unit:\n    gates:\n      - run: {} -m pytest -q -p no:cacheprovider\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    home: Path

    @classmethod
    def at(cls, home: Path, files: Mapping[str, str] = FILES) -> Shop:
        repo = home / "repo"
        contract = CONTRACT.format(sys.executable)
        for name, text in {**files, "conftest.py": "", ".github/jam.yml": contract}.items():
            path = repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git = ("git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@b.c")
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
            subprocess.run([*git, *words], check=True, capture_output=True)
        return cls(home=home)

    def site(self, store: Store | None = None) -> local.Site:
        return local.Site(
            repository=open_repository(self.home / "repo"),
            store=store or Store(self.home / "state"),
            jail=sandbox.choose(SandboxKind.AUTO),
            settings=read(),
            say=lambda _: None,
            stop=Event(),
        )

    def mend(self, agent: str, *, store: Store | None = None, **over: object) -> Answer:
        site = self.site(store)
        repository = site.repository
        base = repository.resolve("HEAD")
        contract = contract_file.read(repository.read(base, ".github/jam.yml") or b"", name="x")
        wanted = Wanted(
            contract=contract,
            contract_from="x",
            objective=f"Mend the flaky test {VICTIM}",
            base=base_of(repository, base, "HEAD"),
            agents=(agent,),
            sandbox=site.jail.level,
        )
        request = FlakyRequest(repo=self.home / "repo", **over)  # type: ignore[arg-type]
        return flaky_mend.mend(finding(base), wanted, site, request=request)

    def facts(self, answer: Answer) -> list[AnyFact]:
        store = Store(self.home / "state")
        entries = ledger.read(store.read(str(answer.document["session"])))
        return [sealed.fact for sealed in entries]


def finding(base: str) -> Finding:
    condition = Condition(tests=(POLLUTER, VICTIM), order=Order.GIVEN)
    return Finding(
        commit=base,
        gate="tests",
        test=VICTIM,
        tests=(VICTIM, "tests/test_price.py::test_many_tickets[10]"),
        standing=Standing.FLAKY,
        category=Category.VICTIM,
        condition=condition,
        before=Count(condition=condition, runs=7, failed=7),
        plain=Count(condition=Condition(), runs=5, failed=0),
        polluters=(POLLUTER,),
        leaked=(
            Leaked(
                where="shop.PRICES",
                before="dict('plain': 200)",
                after="dict('plain': 150)",
                by=POLLUTER,
            ),
        ),
        signature="AssertionError | assert total == 200",
        failing=(condition,),
    )


def rewriting(*versions: Mapping[str, str]) -> str:
    """An agent that leaves the base with one set of files changed, another one each turn."""
    program = (
        "import pathlib\n"
        f"turns = {[dict(one) for one in versions]!r}\n"
        f"files = {{**{dict(FILES)!r}, 'conftest.py': ''}}\n"
        "count = pathlib.Path('turn.txt')\n"
        "n = int(count.read_text()) if count.exists() else 0\n"
        "if n < len(turns):\n"
        "    for name in {*[name for one in turns for name in one]} - {*files}:\n"
        "        pathlib.Path(name).unlink(missing_ok=True)\n"
        "    for name, text in {**files, **turns[n]}.items():\n"
        "        pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)\n"
        "        pathlib.Path(name).write_text(text)\n"
        "    count.write_text(str(n + 1))\n"
    )
    return f"command:{sys.executable} -c {_quoted(program)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"
