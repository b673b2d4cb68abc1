"""
Pure parsers of what gates leave behind, one per dialect.

Each takes a ``Raw`` and answers with a ``Report``, or with ``Unreadable`` where it cannot be sure:
silence is never "passed". Whether a report is good news is for ``bot.core.verdict``.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.contract import Dialect
from bot.oracles.exit_code import read_exit
from bot.oracles.go_json import read_go_json
from bot.oracles.junit import read_junit
from bot.oracles.raw import Parser, Raw
from bot.oracles.recorded import read_pytest, read_unittest
from bot.oracles.tap import read_tap

__all__ = ["PARSERS", "Raw"]

PARSERS: Mapping[Dialect, Parser] = {
    Dialect.PYTEST: read_pytest,
    Dialect.UNITTEST: read_unittest,
    Dialect.JUNIT: read_junit,
    Dialect.GO_JSON: read_go_json,
    Dialect.TAP: read_tap,
    Dialect.EXIT: read_exit,
}
