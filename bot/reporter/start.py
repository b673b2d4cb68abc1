"""
What every interpreter does when it starts beside jam's reporter. PYTEST_DONT_REWRITE

Next to nothing: without wishes of jam it returns at once.
"""

from __future__ import annotations

import os

from . import wire

PLUGIN = "jam_reporter.plugin"


def start() -> None:
    dialect = wire.wishes().get("dialect")
    if dialect == "unittest":
        from .unittest_door import watch_for_unittest

        watch_for_unittest()
    elif dialect == "pytest" and os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        # Entry points are off. A plugin that is named is loaded all the same; the plugin itself
        # takes its name away again, for the sake of what is started from there.
        named = os.environ.get("PYTEST_PLUGINS", "")
        if PLUGIN not in named.split(","):
            os.environ["PYTEST_PLUGINS"] = f"{PLUGIN},{named}".rstrip(",")
