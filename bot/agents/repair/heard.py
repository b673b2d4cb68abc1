"""
What the search said, read as untrusted data into values.

A line that is not what it should be is left out: those inside run next to the repository's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from bot.ports import Suspect

Short = Annotated[str, Field(max_length=200)]
Path = Annotated[str, Field(max_length=1000)]
MOST = 60  # plausible changes that are kept


class Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Plausible(Line):
    """A change after which all the tests that the search ran passed."""

    t: Literal["plausible"] = "plausible"
    path: Path
    base: Short  # sha256 of the text that the splices are for
    splices: tuple[tuple[int, int, Annotated[str, Field(max_length=20_000)]], ...]
    digest: Short
    op: Short
    line: int
    before: Annotated[str, Field(max_length=4000)] = ""
    after: Annotated[str, Field(max_length=4000)] = ""


class Suspects(Line):
    t: Literal["suspects"]
    lines: Annotated[tuple[tuple[Path, int, float, Short], ...], Field(max_length=100)]


class Observing(Line):
    t: Literal["observing"]
    failing: int
    passing: int


class Candidates(Line):
    t: Literal["candidates"]
    count: int


class Progress(Line):
    t: Literal["progress"]
    tried: int
    plausible: int
    seconds: float


class Absent(Line):
    """None of the targets was collected by this run of pytest."""

    t: Literal["absent"]
    collected: int


class Broken(Line):
    """The search itself failed."""

    t: Literal["broken"]
    error: Annotated[str, Field(max_length=10_000)]


class Done(Line):
    t: Literal["done"]
    why: Short
    tried: int
    order: Annotated[tuple[tuple[Short, int, int, Short], ...], Field(max_length=200)] = ()


AnyLine: TypeAlias = (
    Plausible | Suspects | Observing | Candidates | Progress | Absent | Broken | Done
)
_READER: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="t")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """All that one search has said so far."""

    suspects: tuple[Suspect, ...] = ()
    plausible: tuple[Plausible, ...] = ()
    observing: Observing | None = None
    candidates: int = 0
    progress: Progress | None = None
    done: Done | None = None
    broken: str = ""
    is_absent: bool = False
    behaviour: Mapping[str, int] = field(default_factory=dict)  # digest -> cluster

    @property
    def tried(self) -> int:
        counts = (self.done.tried if self.done else 0, self.progress.tried if self.progress else 0)
        return max(counts)

    @property
    def ranked(self) -> tuple[Plausible, ...]:
        """Best first; in the order found where the search could not say."""
        place = {digest: n for n, (digest, *_) in enumerate(self.done.order if self.done else ())}
        return tuple(sorted(self.plausible, key=lambda one: place.get(one.digest, len(place))))


def read(line: bytes) -> AnyLine | None:
    try:
        return _READER.validate_json(line)
    except ValidationError:
        return None


def learn(heard: Heard, line: AnyLine) -> Heard:
    match line:
        case Plausible() if len(heard.plausible) < MOST:
            return replace(heard, plausible=(*heard.plausible, line))
        case Suspects(lines=lines):
            return replace(heard, suspects=tuple(_suspects(lines)))
        case Observing():
            return replace(heard, observing=line, is_absent=False)
        case Candidates() | Progress():
            return _counted(heard, line)
        case Absent():
            return replace(heard, is_absent=heard.observing is None)
        case Broken(error=error):
            return replace(heard, broken=error)
        case Done():
            clusters = {digest: cluster for digest, cluster, *_ in line.order}
            return replace(heard, done=line, behaviour=clusters)
        case _:
            return heard


def _counted(heard: Heard, line: Candidates | Progress) -> Heard:
    if isinstance(line, Candidates):
        return replace(heard, candidates=line.count)
    return replace(heard, progress=line)


def _suspects(lines: Iterable[tuple[str, int, float, str]]) -> Iterable[Suspect]:
    for path, line, score, text in lines:
        yield Suspect(path=path, line=line, score=min(max(score, 0.0), 1.0), text=text)
