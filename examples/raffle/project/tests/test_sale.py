from raffle import prices


def test_a_shop_sets_its_own_price():
    prices.set_price("plain", 150)
    assert prices.price("plain", 2) == 300
