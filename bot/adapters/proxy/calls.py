"""
What a jail asks of the proxy, and what it is answered.

``/HOST/PATH`` is asked of ``https://HOST/PATH`` where HOST is one that may be reached, and refused
with a sentence where it is not. Sizes, time and number are bounded; every call is counted; no key
is in any answer.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from bot.adapters.proxy.upstream import Unreachable, Upstream
from bot.core.proxied import Lent, Used
from bot.core.redact import Redactor

CALLS = 2_000  # of one command
BODY_BYTES = 32 << 20
ANSWER_BYTES = 64 << 20
LINE_BYTES = 1 << 20
OVERLAP = 4 << 10  # of a line that is too long to wait for its end
IDLE_S = 120.0
#: of the host's; everything else, cookies and new places among it, stays out
PASSED = frozenset({"content-type", "request-id", "retry-after", "x-request-id", "x-should-retry"})
PASSED_FAMILIES = ("anthropic-ratelimit-", "x-ratelimit-")
NO_HOST = ""
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,8}(?=[;\s])")


class Refused(Exception):
    """``status`` and one sentence, for the agent to read."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(slots=True, kw_only=True)
class Calls:
    upstream: Upstream
    lent: Mapping[str, Lent]
    scrub: Redactor
    most: int = CALLS
    _used: dict[str, Used] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, line: socket.socket) -> None:
        handler = type("Handler", (_Handler,), {"calls": self})
        handler(line, ("", 0), None)

    def used(self) -> tuple[Used, ...]:
        with self._lock:
            known = {host: self._used.get(host, Used(host)) for host in self.lent}
            return tuple({**known, **self._used}.values())

    def close(self) -> None:
        self.upstream.end()

    def host_of(self, path: str) -> tuple[Lent, str]:
        """The host that a path begins with, and what is asked of it. Counted, either way."""
        name, _, below = path.removeprefix("/").partition("/")
        lent = self.lent.get(name) if path.startswith("/") else None
        counted = self.count(lent.host if lent else NO_HOST, calls=1)
        if lent is None:
            raise Refused(403, f"jam's proxy reaches {', '.join(self.lent)} and nothing else")
        if counted.calls > self.most:
            raise Refused(429, f"these were {self.most:,} calls, and more there are not")
        return lent, f"/{below}"

    def count(self, host: str, *, calls: int = 0, sent: int = 0, received: int = 0) -> Used:
        with self._lock:
            known = self._used.get(host) or Used(host, refused=host == NO_HOST)
            self._used[host] = replace(
                known,
                calls=known.calls + calls,
                sent=known.sent + sent,
                received=known.received + received,
            )
            return self._used[host]


class _Handler(BaseHTTPRequestHandler):
    calls: ClassVar[Calls]
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    disable_nagle_algorithm = True
    server_version, sys_version = "jam", ""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        pass

    def do_POST(self) -> None:
        self.close_connection = True  # one call on each line: nothing of one is left for the next
        try:
            lent, path = self.calls.host_of(self.path)
            self._pass_on(lent, path, self._body())
        except Refused as refused:
            self._refuse(refused.status, str(refused))
        except Unreachable as unreachable:
            self._refuse(502, str(unreachable))

    do_GET = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_POST  # noqa: N815 - their names there

    def do_CONNECT(self) -> None:
        """A tunnel would carry anything anywhere."""
        self.calls.count(NO_HOST, calls=1)
        self._refuse(405, "jam's proxy makes no tunnels: use the addresses in the environment")

    def _pass_on(self, lent: Lent, path: str, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.calls.count(lent.host, sent=len(body))
        with self.calls.upstream.call(
            lent, self.command, path, headers=headers, body=body
        ) as answer:
            if 300 <= answer.status < 400 and answer.status != 304:
                raise Refused(502, f"{lent.host} points elsewhere, where jam's proxy does not go")
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise Refused(502, f"{lent.host} packed its answer though it was asked not to")
            self._begin(answer)
            if self.command != "HEAD" and answer.status not in (204, 304):
                self._stream(lent.host, answer)

    def _begin(self, answer: HTTPResponse) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() in PASSED or name.lower().startswith(PASSED_FAMILIES):
                self.send_header(name.lower(), self.calls.scrub.kept(" ".join(value.split())))
        self.send_header("connection", "close")
        if self.request_version == "HTTP/1.1":
            self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _stream(self, host: str, answer: HTTPResponse) -> None:
        """Cut short, it ends without its end."""
        is_chunked = self.request_version == "HTTP/1.1"
        try:
            for part in scrubbed(self._parts(host, answer), self.calls.scrub):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if is_chunked else part)
                self.wfile.flush()
        except (OSError, HTTPException):
            return
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _parts(self, host: str, answer: HTTPResponse) -> Iterator[bytes]:
        total = 0
        while part := answer.read1(1 << 16):
            total += len(part)
            self.calls.count(host, received=len(part))
            if total > ANSWER_BYTES:
                raise HTTPException("too long")
            yield part

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").strip():
            if self.headers.get("content-length"):
                raise Refused(400, "a body has one length")
            return self._chunks()
        told = self.headers.get("content-length") or "0"
        if not (told.isascii() and told.isdigit()):
            raise Refused(400, "content-length is no number")
        return self._exactly(_bounded(int(told)))

    def _chunks(self) -> bytes:
        whole = bytearray()
        while size := _hexadecimal(self.rfile.readline(100)):
            _bounded(len(whole) + size)
            whole += self._exactly(size)
            self.rfile.readline(100)
        return bytes(whole)  # what trails it is not sent on, and this line ends here

    def _exactly(self, size: int) -> bytes:
        body = self.rfile.read(size)
        if len(body) != size:
            raise Refused(400, "the body ended too early")
        return body

    def _refuse(self, status: int, why: str) -> None:
        told = {"type": "error", "error": {"type": "jam_proxy", "message": why}}
        body = self.calls.scrub.content(json.dumps(told).encode())
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body)


def scrubbed(parts: Iterator[bytes], scrub: Redactor) -> Iterator[bytes]:
    """Whole lines at a time, as soon as they are whole: a key has no end of a line in it."""
    held = b""
    for part in parts:
        held += part
        end = held.rfind(b"\n") + 1
        if end == 0 and len(held) > LINE_BYTES:
            held = scrub.content(held)
            end = len(held) - OVERLAP
        if end:
            yield scrub.content(held[:end])
            held = held[end:]
    if held:
        yield scrub.content(held)


def _bounded(size: int) -> int:
    if size > BODY_BYTES:
        raise Refused(413, f"a body of more than {BODY_BYTES >> 20} MB is not sent")
    return size


def _hexadecimal(line: bytes) -> int:
    if (found := _SIZE.match(line)) is None:
        raise Refused(400, "a chunk has no size")
    return int(found.group(), 16)
