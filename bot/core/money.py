"""
What a model's tokens cost, in cents.

List prices of https://platform.claude.com/docs/en/about-claude/pricing, as of November 2026. A
model that is not here is charged as the dearest one that is, so that a budget holds whatever the
name; ``is_known`` lets a person be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MILLION = 1_000_000
_DATE = re.compile(r"-20[0-9]{6}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Cents for a million tokens. A cache is written for five minutes."""

    reading: float
    writing: float
    cache_write: float
    cache_read: float


@dataclass(frozen=True, slots=True)
class Tariff:
    """``beyond``: what holds for all tokens of a call whose prompt is longer than ``upto``."""

    price: Price
    upto: int | None = None
    beyond: Price | None = None

    def at(self, prompt_tokens: int) -> Price:
        if self.upto is not None and self.beyond is not None and prompt_tokens > self.upto:
            return self.beyond
        return self.price


def _price(reading: float, writing: float, cache_read: float) -> Price:
    return Price(
        reading=reading, writing=writing, cache_write=reading * 1.25, cache_read=cache_read
    )


_OPUS_4_5 = Tariff(_price(500, 2500, 50))
_SONNET_4 = Tariff(_price(300, 1500, 30))
_FABLE_5 = Tariff(_price(1000, 5000, 100))
_FABLE_5_1 = Tariff(_price(1000, 5000, 25))

TARIFFS: dict[str, Tariff] = {
    "claude-sonnet-5-5": Tariff(_price(200, 1000, 10)),
    "claude-sonnet-5": Tariff(_price(200, 1000, 20)),
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-4-5": _SONNET_4,
    "claude-opus-5-5": Tariff(_price(400, 2000, 20)),
    "claude-opus-5": _OPUS_4_5,
    "claude-opus-4-8": _OPUS_4_5,
    "claude-opus-4-7": _OPUS_4_5,
    "claude-opus-4-6": _OPUS_4_5,
    "claude-opus-4-5": _OPUS_4_5,
    "claude-haiku-5-5": Tariff(_price(10, 50, 1), upto=100_000, beyond=_price(50, 250, 5)),
    "claude-haiku-4-5": Tariff(_price(100, 500, 10)),
    "claude-fable-5-1": _FABLE_5_1,
    "claude-fable-5": _FABLE_5,
    "claude-mythos-5-1": _FABLE_5_1,
    "claude-mythos-5": _FABLE_5,
}
DEAREST = _FABLE_5


def is_known(model: str) -> bool:
    return _DATE.sub("", model) in TARIFFS


def tariff(model: str) -> Tariff:
    """A date at the end of a name does not change the price."""
    return TARIFFS.get(_DATE.sub("", model), DEAREST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Of one call, as the service counts them."""

    reading: int = 0
    writing: int = 0
    cache_write: int = 0
    cache_read: int = 0

    @property
    def prompt(self) -> int:
        return self.reading + self.cache_write + self.cache_read


def cents(model: str, tokens: Tokens) -> float:
    price = tariff(model).at(tokens.prompt)
    return (
        tokens.reading * price.reading
        + tokens.writing * price.writing
        + tokens.cache_write * price.cache_write
        + tokens.cache_read * price.cache_read
    ) / _MILLION


def affordable(model: str, *, prompt_tokens: int, cents_left: float) -> int:
    """How many tokens of answer the rest pays for, if the whole prompt is new to the cache."""
    price = tariff(model).at(prompt_tokens)
    left = cents_left - prompt_tokens * price.cache_write / _MILLION
    return max(0, int(left * _MILLION / price.writing))
