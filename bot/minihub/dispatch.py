"""
From a request to an answer: who calls, what is meant, whether they may, and what every answer
carries (limits, pages, ETag). Knows no socket.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from bot.minihub.access import Actor, admit, identify
from bot.minihub.answers import Answer, Page, Refused, not_found
from bot.minihub.call import Call, Request, Result
from bot.minihub.hub import Hub
from bot.minihub.links import API, GRAPHQL
from bot.minihub.matching import Match, match
from bot.minihub.recorder import Exchange
from bot.minihub.records import Repo
from bot.minihub.routes import ROUTES

BY_NUMBER = re.compile(r"/repositories/(\d+)(/.*)?")
FREE = ("GET /rate_limit",)
PER_PAGE, PER_PAGE_MOST = 30, 100


def dispatch(hub: Hub, request: Request) -> Answer:
    with hub.store.lock:
        actor, found = Actor("anonymous"), None
        try:
            path = _named(hub, request.path)
            found = match(ROUTES, request.method, path)
            actor = identify(hub.store, request.headers.get("authorization"))
            answer = _answer(hub, replace(request, path=path), actor, found)
        except Refused as refused:
            answer = refused.answer
        answer = _dressed(hub, request, actor, answer)
        _record(hub, request, found, answer)
        return answer


def _named(hub: Hub, path: str) -> str:
    """``/repositories/7/pulls`` is ``/repos/ada/lib/pulls``."""
    numbered = BY_NUMBER.fullmatch(path)
    if numbered is None:
        return path
    repo = hub.store.repos.get(int(numbered[1]))
    if repo is None:
        raise not_found()
    return f"/repos/{repo.full_name}{numbered[2] or ''}"


def _answer(hub: Hub, request: Request, actor: Actor, found: Match | None) -> Answer:
    if not request.inside and (found is None or found.name not in FREE):
        hub.limits.spend(actor.key)
    if found is None:
        raise not_found()
    route, repo = ROUTES[found.name], _repo(hub, found)
    if repo is not None:
        if not route.own:
            admit(hub.store, actor, repo, route.needs)
        if moved := _moved(hub, request, found, repo):
            return moved
    if route.creates and not request.inside:
        hub.limits.create(actor.key)
    return _as_answer(hub, request, route.handler(Call(hub, request, actor, found.words, repo)))


def _repo(hub: Hub, found: Match) -> Repo | None:
    if "owner" not in found.words:
        return None
    return hub.store.repo(f"{found.words['owner']}/{found.words['repo']}")


def _moved(hub: Hub, request: Request, found: Match, repo: Repo) -> Answer | None:
    """A renamed repository answers under its old name with where it is now."""
    if found.words["repo"].lower() == repo.name.lower():
        return None
    rest = "/".join(request.path.split("/")[4:])
    url = hub.links.api(f"/repositories/{repo.id}{'/' if rest else ''}{rest}")
    status = 301 if request.method == "GET" else 307
    said = "Moved Permanently" if status == 301 else "Temporary Redirect"
    body = {"message": said, "url": url, "documentation_url": "https://docs.github.com/rest"}
    return Answer(body, status, {"Location": url})


def _as_answer(hub: Hub, request: Request, result: Result) -> Answer:
    if isinstance(result, Page):
        return _paged(hub, request, result)
    return result if isinstance(result, Answer) else Answer(result)


def _whole(text: str, *, default: int) -> int:
    return max(1, int(text)) if text.isdigit() else default


def _paged(hub: Hub, request: Request, page: Page) -> Answer:
    size = min(_whole(request.query.get("per_page", ""), default=PER_PAGE), PER_PAGE_MOST)
    number = _whole(request.query.get("page", ""), default=1)
    last = max(1, -(-len(page.items) // size))
    shown = page.items[(number - 1) * size : number * size]
    body: Any = shown
    if page.under:
        body = {"total_count": len(page.items), **page.beside, page.under: shown}
    targets = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
    links = [
        f'<{_page_url(hub, request, target)}>; rel="{rel}"'
        for rel, target in targets.items()
        if 1 <= target <= last and target != number
    ]
    return Answer(body, headers={"Link": ", ".join(links)} if links else {})


def _page_url(hub: Hub, request: Request, page: int) -> str:
    query = urlencode({**request.query, "page": str(page)})
    return hub.links.api(f"{quote(request.path, safe='/%')}?{query}")


def _dressed(hub: Hub, request: Request, actor: Actor, answer: Answer) -> Answer:
    raw = answer.is_raw or request.method != "GET" or answer.status != 200
    tag = "" if raw else f'W/"{hashlib.sha256(answer.payload()).hexdigest()}"'
    same = bool(tag) and request.headers.get("if-none-match") == tag
    if same and not request.inside:
        hub.limits.refund(actor.key)
    headers = {
        "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Api-Version-Selected": request.headers.get("x-github-api-version", "2022-11-28"),
        "X-GitHub-Request-Id": hashlib.sha256(str(hub.store.new_id()).encode()).hexdigest()[:24],
        **hub.limits.headers(actor.key),
    }
    if tag:
        headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
    if same:
        return Answer(None, 304, headers)
    return replace(answer, headers={**headers, **answer.headers})


def _record(hub: Hub, request: Request, found: Match | None, answer: Answer) -> None:
    hub.recorder.exchange(
        Exchange(
            method=request.method,
            template=found.template if found else "",
            path=request.path if request.path == GRAPHQL else f"{API}{request.path}",
            body=request.body,
            status=answer.status,
            answer=answer.payload(),
            media_type=answer.headers.get("Content-Type", answer.media_type()),
        )
    )
