"""The offline agent for flaky tests: mends by what was measured, with no model and no network."""

from __future__ import annotations

from bot.agents.flaky_repair.agent import FlakyRepair

__all__ = ["FlakyRepair"]
