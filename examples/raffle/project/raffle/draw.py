"""What a ticket wins."""

import random

OUTCOMES = ("nothing", "nothing", "a cup", "a cup", "a trip")


def draw():
    return random.choice(OUTCOMES)


def tally(outcomes):
    counts = {}
    for outcome in outcomes:
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts
