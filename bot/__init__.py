"""jam: an agent changes a checkout, the repository's own tests decide, jam shows the evidence."""

from __future__ import annotations

__version__ = "0.1.0"
