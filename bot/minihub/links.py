"""
Addresses. One port serves the API as GitHub Enterprise does (``/api/v3``), pages and git.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.minihub.records import Repo

API = "/api/v3"
GRAPHQL = "/api/graphql"


@dataclass(slots=True)
class Links:
    base: str = "http://127.0.0.1"

    def api(self, path: str) -> str:
        return f"{self.base}{API}{path}"

    def page(self, path: str) -> str:
        return f"{self.base}{path}"

    def repo(self, repo: Repo, path: str = "") -> str:
        return self.api(f"/repos/{repo.full_name}{path}")

    def html(self, repo: Repo, path: str = "") -> str:
        return self.page(f"/{repo.full_name}{path}")
