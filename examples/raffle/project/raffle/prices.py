"""What a ticket costs, in cents. A shop may set its own price for a kind of ticket."""

PRICES = {"plain": 200, "golden": 1000}


def price(kind, count=1):
    if count < 0:
        raise ValueError("nobody sells less than no ticket")
    total = PRICES[kind] * count
    return total - total // 10 if count >= 10 else total


def set_price(kind, cents):
    PRICES[kind] = cents
