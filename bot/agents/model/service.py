"""
The model's service: one request, asked until it is answered, or a reason why it will not be.

The only home of the ``anthropic`` package. Decides what is worth asking again and how long to wait
for it, within the time that is left; everything that was billed on the way is counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event, Thread
from typing import Any

import anthropic
import httpx2

from bot.agents.model.answer import Answer, Assembly
from bot.core.money import Tokens
from bot.core.visible import one_line
from bot.errors import AgentUnusable, ModelUnavailable

HOME = "https://api.anthropic.com"
TRIES = 8
LONGEST_PAUSE_S = 60.0
TICK_S = 0.1  # how long a stop or the deadline can go unnoticed
SILENCE_S = 180.0  # without a byte, pings included, a stream is dead
AGAIN = frozenset((408, 409, 429))  # and all of 500 and above
AGAIN_TYPES = frozenset(("overloaded_error", "api_error", "rate_limit_error", "timeout_error"))
TOO_LONG = ("prompt is too long", "exceed context limit", "request_too_large")


class OutOfTime(Exception):
    """The time of the session would be over before an answer could come."""


class Stopped(Exception):
    """The session was asked to stop."""


class TooLong(Exception):
    """The conversation does not fit any more."""


class _Again(Exception):
    """Worth another try. ``pause_s``: what the service asked for, if it did."""

    def __init__(self, why: str, *, pause_s: float | None = None) -> None:
        super().__init__(why)
        self.pause_s = pause_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What the service says of a model."""

    longest_answer: int = 32_000
    compacts: bool = False
    clears_tool_uses: bool = False


@dataclass(slots=True, kw_only=True)
class Asking:
    """One request and what bounds it. ``wasted`` grows with every stream that was cut."""

    request: Mapping[str, Any]
    deadline: float
    stop: Event
    wasted: list[Tokens] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """``client`` retries nothing by itself."""

    client: anthropic.Anthropic
    secret: str = field(repr=False)
    clock: Callable[[], float]
    chance: Callable[[], float]  # 0..1, to spread the tries of many
    first_pause_s: float = 1.0

    def abilities(self, model: str) -> Abilities:
        """Where the service does not tell, as a gateway may not, no more than the usual."""
        try:
            told = self.client.beta.models.retrieve(model, timeout=20)
        except (anthropic.AuthenticationError, anthropic.PermissionDeniedError) as error:
            raise AgentUnusable(self._refusal(error)) from None
        except anthropic.APIError:
            return Abilities()
        edits = told.capabilities.context_management if told.capabilities else None
        return Abilities(
            longest_answer=min(told.max_tokens or 32_000, 32_000),
            compacts=bool(edits and edits.compact_20260112 and edits.compact_20260112.supported),
            clears_tool_uses=bool(
                edits
                and edits.clear_tool_uses_20250919
                and edits.clear_tool_uses_20250919.supported
            ),
        )

    def ask(self, asking: Asking) -> Answer:
        """Raises ``OutOfTime``, ``Stopped``, ``TooLong``; ``AgentUnusable`` when asking again
        would not help, ``ModelUnavailable`` when it did not."""
        why = ""
        for number in range(TRIES):
            try:
                return self._ask_once(asking)
            except _Again as again:
                why = str(again)
                if number + 1 < TRIES:
                    self._pause(asking, again.pause_s, number)
        raise ModelUnavailable(f"the model's service did not answer in {TRIES} tries: {why}")

    def _pause(self, asking: Asking, wanted_s: float | None, number: int) -> None:
        pause_s = min(self.first_pause_s * 2**number, LONGEST_PAUSE_S) * (0.75 + self.chance() / 4)
        pause_s = pause_s if wanted_s is None else wanted_s
        if self.clock() + pause_s >= asking.deadline:
            raise OutOfTime
        if asking.stop.wait(pause_s):
            raise Stopped

    def _ask_once(self, asking: Asking) -> Answer:
        assembly = Assembly()
        try:
            self._attend(asking, assembly)
            if assembly.is_complete:
                return assembly.answer()
        except BaseException:
            asking.wasted.append(assembly.tokens)
            raise
        asking.wasted.append(assembly.tokens)
        raise _Again("its answer was cut off")

    def _attend(self, asking: Asking, assembly: Assembly) -> None:
        """In a thread of its own: a read that waits for a silent service hears no stop. One that
        is left behind ends with its own time limit and changes nothing any more."""
        raised: list[BaseException] = []

        def take_all() -> None:
            try:
                with self._sorted_errors():
                    for data in self._events(asking):
                        _take(assembly, data)
                        if assembly.is_complete:  # what the line does after that is all the same
                            return
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                raised.append(error)

        reading = Thread(target=take_all, daemon=True)
        reading.start()
        while reading.is_alive():
            self._check(asking)
            reading.join(TICK_S)
        if raised and not assembly.is_complete:
            raise raised[0]

    def _events(self, asking: Asking) -> Iterator[str]:
        """Every event, pings too, so that a deadline or a stop is seen while nothing is said."""
        self._check(asking)
        left_s = max(1.0, asking.deadline - self.clock())
        stream = self.client.beta.messages.create(
            **asking.request, stream=True, timeout=min(SILENCE_S, left_s)
        )
        with stream:
            for event in anthropic.Stream.raw_events(stream.response):
                self._check(asking)
                if event.event == "error":
                    raise self._told_midway(event.data)
                if event.data:
                    yield event.data

    def _check(self, asking: Asking) -> None:
        if asking.stop.is_set():
            raise Stopped
        if self.clock() >= asking.deadline:
            raise OutOfTime

    @contextmanager
    def _sorted_errors(self) -> Iterator[None]:
        """Their errors in, ours out."""
        try:
            yield
        except anthropic.APIStatusError as error:
            raise self._told_at_once(error) from None
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            raise _Again(f"no connection ({type(error).__name__})") from None

    def _told_at_once(self, error: anthropic.APIStatusError) -> Exception:
        said = f"{error.api_message or error.message}".lower()
        if error.status_code == 413 or any(sign in said for sign in TOO_LONG):
            return TooLong()
        hint = error.response.headers.get("x-should-retry")
        if hint != "false" and (error.status_code in AGAIN or error.status_code >= 500):
            pause_s = _seconds(error.response.headers)
            return _Again(f"status {error.status_code}", pause_s=pause_s)
        return AgentUnusable(self._refusal(error))

    def _told_midway(self, data: str) -> Exception:
        """An error after the status was sent, so the status says nothing."""
        kind, said = _error(data)
        if any(sign in said.lower() for sign in TOO_LONG):
            return TooLong()
        if kind in AGAIN_TYPES:
            return _Again(kind)
        return AgentUnusable(f"the model's service refused: {self._shown(said or kind)}")

    def _refusal(self, error: anthropic.APIStatusError) -> str:
        said = self._shown(error.api_message or error.message)
        return f"the model's service refused (status {error.status_code}): {said}"

    def _shown(self, text: str) -> str:
        """A service may repeat what it was sent."""
        return one_line(text.replace(self.secret, "[key]") if self.secret else text, 300)


def _take(assembly: Assembly, data: str) -> None:
    try:
        assembly.take(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _Again("it did not speak the protocol") from None


def _error(data: str) -> tuple[str, str]:
    """Kind and words; what cannot be read is a fault of theirs, worth another try."""
    try:
        error = json.loads(data)["error"]
        return str(error["type"]), str(error.get("message", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "api_error", ""


def _seconds(headers: Mapping[str, str]) -> float | None:
    """What ``Retry-After`` asks for, as seconds or as a date; never less than nothing."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def connect(*, secret: str, base_url: str | None) -> anthropic.Anthropic:
    """Raises ``AgentUnusable`` without a key: nothing else is looked through for one."""
    if not secret:
        raise AgentUnusable("the anthropic agent needs a key: set ANTHROPIC_API_KEY")
    return anthropic.Anthropic(api_key=secret, base_url=base_url or HOME, max_retries=0)
