"""
The line under PyGithub: one request, and the whole answer within a time and a size.

PyGithub would follow some answers by itself and sleep over others, for ever if need be. Those are
raised here instead, before it sees them. What an answer means is not known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import urljoin, urlsplit

import requests

PATIENCE_S = 20.0  # for one silence of the other side
LARGEST = 64 << 20
CHUNK = 64 << 10
HOPS = 3
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class LineBroken(Exception):
    """No answer, or not the whole of it."""


@dataclass(frozen=True, slots=True)
class Raw:
    status: int
    headers: Mapping[str, str]
    body: bytes

    # as PyGithub wants to see it

    def getheaders(self) -> list[tuple[str, str]]:
        return list(self.headers.items())

    def read(self) -> str:
        try:
            return self.body.decode()
        except UnicodeDecodeError:
            raise LineBroken("the answer is not text") from None


class Aside(Exception):
    """An answer that PyGithub would act upon by itself."""

    def __init__(self, raw: Raw) -> None:
        super().__init__(f"status {raw.status}")
        self.raw = raw


def is_safe(url: str) -> bool:
    """Encrypted, or not leaving this machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


class Line:
    """One conversation's connections. ``until``: when, by ``clock``, no answer is any use."""

    def __init__(self, clock: Callable[[], float], *, patience_s: float = PATIENCE_S) -> None:
        self._clock = clock
        self._patience_s = patience_s
        self._session = requests.Session()
        self._session.auth = _nobody  # or it would look for a password in somebody's home
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.until = float("inf")

    def plain(self, host: str, port: int | None = None, **_: object) -> Connection:
        return Connection(self, f"http://{_bracketed(host)}:{port or 80}")

    def secure(self, host: str, port: int | None = None, **_: object) -> Connection:
        return Connection(self, f"https://{_bracketed(host)}:{port or 443}")

    def send(self, method: str, url: str, headers: Mapping[str, str], body: str | None) -> Raw:
        """Follows nothing."""
        try:
            with self._session.request(
                method,
                url,
                headers=dict(headers),
                data=body.encode() if body is not None else None,
                timeout=self._time(),
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = b"".join(self._chunks(answer, most=LARGEST))
                return Raw(answer.status_code, dict(answer.headers), content)
        except (requests.RequestException, OSError) as broken:
            raise LineBroken(_words(broken)) from None

    def tail(self, url: str, *, keep: int, most: int) -> tuple[bytes, bool] | None:
        """The end of a file at a short-lived address, and whether it is cut. Nobody's name is given
        there: the address is its own permission. None where there is nothing."""
        try:
            for _ in range(HOPS):
                with self._session.get(
                    url, timeout=self._time(), allow_redirects=False, stream=True
                ) as answer:
                    if answer.is_redirect:
                        url = urljoin(url, answer.headers["Location"])
                        continue
                    return self._end(answer, keep=keep, most=most)
        except (requests.RequestException, OSError) as broken:
            raise LineBroken(_words(broken)) from None
        raise LineBroken("the address leads nowhere")

    def _end(self, answer: requests.Response, *, keep: int, most: int) -> tuple[bytes, bool] | None:
        if answer.status_code in (404, 410):
            return None
        if answer.status_code != 200:
            raise LineBroken(f"the storage answered {answer.status_code}")
        kept: deque[bytes] = deque()
        size, total = 0, 0
        for chunk in self._chunks(answer, most=most):
            kept.append(chunk)
            size, total = size + len(chunk), total + len(chunk)
            while size - len(kept[0]) >= keep:
                size -= len(kept.popleft())
        content = b"".join(kept)[-keep:]
        return content, total > len(content)

    def _time(self) -> float:
        left = self.until - self._clock()
        if left <= 0:
            raise LineBroken("no time was left")
        return min(left, self._patience_s)

    def _chunks(self, answer: requests.Response, *, most: int) -> Iterator[bytes]:
        size = 0
        for chunk in answer.iter_content(CHUNK):
            size += len(chunk)
            if size > most:
                raise LineBroken("the answer is too long")
            self._time()  # an answer that trickles is none
            yield chunk


class Connection:
    """What PyGithub takes for a connection of its own."""

    def __init__(self, line: Line, origin: str) -> None:
        self.host = urlsplit(origin).hostname
        self._line, self._origin = line, origin
        self._asked: tuple[str, str, Mapping[str, str], str | None] = ("GET", origin, {}, None)

    def request(
        self,
        verb: str,
        url: str,
        input: str | None,  # noqa: A002  PyGithub's name
        headers: Mapping[str, str],
        stream: object = None,  # noqa: ARG002  the answers that jam reads so are read elsewhere
    ) -> None:
        self._asked = (verb, f"{self._origin}{url}", headers, input)

    def getresponse(self) -> Raw:
        raw = self._line.send(*self._asked)
        if raw.status in (202, 301):
            raise Aside(raw)
        return raw

    def close(self) -> None:
        """The line stays for the next request."""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _words(broken: Exception) -> str:
    """The kind of fault only: the rest may hold an address that is a permission."""
    return {
        "ReadTimeout": "no answer in time",
        "ConnectTimeout": "no connection in time",
        "SSLError": "the connection is not safe",
        "ChunkedEncodingError": "the answer was cut",
    }.get(type(broken).__name__, "the connection broke")
