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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from urllib.parse import parse_qsl, unquote

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.core import trigger
from bot.core.delivery import BODY_LIMIT, Fault, Refused, event_of, payload_of, read
from bot.core.event import Unwanted
from bot.core.mail import Kept, Mail
from bot.errors import JamError
from bot.pages.site import Page, style_sheet

READ_S = 10.0
"""GitHub waits ten seconds for an answer; whoever sends more slowly is not GitHub."""
KEEP_S = 8.0
AT_ONCE = 256
"""So many deliveries share one commit."""
LARGE = 256 << 10
"""More than this is read beside the others; less takes no longer than handing it over would."""
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


class Keeping(Protocol):
    def keep(self, mails: Sequence[Mail]) -> Sequence[Kept]:
        """On the disk when it returns, or known already."""
        ...


class Showing(Protocol):
    """Pages by their path below ``/``; None where there is no such page."""

    def page(self, path: str) -> Page | None: ...

    def entrance(self, *, failed: bool) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """``pass_word`` '': the pages are open to whoever reaches them."""

    secrets: Sequence[str] = field(repr=False)
    inbox: Keeping
    pages: Showing
    pass_word: str = field(default="", repr=False)
    now: Callable[[], datetime]
    health: Callable[[], tuple[bool, dict[str, object]]]
    metrics: Callable[[], str]
    refused: Callable[[Fault], None]
    fit: Callable[[str], str]  # a page without secrets
    read_s: float = READ_S


def application(door: Door) -> ASGIApp:
    """Deliveries come by the hundred and need nothing of what pages need, so they go past it."""
    others, line = _others(door), _Line(door.inbox)

    async def entry(scope: Scope, receive: Receive, send: Send) -> None:
        told = (scope["type"], scope.get("method"), scope.get("path"))
        if told == ("http", "POST", "/webhook"):
            answer = await _receive(Request(scope, receive), door, line)
            await answer(scope, receive, send)
        else:
            await others(scope, receive, send)

    return entry


def _others(door: Door) -> FastAPI:
    app = FastAPI(title="jam", docs_url=None, redoc_url=None, openapi_url=None)

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


async def _receive(request: Request, door: Door, line: _Line) -> Response:
    try:
        async with asyncio.timeout(door.read_s):
            body = await _body(request)
    except TimeoutError:
        return _closing("the body took too long", 408)
    except ClientDisconnect:
        return _closing("the body was cut", 400)
    if body is None:
        heard: Mail | Refused = Refused(Fault.TOO_LARGE, f"more than {BODY_LIMIT >> 20} MB")
    elif len(body) > LARGE:
        heard = await asyncio.to_thread(_heard, request, body, door)
    else:
        heard = _heard(request, body, door)
    if isinstance(heard, Refused):
        door.refused(heard.fault)
        return _closing(heard.why, STATUS[heard.fault])
    return await _keep(heard, line)


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
    payload = payload_of(body)
    if isinstance(payload, Unwanted):
        hint = "the webhook's content type has to be application/json"
        return Refused(Fault.MALFORMED, f"{payload.why}; {hint}")
    event = event_of(delivery.event, payload)
    unwanted = event.why if isinstance(event, Unwanted) else trigger.at_a_glance(event)
    return Mail(delivery=delivery, at=door.now(), unwanted=unwanted)


async def _keep(mail: Mail, line: _Line) -> Response:
    try:
        async with asyncio.timeout(KEEP_S):
            kept = await line.put(mail)
    except (TimeoutError, JamError):
        # GitHub notes that it failed, and jam's sweep asks for it again.
        return _closing("it could not be kept just now", 503)
    state = "known" if kept is Kept.KNOWN else "ignored" if mail.unwanted else "accepted"
    told = {"delivery": mail.delivery.id, "state": state}
    if mail.unwanted:
        told["why"] = mail.unwanted
    return JSONResponse(told, 202)


class _Line:
    """Deliveries on their way to the disk. Those that come while others are written are written
    together, next."""

    def __init__(self, inbox: Keeping) -> None:
        self._inbox = inbox
        self._hand = ThreadPoolExecutor(1, "inbox")  # which pages that are slow cannot take
        self._waiting: list[tuple[Mail, asyncio.Future[Kept]]] = []
        self._carrier: asyncio.Task[None] | None = None

    def put(self, mail: Mail) -> asyncio.Future[Kept]:
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[Kept] = loop.create_future()
        self._waiting.append((mail, kept))
        if self._carrier is None:
            self._carrier = loop.create_task(self._carry())
        return kept

    async def _carry(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
            mails = [mail for mail, _ in batch]
            try:
                told = await loop.run_in_executor(self._hand, self._inbox.keep, mails)
            except Exception as failed:  # noqa: BLE001  # whoever waits is told, whatever it was
                for _, kept in batch:
                    if not kept.done():  # whoever waited for it may have left
                        kept.set_exception(failed)
                continue
            for (_, kept), found in zip(batch, told, strict=True):
                if not kept.done():
                    kept.set_result(found)
        self._carrier = None


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
