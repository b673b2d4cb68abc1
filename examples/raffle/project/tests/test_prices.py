import pytest

from raffle import prices


def test_a_golden_ticket():
    assert prices.price("golden") == 1000


def test_ten_tickets_are_cheaper():
    assert prices.price("plain", 10) == 1800


def test_nobody_sells_less_than_no_ticket():
    with pytest.raises(ValueError):
        prices.price("plain", -1)
