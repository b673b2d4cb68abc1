"""
The web door of ``jam serve``: webhooks in, pages out. The one place where jam is asynchronous.

Decides only what HTTP decides: how much is read and for how long, who gets which status, and what
a browser may do with a page. A delivery is answered when it is on the disk; what it means is found
out later, by others.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from urllib.parse import parse_qsl, unquote

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from pydantic_core import from_json
from starlette.requests import ClientDisconnect

from bot.core.delivery import BODY_LIMIT, Delivery, Fault, Refused, read, read_event
from bot.core.event import Unwanted
from bot.core.mail import Kept, Mail
from bot.errors import JamError
from bot.pages.site import Page, style_sheet

READ_S = 10.0
"""GitHub waits ten seconds for an answer; whoever sends more slowly is not GitHub."""
KEEP_S = 8.0
STATUS = {Fault.TOO_LARGE: 413, Fault.UNSIGNED: 401, Fault.MALFORMED: 400}
COOKIE = "jam_pages"
MONTH_S = 30 * 86_400
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Putting(Protocol):
    def put(self, mail: Mail) -> Future[Kept]:
        """Done when it is on the disk, or known already."""
        ...


class Showing(Protocol):
    """Pages by their path below ``/``; None where there is no such page."""

    def page(self, path: str) -> Page | None: ...

    def entrance(self, *, failed: bool) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """``pass_word`` '': the pages are open to whoever reaches them."""

    secrets: Sequence[str] = field(repr=False)
    inbox: Putting
    pages: Showing
    pass_word: str = field(default="", repr=False)
    now: Callable[[], datetime]
    health: Callable[[], tuple[bool, dict[str, object]]]
    metrics: Callable[[], str]
    refused: Callable[[Fault], None]
    fit: Callable[[str], str]  # a page without secrets
    read_s: float = READ_S


def application(door: Door) -> FastAPI:
    app = FastAPI(title="jam", docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/webhook")
    async def webhook(request: Request) -> Response:
        return await _receive(request, door)

    @app.get("/healthz")
    async def healthz() -> Response:
        is_well, told = await asyncio.to_thread(door.health)
        return JSONResponse(told, status_code=200 if is_well else 503)

    @app.get("/metrics")
    async def metrics() -> Response:
        return PlainTextResponse(await asyncio.to_thread(door.metrics))

    _add_pages(app, door)
    return app


def _add_pages(app: FastAPI, door: Door) -> None:
    @app.get("/style.css")
    async def style() -> Response:
        return Response(style_sheet(), media_type="text/css")

    @app.post("/enter")
    async def enter(request: Request) -> Response:
        return await _enter(request, door)

    @app.get("/{path:path}")
    async def page(path: str, request: Request) -> Response:
        if not _may_look(request, door):
            return HTMLResponse(door.pages.entrance(failed=False), 401, HEADERS)
        found = await asyncio.to_thread(door.pages.page, path)
        if found is None:
            return PlainTextResponse("There is no such page.\n", 404, HEADERS)
        content = await asyncio.to_thread(door.fit, found.content)
        return Response(content, found.status, HEADERS, found.kind)


# deliveries


async def _receive(request: Request, door: Door) -> Response:
    try:
        async with asyncio.timeout(door.read_s):
            body = await _body(request)
    except TimeoutError:
        return _closing("the body took too long", 408)
    except ClientDisconnect:
        return _closing("the body was cut", 400)
    heard = (
        Refused(Fault.TOO_LARGE, f"more than {BODY_LIMIT >> 20} MB")
        if body is None
        else await asyncio.to_thread(_heard, request, body, door)
    )
    if isinstance(heard, Refused):
        door.refused(heard.fault)
        return _closing(heard.why, STATUS[heard.fault])
    return await _keep(heard, door)


async def _body(request: Request) -> bytes | None:
    """None: it is too large, and no more than that was read of it."""
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > BODY_LIMIT:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_LIMIT:
            return None
    return bytes(body)


def _heard(request: Request, body: bytes, door: Door) -> Mail | Refused:
    """Signature first: nobody else's bytes are parsed."""
    delivery = read(request.headers, body, secrets=door.secrets)
    if isinstance(delivery, Refused):
        return delivery
    if why := _unreadable(delivery):
        return Refused(Fault.MALFORMED, why)
    event = read_event(delivery.event, body)
    unwanted = event.why if isinstance(event, Unwanted) else ""
    return Mail(delivery=delivery, at=door.now(), unwanted=unwanted)


def _unreadable(delivery: Delivery) -> str:
    try:
        delivery.body.decode()
        payload = from_json(delivery.body, allow_inf_nan=False)
    except UnicodeDecodeError:
        return "the body is not UTF-8: set the webhook's content type to application/json"
    except ValueError:
        return "the body is not JSON: set the webhook's content type to application/json"
    return "" if isinstance(payload, dict) else "the payload is not an object"


async def _keep(mail: Mail, door: Door) -> Response:
    try:
        async with asyncio.timeout(KEEP_S):
            kept = await asyncio.wrap_future(door.inbox.put(mail))
    except (TimeoutError, JamError):
        # GitHub notes that it failed, and jam's sweep asks for it again.
        return _closing("it could not be kept just now", 503)
    state = "known" if kept is Kept.KNOWN else "ignored" if mail.unwanted else "accepted"
    told = {"delivery": mail.delivery.id, "state": state}
    if mail.unwanted:
        told["why"] = mail.unwanted
    return JSONResponse(told, 202)


def _closing(why: str, status: int) -> Response:
    """What is still on its way is not read."""
    return JSONResponse({"error": why}, status, {"Connection": "close"})


# pages


def _may_look(request: Request, door: Door) -> bool:
    shown = unquote(request.cookies.get(COOKIE, ""))
    return not door.pass_word or hmac.compare_digest(shown.encode(), door.pass_word.encode())


async def _enter(request: Request, door: Door) -> Response:
    body = (await _body_of_form(request)).decode(errors="replace")
    word = dict(parse_qsl(body)).get("word", "").strip()
    if not door.pass_word or not hmac.compare_digest(word.encode(), door.pass_word.encode()):
        return HTMLResponse(door.pages.entrance(failed=True), 401, HEADERS)
    answer = RedirectResponse("/", 303, HEADERS)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, word, max_age=MONTH_S, httponly=True, samesite="lax", secure=secure)
    return answer


async def _body_of_form(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > 4096:
            return b""
    return bytes(body)


# registration


class Desk(Protocol):
    def form(self) -> Page: ...

    def registered(self, code: str, word: str) -> Page: ...


def registering(desk: Desk) -> FastAPI:
    """One button, and where GitHub leads back to. Whoever can reach it may press it."""
    app = FastAPI(title="jam", docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    async def form() -> Response:
        return _shown(desk.form())

    @app.get("/registered")
    async def registered(code: str = "", state: str = "") -> Response:
        return _shown(await asyncio.to_thread(desk.registered, code, state))

    @app.get("/style.css")
    async def style() -> Response:
        return Response(style_sheet(), media_type="text/css")

    return app


def _shown(page: Page) -> Response:
    """The form goes to GitHub: where to is in the page."""
    policy = HEADERS["Content-Security-Policy"].replace("form-action 'self'; ", "")
    return Response(
        page.content, page.status, HEADERS | {"Content-Security-Policy": policy}, page.kind
    )
