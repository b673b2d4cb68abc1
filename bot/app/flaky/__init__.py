"""Flaky tests: finding them, proving them, mending them."""
