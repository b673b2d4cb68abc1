"""
The socket: an ASGI application and the thread that serves it. Planned faults strike here, since
only here can a connection be cut; what is answered is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import threading
import time
import traceback
from asyncio import Transport
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.minihub import doors
from bot.minihub.answers import Answer
from bot.minihub.call import Request
from bot.minihub.clock import Clock
from bot.minihub.faults import Fault
from bot.minihub.hub import Hub
from bot.minihub.links import API

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
BODY_LIMIT = 200 << 20
STARTS_WITHIN_S = 10.0


class _Line(H11Protocol):
    """Remembers its transport, so that a fault can cut it."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        app = self.config.app
        if isinstance(app, Application) and self.client:
            app.lines[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        app = self.config.app
        if isinstance(app, Application) and self.client:
            app.lines.pop(self.client, None)
        super().connection_lost(exc)


class Application:
    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.lines: dict[tuple[str, int], Transport] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        request = await _read(scope, receive)
        short = request.path.removeprefix(API)
        fault = self.hub.faults.take(f"{request.method} {short}")
        if fault is None:
            await self._send(send, await self._answer(request))
        else:
            await self._strike(fault, request, scope, receive, send)

    async def _answer(self, request: Request) -> Answer:
        try:
            return await asyncio.to_thread(doors.answer, self.hub, request)
        except Exception:  # noqa: BLE001  a bug of the hub's own is kept for whoever runs it
            self.hub.bugs.append(traceback.format_exc())
            return Answer({"message": "Server Error"}, 500)

    async def _strike(
        self, fault: Fault, request: Request, scope: Message, receive: Receive, send: Send
    ) -> None:
        real = None
        if fault.when == "after" or fault.kind in ("cut", "truncated", "slow"):
            if fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
            real = await self._answer(request)
        match fault.kind:
            case "timeout" | "reset":
                await self._drop(scope, receive, fault.seconds if fault.kind == "timeout" else 0)
            case "cut":
                await self._cut(real or Answer({}), scope, receive, send)
            case _:
                await self._send(send, spoiled(fault, real))

    async def _drop(self, scope: Message, receive: Receive, hold_s: float) -> None:
        """Hold the line, then reset it. Ends early when the client hangs up first."""
        if hold_s:
            with suppress(TimeoutError):
                await asyncio.wait_for(receive(), hold_s)
        await self._reset(scope, receive)

    async def _reset(self, scope: Message, receive: Receive) -> None:
        transport = self.lines.get(tuple(scope["client"]))
        if transport is None:
            return
        line = transport.get_extra_info("socket")
        if line is not None:
            # No lingering: the other side sees a reset and not an orderly end.
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        await receive()

    async def _cut(self, answer: Answer, scope: Message, receive: Receive, send: Send) -> None:
        payload = answer.payload() or b"{}"
        await send(_start(self.hub.clock, answer, len(payload)))
        half = payload[: max(1, len(payload) // 2)]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await asyncio.sleep(0.05)  # what was promised and sent is on its way
        await self._reset(scope, receive)

    async def _send(self, send: Send, answer: Answer) -> None:
        payload = answer.payload()
        await send(_start(self.hub.clock, answer, len(payload)))
        await send({"type": "http.response.body", "body": payload})


def spoiled(fault: Fault, real: Answer | None) -> Answer:
    """The answer that a fault makes of the real one."""
    match fault.kind:
        case "status":
            return Answer({"message": fault.message}, fault.status, fault.headers)
        case "html":
            page = b"<!DOCTYPE html><html><body>Unicorn! We could not serve this.</body></html>"
            return Answer(page, 200)
        case "accepted":
            return Answer({}, 202)
        case "redirect":
            moved = fault.status if fault.status in (301, 302, 307, 308) else 301
            return Answer({"message": "Moved"}, moved, {"Location": fault.location})
        case "truncated" if real:
            payload = real.payload()
            kind = {"Content-Type": real.headers.get("Content-Type", real.media_type())}
            return Answer(payload[: len(payload) // 2], real.status, {**real.headers, **kind})
    return real or Answer({})


def _start(clock: Clock, answer: Answer, length: int) -> Message:
    headers = {
        "Date": clock.now().strftime("%a, %d %b %Y %H:%M:%S GMT"),
        "Server": "github.com",
        "Content-Type": answer.media_type(),
        "Content-Length": str(length),
        **answer.headers,
    }
    if answer.body is None:
        del headers["Content-Type"]
    if answer.status in (204, 304):
        del headers["Content-Length"]
    pairs = [(name.encode(), text.encode("latin-1", "replace")) for name, text in headers.items()]
    return {"type": "http.response.start", "status": answer.status, "headers": pairs}


async def _read(scope: Message, receive: Receive) -> Request:
    headers = {name.decode().lower(): text.decode("latin-1") for name, text in scope["headers"]}
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body") or len(body) > BODY_LIMIT:
            break
    content = bytes(body)
    if headers.get("content-encoding") == "gzip":  # git packs long questions
        content = gzip.decompress(content)
    return Request(
        method=scope["method"],
        path=scope["raw_path"].partition(b"?")[0].decode("latin-1"),
        query=dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)),
        headers=headers,
        body=content,
    )


class Server:
    """Serves a hub on loopback, in a thread."""

    def __init__(self, hub: Hub, *, port: int = 0) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self._server = uvicorn.Server(
            uvicorn.Config(
                Application(hub),
                http=_Line,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                date_header=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="minihub", daemon=True
        )

    def start(self) -> None:
        self._thread.start()
        end = time.monotonic() + STARTS_WITHIN_S
        while not self._server.started and time.monotonic() < end:
            time.sleep(0.005)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
