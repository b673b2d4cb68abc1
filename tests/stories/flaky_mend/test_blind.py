"""A test that looks as it did and sees nothing: the checks that break the product find it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.flaky.mend_steps import fold_facts
from tests.stories.flaky_mend.shop import PRICE, SALE, Shop, rewriting

TEST, POLLUTER = "tests/test_price.py", "tests/test_sale.py"
MENDED = SALE.replace("price():", "price(monkeypatch):").replace(
    'shop.PRICES["plain"] = 150', 'monkeypatch.setitem(shop.PRICES, "plain", 150)'
)
BLIND = PRICE.replace('shop.price("plain")\n', "priced()\n").replace(
    "def check(", "def priced():\n    return 100 + 100\n\n\ndef check("
)


@pytest.mark.slow
def test_a_test_that_was_made_blind_is_found_out_by_breaking_the_product(tmp_path: Path) -> None:
    """Every assertion stands, the fault is mended, and the product is not asked any more."""
    shop = Shop.at(tmp_path)

    answer = shop.mend(rewriting({TEST: BLIND, POLLUTER: MENDED}))

    mend = fold_facts(shop.facts(answer))
    assert mend.last is not None
    assert mend.last.mutated is not None
    assert mend.last.mutated.lost != ()
    assert answer.document["outcome"] == "failed"
