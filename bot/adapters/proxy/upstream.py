"""
One call to a host that may be reached: over TLS, its certificate checked, with the key added.

Whatever the caller said of keys is left out, and no redirect is followed. The answer is handed on
as it comes; that the key is not in it is for whoever hands it in.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.core.proxied import Lent

CONNECT_S = 20.0
WAIT_S = 300.0  # for the next bytes: a model thinks before it speaks
HTTPS = 443
#: of the caller's; everything that names a key, a cookie, a proxy or this connection is left out
PASSED = frozenset({"accept", "accept-language", "content-type", "idempotency-key", "user-agent"})
PASSED_FAMILIES = ("anthropic-", "openai-", "x-stainless-", "x-goog-api-client", "http-referer")


class Unreachable(Exception):
    """The host did not answer, or not as itself."""


@dataclass(slots=True, kw_only=True)
class Upstream:
    """``keys``: by the variable's name."""

    context: ssl.SSLContext
    keys: Mapping[str, str] = field(repr=False)
    _open: set[socket.socket] = field(default_factory=set)
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def call(
        self, lent: Lent, method: str, path: str, *, headers: Mapping[str, str], body: bytes
    ) -> Iterator[http.client.HTTPResponse]:
        name, _, port = lent.host.partition(":")
        line = http.client.HTTPSConnection(
            name, int(port or HTTPS), timeout=CONNECT_S, context=self.context
        )
        with contextlib.closing(line), self._connected(line, lent.host):
            yield self._asked(line, lent, (method, path), headers=headers, body=body)

    @contextlib.contextmanager
    def _connected(self, line: http.client.HTTPSConnection, host: str) -> Iterator[None]:
        try:
            line.connect()
        except (OSError, ValueError) as error:
            raise Unreachable(f"{host} cannot be reached: {_kind_of(error)}") from None
        held = line.sock
        held.settimeout(WAIT_S)
        with self._lock:
            self._open.add(held)
        try:
            if self._over.is_set():
                raise Unreachable("the command is over")
            yield
        finally:
            with self._lock:
                self._open.discard(held)

    def _asked(
        self,
        line: http.client.HTTPSConnection,
        lent: Lent,
        wanted: tuple[str, str],
        *,
        headers: Mapping[str, str],
        body: bytes,
    ) -> http.client.HTTPResponse:
        sent = {name: value for name, value in headers.items() if _is_passed(name)}
        # Packed, an answer could hold the key unseen.
        sent |= {"accept-encoding": "identity", "content-length": str(len(body))}
        if lent.variable:
            sent[lent.header] = lent.spelled(self.keys[lent.variable])
        try:
            line.request(*wanted, body=body, headers=sent)
            return line.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"{lent.host} cannot be reached: {_kind_of(error)}") from None

    def end(self) -> None:
        """Nobody waits any more."""
        self._over.set()
        with self._lock:
            for held in self._open:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(held, socket.SHUT_RDWR)  # TLS may wait for an answer


def _is_passed(name: str) -> bool:
    return name in PASSED or name.startswith(PASSED_FAMILIES)


def _kind_of(error: Exception) -> str:
    """In few words: an error's own may hold a header, and so the key."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return type(error).__name__
