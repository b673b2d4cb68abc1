"""
jam's reporter: runs inside the repository's own interpreter and tells jam what its tests did.

Needs Python 3.8 and nothing else; importing this package does nothing. It decides nothing: facts
go out as lines of JSON (see ``wire``), and what they mean is for ``bot.oracles``. In there the
package is called ``jam_reporter`` and lies outside the checkout. PYTEST_DONT_REWRITE
"""

from __future__ import annotations
