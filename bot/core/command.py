"""
Commands in comments: ``/jam`` and what follows, as an exact and closed grammar.

Decides what a comment asks for and which permission that takes. Nothing in a comment configures
jam: the words are these, their options are these, and what names a test, an oracle or a commit is
held to what such a name can be. Who wrote the comment, and whether they may, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from bot.core import fence, named_ids
from bot.core.live_lines import Line, lines, spoken
from bot.core.permission import Permission

WORD = "/jam"
WORDS_LIMIT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    oracle: str = ""
    tests: tuple[str, ...] = ()
    release: tuple[str, ...] = ()  # tests that pin the bug


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """``sha`` may be the beginning of one; '' means the head."""

    sha: str = ""
    oracle: str = ""
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    words: str = ""  # foreign text, for the objective


@dataclass(frozen=True, slots=True)
class Resume:
    pass


@dataclass(frozen=True, slots=True)
class Stop:
    pass


@dataclass(frozen=True, slots=True)
class Status:
    pass


@dataclass(frozen=True, slots=True)
class Approve:
    pass


@dataclass(frozen=True, slots=True)
class Undo:
    count: int  # checkpoints to take back, the newest first


@dataclass(frozen=True, slots=True)
class Help:
    pass


@dataclass(frozen=True, slots=True)
class Mistaken:
    """Meant for jam, and not understood. ``why`` is a sentence fit for a page."""

    why: str


Command: TypeAlias = (
    Fix | Verify | Retry | Resume | Stop | Status | Approve | Undo | Help | Mistaken
)


@dataclass(frozen=True, slots=True)
class Heard:
    """The first command of a comment, and how many more there were."""

    command: Command
    others: int = 0


def may_be_in(text: str) -> bool:
    """Whether it is worth reading closely."""
    return WORD in text.lower()


def read(text: str) -> Heard | None:
    """None: nothing in the comment is meant for jam."""
    said = spoken(text, WORD)
    if not said:
        return None
    first, *others = said
    below = lines(text)[first.number + 1 : others[0].number if others else None]
    return Heard(_read_line(first, "\n".join(below)), len(others))


def _read_line(line: Line, below: str) -> Command:
    verb, rest = _first_word(line.rest)
    verb = verb.lower()
    if verb == "retry":
        return Retry(f"{rest}\n{below}".strip()[:WORDS_LIMIT])
    reader = _READERS.get(verb)
    return reader(rest) if reader else Mistaken(_unknown(verb))


def _first_word(text: str) -> tuple[str, str]:
    head, *tail = text.split(None, 1) or [""]
    return (head, tail[0].strip() if tail else "")


def _unknown(verb: str) -> str:
    near = get_close_matches(verb, MINIMUM_BY_WORD, n=1)
    guess = f"did you mean `{WORD} {near[0]}`?" if near else f"`{WORD} help` lists what there is."
    return f"There is no {fence.code(f'{WORD} {verb}', limit=40)}; {guess}"


def minimum(command: Command) -> Permission:
    """What it takes at least. The author of a pull request may have it verified, besides."""
    match command:
        case Verify(oracle="", tests=()):
            return Permission.TRIAGE
        case _:
            return Permission.WRITE  # a mistaken one too: strangers are not taught


# Each option is one word, `key=value`; a value may stand in double quotes to hold blanks.
_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*")+')
_ORACLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")
_SHA = re.compile(r"[0-9a-f]{7,64}")
_COUNT = re.compile(r"[1-9][0-9]{0,2}")

Options: TypeAlias = dict[str, str]


def _fix(rest: str) -> Command:
    options = _options(rest, "fix", {"oracle", "tests", "release"})
    if isinstance(options, Mistaken):
        return options
    oracle = _oracle(options)
    tests, release = _ids(options, "tests"), _ids(options, "release")
    for part in (oracle, tests, release):
        if isinstance(part, Mistaken):
            return part
    return Fix(oracle=oracle, tests=tests, release=release)  # type: ignore[arg-type]  # none is Mistaken


def _verify(rest: str) -> Command:
    sha, more = _first_word(rest)
    if "=" in sha or not sha:
        sha, more = "", rest
    options = _options(more, "verify", {"oracle", "tests"})
    if isinstance(options, Mistaken):
        return options
    if sha and not _SHA.fullmatch(sha.lower()):
        return Mistaken(
            f"{fence.code(sha, limit=80)} is not a commit: give 7 or more of its digits."
        )
    oracle, tests = _oracle(options), _ids(options, "tests")
    for part in (oracle, tests):
        if isinstance(part, Mistaken):
            return part
    return Verify(sha=sha.lower(), oracle=oracle, tests=tests)  # type: ignore[arg-type]  # as above


def _undo(rest: str) -> Command:
    if not _COUNT.fullmatch(rest):
        return Mistaken(f"`{WORD} undo` takes how many checkpoints to take back, from 1 to 999.")
    return Undo(int(rest))


def _alone(command: Command, verb: str) -> Callable[[str], Command]:
    def read_alone(rest: str) -> Command:
        return Mistaken(f"`{WORD} {verb}` takes nothing behind it.") if rest else command

    return read_alone


def _anyhow(command: Command) -> Callable[[str], Command]:
    """What does no harm is not refused for a friendly word behind it."""

    def read_anyhow(_: str) -> Command:
        return command

    return read_anyhow


_READERS: dict[str, Callable[[str], Command]] = {
    "": _anyhow(Help()),
    "fix": _fix,
    "verify": _verify,
    "resume": _alone(Resume(), "resume"),
    "stop": _anyhow(Stop()),
    "status": _anyhow(Status()),
    "approve": _alone(Approve(), "approve"),
    "undo": _undo,
    "help": _anyhow(Help()),
}

#: Every command in the order of the help: its form, what it does, and the permission it takes.
MANUAL: tuple[tuple[str, str, str], ...] = (
    ("fix [oracle=NAME] [tests=ID,…] [release=ID,…]", "work on this and propose a change", "write"),
    (
        "verify [SHA] [oracle=NAME] [tests=ID,…]",
        "judge this pull request anew in clean rooms",
        "triage, or its author",
    ),
    ("retry [WORDS]", "try once more, with these words", "write"),
    ("resume", "go on where a session rests", "write"),
    ("stop", "end the session; what was done is kept", "write"),
    ("status", "tell where things stand", "write"),
    ("approve", "allow what the session asks for", "write"),
    ("undo N", "take back the last N checkpoints", "write"),
    ("help", "show this table", "write"),
)
MINIMUM_BY_WORD = tuple(form.split(" ")[0] for form, _, _ in MANUAL)


def _options(rest: str, verb: str, known: set[str]) -> Options | Mistaken:
    if rest.count('"') % 2:
        return Mistaken("A quotation mark does not close.")
    options: Options = {}
    for token in _TOKEN.findall(rest):
        key, equals, value = token.partition("=")
        key = key.lower()
        if not equals or key not in known:
            return Mistaken(_no_option(token, verb, known))
        if key in options:
            return Mistaken(f"`{key}=` stands there twice; put commas between ids.")
        options[key] = value.replace('"', "")
    return options


def _no_option(token: str, verb: str, known: set[str]) -> str:
    near = get_close_matches(token.partition("=")[0].lower(), sorted(known), n=1)
    allowed = f"`{near[0]}=`?" if near else ", ".join(f"`{key}=`" for key in sorted(known))
    lead = "did you mean" if near else "it takes"
    return f"`{WORD} {verb}` does not know {fence.code(token, limit=80)}; {lead} {allowed}"


def _oracle(options: Options) -> str | Mistaken:
    name = options.get("oracle")
    if name is None or _ORACLE.fullmatch(name):
        return name or ""
    if not name:
        return Mistaken("`oracle=` names no oracle.")
    return Mistaken(f"{fence.code(name, limit=80)} is not the name of an oracle.")


def _ids(options: Options, key: str) -> tuple[str, ...] | Mistaken:
    if key not in options:
        return ()
    ids = named_ids.read(options[key])
    return Mistaken(f"In `{key}=`, {ids.why}.") if isinstance(ids, named_ids.Unfit) else ids
