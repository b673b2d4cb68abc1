from raffle.draw import draw, tally


def test_everything_can_be_won():
    assert {draw() for _ in range(10)} == {"nothing", "a cup", "a trip"}


def test_outcomes_are_counted():
    assert tally(["a cup", "nothing", "a cup"]) == {"a cup": 2, "nothing": 1}
