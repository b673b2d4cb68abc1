"""
Brings commits of a repository on the forge into a bare git directory on this machine, over HTTP.

The token is in the environment of the one git process that fetches. History is never cut, so that
merges have their base; tags come along where they point into it. No submodule, no large file's
content, and nothing is checked out.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bot.adapters import folders, gitdir
from bot.adapters.git import Git, over_http
from bot.adapters.github.line import is_safe
from bot.adapters.github.secret import Secret, clean
from bot.adapters.repository import Repository, open_repository
from bot.core import branch_name
from bot.errors import ForgeMissing, ForgeRefused, ForgeUnavailable, GitFailed

SECONDS = 1800.0
USER = "x-access-token"
FETCHED = "refs/jam/fetched/"
_SHA = re.compile(r"[0-9a-f]{40}")
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_DENIED = (
    "Authentication failed",
    "could not read Username",
    "HTTP 401",
    "error: 401",
    "error: 403",
)
_ABSENT = ("not found", "couldn't find remote ref", "not our ref", "error: 404")


def bring(
    place: Path,
    wants: Sequence[str],
    *,
    url: str,
    secret: Secret | None,
    timeout_s: float = SECONDS,
) -> Repository:
    """
    ``wants``: commits, or full names of references such as ``refs/pull/7/head``. What is there
    already is not fetched again; many may share ``place``.
    """
    specs = [_spec(want) for want in wants]
    _make(place)
    with gitdir.claim(place, wait_s=timeout_s) as lock:
        git = Git(git_dir=place, held=(lock,), timeout_s=timeout_s)
        if _is_sick(git, wants):
            _empty(place)
        if any(not _has(git, want) for want in wants):
            _fetch(git, specs, url=url, secret=secret)
    return open_repository(place)


def _fetch(git: Git, specs: Sequence[str], *, url: str, secret: Secret | None) -> None:
    if not is_safe(url):
        raise ForgeRefused(f"{clean(url)} is not an https address")
    parts = urlsplit(url)
    out = over_http(git, origin=f"{parts.scheme}://{parts.netloc}", authorization=_basic(secret))
    try:
        out.run("fetch", "--quiet", "--no-write-fetch-head", "--", url, *specs)
    except GitFailed as failed:
        raise _translated(str(failed)) from None


def _basic(secret: Secret | None) -> str:
    if secret is None:
        return ""
    pair = f"{USER}:{secret.reveal()}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"


def _translated(words: str) -> ForgeRefused | ForgeUnavailable:
    told = clean(words)
    if any(sign in words for sign in _DENIED):
        return ForgeRefused(f"the repository may not be read: {told}")
    if any(sign in words for sign in _ABSENT):
        return ForgeMissing(f"not all of it is there: {told}")
    return ForgeUnavailable(f"the repository did not come: {told}")


def _spec(want: str) -> str:
    if _SHA.fullmatch(want):
        return f"+{want}:{FETCHED}{want}"
    name = want.removeprefix("refs/")
    if name == want or not branch_name.is_valid(name):
        raise ForgeRefused(f"{want!r} is neither a commit nor the full name of a reference")
    return f"+{want}:{FETCHED}{name}"


def _has(git: Git, want: str) -> bool:
    """A reference may have moved; a commit whose fetch was finished is kept by a reference."""
    return bool(_SHA.fullmatch(want)) and git.says(
        "rev-parse", "-q", "--verify", f"{FETCHED}{want}"
    )


def _is_sick(git: Git, wants: Sequence[str]) -> bool:
    """A disk that was full, or a machine that lost its power, leaves what git cannot read; or says
    it has what it lacks, and then no fetch would bring it."""
    if not git.says("for-each-ref", "--count=1"):
        return True
    there = [want for want in wants if _has(git, want)]
    whole = ("rev-list", "--objects", "--quiet", "--max-count=1")
    return not all(git.says(*whole, f"{FETCHED}{want}") for want in there)


def _empty(place: Path) -> None:
    """Begins anew where it stands, under the same lock. All in it is on the forge as well."""
    for inside in place.iterdir():
        if inside.name != gitdir.HELD:
            folders.remove(inside)
    _fill(place)


def _make(place: Path) -> None:
    if not (place / "HEAD").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        folders.fresh(place, _fill)


def _fill(place: Path) -> None:
    for folder in ("objects/info", "objects/pack", "refs/heads", "info"):
        (place / folder).mkdir(parents=True)
    (place / "config").write_text(_CONFIG)
    (place / "HEAD").write_text("ref: refs/heads/none\n")
