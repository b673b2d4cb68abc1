"""
A conversation with GitHub: *look, write, and look again when the answer was lost*.

What an answer calls for is decided in ``bot.core.pacing``; here it is done. Waits are short and end
at the deadline that a whole request of jam's has; longer ones raise ``ForgeUnavailable`` with the
time to come back after. Errors are translated here, and nothing of an answer but its cleaned words
goes into them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import TypeAdapter, ValidationError

from bot.adapters.github.gateway import PER_PAGE, Gateway, Heard, Identity
from bot.adapters.github.means import REST_S, Means
from bot.adapters.github.outlet import Ask
from bot.adapters.github.paces import Turns
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.secret import clean
from bot.core import pacing
from bot.core.pacing import Fine, GiveUp, LookAgain, Renew, Reply, Retry
from bot.errors import ForgeMissing, ForgeRefused, ForgeUnavailable

T = TypeVar("T")
SECONDS = 120.0
PAGES = 200
Look = Callable[[], T | None]


class Tokens(Protocol):
    def identity(self, purpose: Purpose) -> Identity: ...

    def renew(self, purpose: Purpose) -> None: ...

    def mind(self, skew_s: float | None) -> None:
        """What an answer told of GitHub's clock."""
        ...


class Talk:
    def __init__(
        self,
        gateway: Gateway,
        tokens: Tokens,
        *,
        pace: Turns,
        means: Means,
        seconds: float = SECONDS,
    ) -> None:
        self._gateway = gateway
        self._tokens = tokens
        self._pace = pace
        self._means = means
        self.redactor = means.redactor
        self._seconds = seconds
        self._until: float | None = None

    @contextmanager
    def within(self, seconds: float = 0.0) -> Iterator[float]:
        """One deadline for everything inside. ``seconds``: where the usual will not do."""
        if self._until is not None:
            yield self._until
            return
        self._until = self._means.clock() + (seconds or self._seconds)
        try:
            yield self._until
        finally:
            self._until = None

    def get(
        self,
        path: str,
        shape: type[T],
        *,
        purpose: Purpose,
        params: Mapping[str, str] | None = None,
    ) -> T:
        """``ForgeMissing`` where there is nothing."""
        ask = Ask(method="GET", path=path, params=params or {})
        return self._do(ask, purpose, read=TypeAdapter(shape).validate_python, look=_nothing)

    def find(
        self,
        path: str,
        shape: type[T],
        *,
        purpose: Purpose,
        params: Mapping[str, str] | None = None,
    ) -> T | None:
        try:
            return self.get(path, shape, purpose=purpose, params=params)
        except ForgeMissing:
            return None

    def pages(
        self,
        path: str,
        shape: type[T],
        *,
        purpose: Purpose,
        params: Mapping[str, str] | None = None,
        under: str = "",
    ) -> Iterator[T]:
        """All of a list, page by page, as far as it is read. ``under``: what holds it."""
        adapter = TypeAdapter(list[shape])  # type: ignore[valid-type]  # pydantic reads it
        asked = {"per_page": str(PER_PAGE), **(params or {})}
        for _ in range(PAGES):
            found, following = self._page(
                Ask(method="GET", path=path, params=asked),
                purpose,
                read=lambda heard: adapter.validate_python(_listed(heard, under)),
            )
            yield from found
            if following is None:
                return
            asked |= following
        raise ForgeRefused(f"there are more than {PAGES * PER_PAGE} of these")

    def _page(
        self, ask: Ask, purpose: Purpose, *, read: Callable[[Any], list[T]]
    ) -> tuple[list[T], dict[str, str] | None]:
        links: list[dict[str, str] | None] = []

        def keep(heard: Heard) -> list[T]:
            links.append(_next(heard.reply.header("link")))
            return read(heard.document)

        return self._answer(ask, purpose, read=keep, look=_nothing), links[-1]

    def location(self, path: str, *, purpose: Purpose) -> str | None:
        """Where a 302 points. None where there is nothing to point at."""

        def read(heard: Heard) -> str:
            where = heard.reply.header("location")
            if heard.reply.status != 302 or not where:
                raise ValueError("no address")
            return where

        try:
            ask = Ask(method="GET", path=path)
            return self._answer(ask, purpose, read=read, look=_nothing, follows=302)
        except ForgeMissing:
            return None

    def tail(self, url: str, *, keep: int, most: int, until: float) -> tuple[bytes, bool] | None:
        """The end of a file elsewhere. Raises ``LineBroken``."""
        self._gateway.line.until = until
        return self._gateway.line.tail(url, keep=keep, most=most)

    def settle(self, ask: Ask, shape: type[T], *, purpose: Purpose, look: Look[T]) -> T:
        """Make what ``look`` finds, unless it finds it."""
        with self.within():
            found = look()
            if found is not None:
                return found
            return self.write(ask, shape, purpose=purpose, look=look)

    def write(
        self, ask: Ask, shape: type[T], *, purpose: Purpose, look: Look[T] | None = None
    ) -> T:
        """Without ``look`` it may be repeated: the same again changes nothing."""
        read = TypeAdapter(shape).validate_python
        return self._do(ask, purpose, read=read, look=look or _nothing)

    def start(self, path: str, *, purpose: Purpose) -> None:
        """Have GitHub do something later: 202 is all it says."""
        ask = Ask(method="POST", path=path)
        self._answer(ask, purpose, read=lambda _: True, look=_nothing, follows=202)

    def delete(self, path: str, *, purpose: Purpose) -> bool:
        """Whether there was anything."""
        try:
            self._do(Ask(method="DELETE", path=path), purpose, read=lambda _: True, look=_nothing)
        except ForgeMissing:
            return False
        return True

    def mutate(self, name: str, given: Mapping[str, Any], *, purpose: Purpose) -> None:
        """What only GraphQL can; repeating it changes nothing. It answers 200 to everything."""
        kind = f"{name[0].upper()}{name[1:]}Input!"
        query = f"mutation($input: {kind}) {{ {name}(input: $input) {{ clientMutationId }} }}"
        body = {"query": query, "variables": {"input": given}}

        def read(document: Any) -> None:
            kinds = [str(one.get("type")) for one in document.get("errors") or ()]
            if any("RATE_LIMIT" in kind for kind in kinds):
                raise ForgeUnavailable("too many requests at a time")
            if kinds:
                raise ForgeRefused(f"GitHub would not {name}: {clean(', '.join(kinds))}")
            if name not in document["data"]:
                raise ValueError("no answer to the question")

        ask = Ask(method="POST", path=self._gateway.graphql_path, body=body)
        self._do(ask, purpose, read=read, look=_nothing)

    def _do(self, ask: Ask, purpose: Purpose, *, read: Callable[[Any], T], look: Look[T]) -> T:
        return self._answer(ask, purpose, read=lambda heard: read(heard.document), look=look)

    def _answer(
        self,
        ask: Ask,
        purpose: Purpose,
        *,
        read: Callable[[Heard], T],
        look: Look[T],
        follows: int = 0,
    ) -> T:
        with self.within() as until:
            attempt, renewed = 0, False
            while True:
                attempt += 1
                heard = self._once(ask, purpose, until)
                reply, answer = _read(heard, read, follows=follows)
                if answer:
                    return answer[0]
                move = self._decide(reply, attempt if renewed or reply.status != 401 else 1)
                if isinstance(move, Renew):
                    self._tokens.renew(purpose)
                    renewed = True
                    continue
                if isinstance(move, Fine | GiveUp):
                    raise self._failure(reply, move)
                self._rest(move, until)
                found = look() if isinstance(move, LookAgain) else None
                if found is not None:
                    return found

    def _decide(self, reply: Reply, attempt: int) -> pacing.Move:
        now, chance = self._means.now(), self._means.chance()
        return pacing.decide(reply, attempt=attempt, now=now, chance=chance)

    def _once(self, ask: Ask, purpose: Purpose, until: float) -> Heard:
        identity = self._tokens.identity(purpose)
        if ask.method == "GET":
            heard = self._gateway.call(ask, identity, until=until)
        else:
            with self._pace.turn(creates=ask.creates):
                heard = self._gateway.call(ask, identity, until=until)
        self._means.meter.heard(heard.reply.header("x-ratelimit-remaining"))
        self._tokens.mind(heard.skew_s)
        return heard

    def _rest(self, move: Retry | LookAgain, until: float) -> None:
        if move.after_s > REST_S or self._means.clock() + move.after_s > until:
            raise ForgeUnavailable(move.why, retry_after=max(move.after_s, 1.0))
        if move.after_s:
            self._means.sleep(move.after_s)

    def _failure(self, reply: Reply, move: Fine | GiveUp) -> ForgeRefused | ForgeUnavailable:
        why = move.why if isinstance(move, GiveUp) else f"GitHub answered {reply.status}"
        told = f"{why}: {reply.message}" if reply.message else why
        if reply.status in (404, 410, 451):
            return ForgeMissing(told)
        if _is_limited(reply):  # for longer than anybody here waits
            return ForgeUnavailable(told, retry_after=pacing.LONGEST_S)
        if reply.status == 401 or isinstance(self._decide(reply, 1), Retry | LookAgain):
            return ForgeUnavailable(told)  # 401: made anew, too; nobody who asks can mend that
        return ForgeRefused(told)


def _is_limited(reply: Reply) -> bool:
    asked = reply.header("retry-after") or reply.header("x-ratelimit-remaining") == "0"
    return reply.status == 429 or (reply.status == 403 and bool(asked))


def _nothing() -> None:
    return None


def _read(
    heard: Heard, read: Callable[[Heard], T], *, follows: int
) -> tuple[Reply, tuple[T] | None]:
    """The answer in a tuple where there is one. What cannot be understood counts as not heard."""
    reply = heard.reply
    status = reply.status or 0
    if not (200 <= status < 300 and status != 202) and status != (follows or -1):
        return reply, None
    try:
        return reply, (read(heard),)
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
        return replace(reply, status=None, message="an answer of another shape"), None


def _listed(document: Any, under: str) -> Any:
    return document[under] if under else document


def _next(link: str) -> dict[str, str] | None:
    """The words that the address of the next page has in addition."""
    for part in link.split(","):
        address, _, rel = part.partition(";")
        if 'rel="next"' in rel:
            return dict(parse_qsl(urlsplit(address.strip().strip("<>")).query))
    return None
