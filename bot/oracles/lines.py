"""
The words of jam's reporter, line by line, and the sessions they make up.

Everything here was written by a process that also ran the candidate, so nothing is taken on trust:
an unknown word, a wrong type, a missing number or a line after the end makes the whole recording
``Malformed``. Whether a session was a good one is for ``bot.oracles.recorded``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from bot.core.canonical import unspell
from bot.core.recording import Connection, NotARecording, Recording


class Malformed(ValueError):
    """A line that jam's reporter does not write, or not there."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    n: int


class Start(_Line):
    t: Literal["start"]
    kind: Literal["pytest", "unittest"]
    role: Literal["session", "worker"]
    pid: int
    parent: int | None
    ancestors: list[int]
    root: str
    python: str
    executable: str
    framework: str


class Abort(_Line):
    t: Literal["abort"]
    message: str
    missing: str


class Broken(_Line):
    t: Literal["broken"]
    id: str
    message: str
    missing: str


class Collected(_Line):
    t: Literal["collected"]
    ids: list[str]


class Running(_Line):
    t: Literal["run"]
    id: str


class Told(_Line):
    """One test. A phase: when, as reported, as it really was, seconds."""

    t: Literal["case"]
    id: str
    phases: list[Annotated[tuple[str, str, str, float], Field(strict=False)]]  # JSON has lists only
    xfail: bool = False
    subs: list[str] = Field(default_factory=list)
    message: str = ""


class Raised(_Line):
    """What left a test: the exception's type, its words, and the deepest line of the checkout."""

    t: Literal["raised"]
    id: str
    kind: str
    message: str
    place: str


class Left(_Line):
    """State that was another one after a test than before it."""

    t: Literal["left"]
    id: str
    where: str
    before: str
    after: str


class Origins(_Line):
    t: Literal["origins"]
    files: dict[str, str]


class Tampered(_Line):
    t: Literal["tampered"]
    names: list[str]


class End(_Line):
    t: Literal["end"]
    status: int
    failed: int
    workers: int  # how many processes ran tests for this one and ended well


Line = Annotated[
    Start | Abort | Broken | Collected | Running | Told | Raised | Left | Origins | Tampered | End,
    Field(discriminator="t"),
]
LINE: TypeAdapter[Line] = TypeAdapter(Line)


@dataclass(slots=True, kw_only=True)
class Session:
    """All that one reporter said. ``whole``: nothing is missing from its line."""

    start: Start
    whole: bool
    abort: Abort | None = None
    broken: list[Broken] = field(default_factory=list)
    collected: list[str] = field(default_factory=list)
    running: str = ""  # the last test that began
    ran: list[str] = field(default_factory=list)  # in the order in which they began
    cases: list[Told] = field(default_factory=list)
    raised: list[Raised] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    tampered: list[str] = field(default_factory=list)
    end: End | None = None

    def learn(self, line: Line) -> None:  # noqa: C901  # one arm per word
        match line:
            case Abort():
                self.abort = line
            case Broken():
                self.broken.append(line)
            case Collected(ids=ids):
                self.collected.extend(ids)
            case Running(id=name):
                self.running = name
                self.ran.append(name)
            case Told():
                self.cases.append(line)
            case Raised():
                self.raised.append(line)
            case Left():
                self.left.append(line)
            case Origins(files=files):
                self.origins.update(files)
            case Tampered(names=names):
                self.tampered.extend(names)
            case End():
                self.end = line
            case Start():
                raise Malformed("a session started twice over one connection")


def read_sessions(content: bytes) -> tuple[Session, ...]:
    try:
        recording = Recording.from_bytes(content)
    except NotARecording as error:
        raise Malformed("this is no recording of jam's") from error
    return tuple(_session(talk) for talk in recording.connections if talk.lines or not talk.whole)


def _session(talk: Connection) -> Session:
    lines = _parsed(talk.lines)
    if not lines or not isinstance(lines[0], Start):
        raise Malformed("a connection did not begin with a session's start")
    session = Session(start=lines[0], whole=talk.whole)
    for line in lines[1:]:
        if session.end is not None:
            raise Malformed("a session went on after its end")
        session.learn(line)
    return session


def _parsed(lines: Sequence[bytes]) -> list[Line]:
    result: list[Line] = []
    for place, line in enumerate(lines):
        try:
            # Not validate_json: it refuses half of a surrogate pair, which a test may well print.
            parsed = LINE.validate_python(unspell(line))
        except (ValidationError, ValueError) as error:
            raise Malformed(f"line {place} of a connection is not jam's reporter's") from error
        if parsed.n != place:
            raise Malformed(f"line {place} of a connection says that it is line {parsed.n}")
        result.append(parsed)
    return result
