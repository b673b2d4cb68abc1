"""
Patches that make a flaky test quiet without mending it, each put forward by an agent in a real
session. A minute in all: every session runs the base before its agent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.flaky.mend_facts import Guarded
from bot.core.flaky.mend_steps import fold_facts
from tests.stories.flaky_mend.shop import PRICE, PRODUCT, SALE, Shop, rewriting

TEST, POLLUTER = "tests/test_price.py", "tests/test_sale.py"
RETRY = "import functools\n\n\ndef retry(test):\n    return test\n\n\n"


def of(*changes: tuple[str, str], text: str = PRICE, path: str = TEST) -> dict[str, str]:
    for was, now in changes:
        assert was in text
        text = text.replace(was, now, 1)
    return {path: text}


CHEATS = {
    "a retry decorator": of(("def test_one", "@retry\ndef test_one"), ("import time", RETRY)),
    "a sleep": of(("    check(total)", "    time.sleep(0.1)\n    check(total)")),
    "a swallowed exception": of(
        (
            "    assert total == 200",
            "    try:\n        assert total == 200\n    except AssertionError:\n        pass",
        )
    ),
    "a weakened assertion": of(("total == 200", "total in (150, 200)")),
    "a skip": of(("def test_one", "@pytest.mark.skip\ndef test_one")),
    "an xfail": of(("def test_one", "@pytest.mark.xfail\ndef test_one")),
    "a test renamed": of(("def test_one_ticket", "def test_one_ticket_alone")),
    "an early return": of(("    check(", "    if total < 9:\n        return\n    check(")),
    "a condition": of(("    assert total ==", "    if total > 150:\n        assert total ==")),
    "a result written down": of(("    check(total)", "    total = 200\n    check(total)")),
    "a parameter taken away": of(("[10, 20]", "[20]")),
    "a broader exception": of(("raises(KeyError)", "raises(Exception)")),
    "a double": of(("def test_one_ticket():", "def test_one_ticket(monkeypatch):\n"
                    "    monkeypatch.setattr(shop, 'price', lambda *_: 200)")),
    "a hook that sorts": {"conftest.py": "def pytest_collection_modifyitems(items):\n    pass\n"},
    "a setting": {"pytest.ini": "[pytest]\naddopts = -p no:randomly\n"},
    "a workflow": {".github/workflows/ci.yml": "on: push\n"},
    "the polluter deleted": {POLLUTER: "import shop\n"},
    "the polluter's claim gone": of(("    assert shop.price(\"plain\", 2) == 300\n", ""),
                                    text=SALE, path=POLLUTER),
}  # fmt: skip
NAMES = list(CHEATS)


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, 6, 12], ids=["the first six", "six more", "the last six"])
def test_each_cheat_is_refused_before_anything_is_run(tmp_path: Path, start: int) -> None:
    names = NAMES[start : start + 6]
    shop = Shop.at(tmp_path)

    answer = shop.mend(rewriting(*[CHEATS[name] for name in names]))

    facts = shop.facts(answer)
    refused = {
        name: {remark.path for remark in fact.refusals}
        for name, fact in zip(
            names, [fact for fact in facts if isinstance(fact, Guarded)], strict=True
        )
    }
    assert refused == {name: set(CHEATS[name]) for name in names}
    assert fold_facts(facts).tried == 0
    assert answer.document["outcome"] == "failed"
    assert answer.document["branch"] is None


@pytest.mark.slow
def test_a_patch_that_changes_nothing_dies_at_the_first_run(tmp_path: Path) -> None:
    shop = Shop.at(tmp_path)

    answer = shop.mend(rewriting({"shop.py": PRODUCT + "\n# mended\n"}))

    mend = fold_facts(shop.facts(answer))
    assert mend.last is not None
    assert mend.last.replay is not None
    assert mend.last.replay.failed > 0
    assert mend.last.same is None
    assert answer.document["outcome"] == "failed"
