"""
A condition: everything that is the same in two runs that are counted together.

Rates of different conditions are never added up. A condition can be replayed, and a person can
read it as words.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from bot.core.parts import Fact


class Order(StrEnum):
    COLLECTED = "collected"  # as the command runs them
    SHUFFLED = "shuffled"  # by ``order_seed``
    REVERSED = "reversed"
    GIVEN = "given"  # exactly ``tests``, in their order


class Condition(Fact):
    """The defaults are the plain run: whatever the gate's command does, with the hash seed held."""

    tests: tuple[str, ...] = ()  # only these ids; (): all that the command runs
    order: Order = Order.COLLECTED
    order_seed: Annotated[int, Field(ge=0)] = 0
    hash_seed: Annotated[int, Field(ge=0, le=4_294_967_295)] | None = 0  # None: by chance
    clock: AwareDatetime | None = None  # the instant at which the run begins
    zone: str = ""  # TZ, where it is not UTC
    locale: str = ""  # LC_ALL, where it is not the plain one
    workers: Annotated[int, Field(ge=0)] = 0  # pytest-xdist's; 0: none
    load: Annotated[int, Field(ge=0)] = 0  # busy processes beside the tests
    repeat: Annotated[int, Field(ge=1)] = 1  # each test so often in one process
    random_seed: int | None = None  # every random generator starts each test from it; None: free
    network: bool = False
    reused_folder: bool = False  # a temporary folder and home that an earlier run has used
