"""How records look as JSON, in GitHub's words. A shape asks git at most."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
