"""Small repositories with one flaky test each, and the condition that shows it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.finding import Category
from tests.stories.project import Project

CONTRACT = """\
version: 1
oracles:
  unit:
    gates:
      - run: {python} -m pytest -q -p no:cacheprovider{more}
        report: {report}
"""
CONFTEST = """\
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""
SHOP = """\
SETTINGS = {"currency": "EUR"}


def price(amount):
    return f"{amount} {SETTINGS['currency']}"
"""
QUIET = """\
import pytest


@pytest.mark.parametrize("n", range(6))
def test_quiet(n):
    assert n < 6
"""
SUBJECT = "tests/test_m.py::test_subject"
LATER = Condition(order=Order.REVERSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky:
    """``shows``: conditions of the whole suite, one of which fails the subject."""

    text: str
    category: Category
    shows: tuple[Condition, ...]
    before: str = ""  # another file, collected before the subject's
    after: str = ""


SUITES = {
    "victim": Flaky(
        text='import shop\n\ndef test_subject():\n    assert shop.price(3) == "3 EUR"\n',
        after='import shop\n\ndef test_polluter():\n    shop.SETTINGS["currency"] = "USD"\n'
        '    assert shop.price(1) == "1 USD"\n',
        category=Category.VICTIM,
        shows=(LATER,),
    ),
    "brittle": Flaky(
        before="import shop\n\ndef test_setter():\n    shop.ready = True\n    assert shop.ready\n",
        text="import shop\n\ndef test_subject():\n    assert shop.ready\n",
        category=Category.BRITTLE,
        shows=(LATER,),
    ),
    "repeated": Flaky(
        text="seen = []\n\ndef test_subject():\n    seen.append(1)\n    assert len(seen) == 1\n",
        category=Category.REPEATED,
        shows=(Condition(repeat=2),),
    ),
    "random": Flaky(
        text="import random\n\ndef test_subject():\n    assert random.random() > 0.3\n",
        category=Category.RANDOM,
        shows=(Condition(),) * 12,
    ),
    "hash order": Flaky(
        text='def test_subject():\n    assert list({"a", "b", "c"})[0] != "b"\n',
        category=Category.UNORDERED,
        shows=tuple(Condition(hash_seed=n) for n in range(1, 13)),
    ),
    "clock": Flaky(
        text="import datetime\n\ndef test_subject():\n    today = datetime.date.today()\n"
        "    assert today.replace(year=today.year + 1) > today\n",
        category=Category.TIME,
        shows=(Condition(clock=datetime(2028, 2, 29, 12, tzinfo=UTC)),),
    ),
    "zone": Flaky(
        text="import time\n\ndef test_subject():\n    assert time.timezone == 0\n",
        category=Category.TIME,
        shows=(Condition(zone="Asia/Kathmandu"),),
    ),
    "used folder": Flaky(
        text="import os, tempfile\n\ndef test_subject():\n"
        '    os.mkdir(os.path.join(tempfile.gettempdir(), "mine"))\n',
        category=Category.RESOURCE,
        shows=(Condition(reused_folder=True),),
    ),
}


def lay(home: Path, files: dict[str, str], *, more: str = "", report: str = "pytest") -> Project:
    project = Project(home=home)
    project.repo.mkdir(parents=True)
    project.git("init", "-q", "-b", "main")
    contract = CONTRACT.format(python=sys.executable, more=more, report=report)
    project.commit({".github/jam.yml": contract, "tests/conftest.py": CONFTEST, **files})
    return project


def files_of(suite: Flaky) -> dict[str, str]:
    found = {"shop.py": SHOP, "tests/test_quiet.py": QUIET, "tests/test_m.py": suite.text}
    found |= {"tests/test_a.py": suite.before} if suite.before else {}
    return found | ({"tests/test_z.py": suite.after} if suite.after else {})
