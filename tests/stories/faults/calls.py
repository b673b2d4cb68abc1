"""How a call to GitHub goes wrong, and which calls of a session there are."""

from __future__ import annotations

from bot.minihub.faults import Fault

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."
MOVED = "http://127.0.0.1:9/elsewhere"
WAYS: dict[str, dict[str, object]] = {
    "500": {"kind": "status", "status": 500},
    "502 after": {"kind": "status", "status": 502, "when": "after"},
    "503": {"kind": "status", "status": 503},
    "504": {"kind": "status", "status": 504},
    "secondary limit": {"kind": "status", "status": 403, "message": SECONDARY},
    "429": {"kind": "status", "status": 429},
    "429 with a time": {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}},
    "401": {"kind": "status", "status": 401, "message": "Bad credentials"},
    "404": {"kind": "status", "status": 404, "message": "Not Found"},
    "409": {"kind": "status", "status": 409, "message": "Conflict"},
    "422": {"kind": "status", "status": 422, "message": "Validation Failed"},
    "reset": {"kind": "reset"},
    "reset after": {"kind": "reset", "when": "after"},
    "time-out after": {"kind": "timeout", "seconds": 0.05, "when": "after"},
    "a page": {"kind": "html"},
    "half a document": {"kind": "truncated"},
    "202": {"kind": "accepted"},
    "301": {"kind": "redirect", "status": 301, "location": MOVED},
    "307": {"kind": "redirect", "status": 307, "location": MOVED},
}
CALLS: dict[str, str] = {
    "token": "POST /app/installations/*/access_tokens",
    "git": "* /ada/lib.git/*",
    "branch": "GET /repositories/*/git/*",
    "blob": "POST /repositories/*/git/blobs",
    "tree": "POST /repositories/*/git/trees",
    "commit": "POST /repositories/*/git/commits",
    "ref": "POST /repositories/*/git/refs",
    "pulls": "GET /repositories/*/pulls*",
    "pull request": "POST /repositories/*/pulls",
    "body": "PATCH /repositories/*/pulls/*",
    "check": "POST /repositories/*/check-runs",
    "comments": "GET /repositories/*/issues/*/comments*",
    "comment": "POST /repositories/*/comments",
    "edit": "PATCH /repositories/*/issues/comments/*",
    "reaction": "POST /repositories/*/reactions",
    "label": "DELETE /repositories/*/issues/*/labels/*",
    "permission": "GET /repositories/*/collaborators/*",
}


def wrong(call: str, way: str, *, times: int | None = 1) -> Fault:
    return Fault(match=CALLS[call], times=times, **WAYS[way])  # type: ignore[arg-type]
