"""Which door a request came to: the API, git, a download, or a page for people."""

from __future__ import annotations

from dataclasses import replace

from bot.minihub import githttp, pages
from bot.minihub.answers import Answer, Refused
from bot.minihub.call import Request
from bot.minihub.dispatch import dispatch
from bot.minihub.downloads import PREFIX
from bot.minihub.hub import Hub
from bot.minihub.links import API, GRAPHQL


def answer(hub: Hub, request: Request) -> Answer:
    asked = replace(request, method="GET") if request.method == "HEAD" else request
    if request.path.startswith(PREFIX):
        return _download(hub, asked)
    if githttp.serves(request.path):
        return githttp.serve(hub, asked)
    if request.path == GRAPHQL:
        return dispatch(hub, asked)
    if request.path.startswith(f"{API}/") or request.path == API:
        return dispatch(hub, replace(asked, path=request.path.removeprefix(API) or "/"))
    with hub.store.lock:
        return pages.page(hub, asked)


def _download(hub: Hub, request: Request) -> Answer:
    try:
        authorization = request.headers.get("authorization")
        return hub.downloads.fetch(request.path, authorization=authorization)
    except Refused as refused:
        return refused.answer
