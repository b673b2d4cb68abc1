"""
What an agent may run and write: ``allow``, ``ask`` or ``deny``.

Layers are composed; of all rules that match, the strictest decides, so a layer can only narrow.
This is a courtesy to the repository's owner and a signpost for the agent, not a wall: a shell has
more ways to say a thing than a reader can see through. The wall is the sandbox, and what was
changed on frozen paths is restored whatever was said here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath

from bot.core.contract import Contract, Protection
from bot.core.shell import Command, commands, program, written_by


class Answer(StrEnum):
    """Mildest first; of several, the last one here wins."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


_STRICTNESS = {answer: place for place, answer in enumerate(Answer)}


@dataclass(frozen=True, slots=True)
class Decision:
    answer: Answer
    why: str = ""


ALLOWED = Decision(Answer.ALLOW)


@dataclass(frozen=True, slots=True)
class Rule:
    """``pattern`` speaks of a command's words, or is a glob of paths. ``why`` names its source."""

    pattern: str
    answer: Answer
    why: str


READ_ONLY = "the path is read-only here: it is put back before every judgement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    commands: tuple[Rule, ...] = ()
    paths: tuple[Rule, ...] = ()
    frozen: frozenset[str] = frozenset()  # exact paths that no tool may write
    review: tuple[str, ...] = ()  # paths whose change is pointed out to a person

    def without_asking(self) -> Policy:
        """Where nobody can be asked, to ask is to deny."""
        return replace(
            self,
            commands=tuple(_unasked(rule) for rule in self.commands),
            paths=tuple(_unasked(rule) for rule in self.paths),
        )


def _unasked(rule: Rule) -> Rule:
    if rule.answer is not Answer.ASK:
        return rule
    return Rule(rule.pattern, Answer.DENY, f"{rule.why} needs a person, and nobody can be asked")


OWN = Policy(paths=(Rule(".git/**", Answer.DENY, "git's own folder"),))
"""jam's first layer, under every other."""


def layer(
    *,
    deny: Iterable[str] = (),
    ask: Iterable[str] = (),
    protect: Mapping[str, Protection] | None = None,
    source: str = "policy",
) -> Policy:
    """One layer. A pattern of ``deny`` and ``ask`` is a rule for commands and for paths alike."""
    said = [Rule(pattern, Answer.DENY, f"{source} denies {pattern!r}") for pattern in deny]
    said += [Rule(pattern, Answer.ASK, f"{source} asks about {pattern!r}") for pattern in ask]
    kept = (protect or {}).items()
    blocked = [
        Rule(pattern, Answer.DENY, f"{source} protects {pattern!r}")
        for pattern, protection in kept
        if protection is Protection.BLOCK
    ]
    return Policy(
        commands=tuple(said),
        paths=(*said, *blocked),
        review=tuple(pattern for pattern, what in kept if what is Protection.REVIEW),
    )


def of_contract(contract: Contract) -> Policy:
    """The contract's layer on jam's own."""
    said = layer(
        deny=contract.policy.deny,
        ask=contract.policy.ask,
        protect=contract.protect,
        source="jam.yml",
    )
    return compose(OWN, said)


def read_only(paths: Iterable[str]) -> Policy:
    """Frozen and surface paths that exist: no tool writes them, whatever other layers say."""
    return Policy(frozen=frozenset(path.casefold() for path in paths))


def compose(*layers: Policy) -> Policy:
    """All rules of all layers. Nothing is taken away, so no layer loosens another."""
    return Policy(
        commands=tuple(rule for one in layers for rule in one.commands),
        paths=tuple(rule for one in layers for rule in one.paths),
        frozen=frozenset[str]().union(*(one.frozen for one in layers)),
        review=tuple(pattern for one in layers for pattern in one.review),
    )


def decide_command(
    policy: Policy, script: str, *, approved: frozenset[str] = frozenset()
) -> Decision:
    """``approved``: scripts that a person agreed to, word for word; that lifts ask, never deny."""
    found = [_decide_simple(policy, command) for command in commands(script)]
    return _after_approval(_strictest(found), agreed=script in approved)


def decide_write(policy: Policy, path: str, *, approved: frozenset[str] = frozenset()) -> Decision:
    """``path`` is relative to the checkout. What leaves it is denied here and confined anyway."""
    if not is_inside(path):
        return Decision(Answer.DENY, "the path is outside of the checkout")
    tidy = str(PurePosixPath(path))
    return _after_approval(_decide_path(policy, tidy), agreed=tidy in approved)


def needs_review(policy: Policy, path: str) -> bool:
    return any(path_matches(pattern, path) for pattern in policy.review)


def is_inside(path: str) -> bool:
    tidy = PurePosixPath(path)
    return bool(tidy.parts) and not tidy.is_absolute() and ".." not in tidy.parts


def path_matches(pattern: str, path: str) -> bool:
    """``*`` stays within a folder, ``**`` does not; a pattern without a slash matches at any
    depth; one that names a folder matches all in it. Case is ignored: some file systems do."""
    return bool(_path_regex(pattern).fullmatch(path))


@lru_cache(maxsize=4096)
def _path_regex(pattern: str) -> re.Pattern[str]:
    core = pattern.strip().removeprefix("./").strip("/")
    anywhere = "" if "/" in core or pattern.startswith("/") else "(?:.*/)?"
    return re.compile(f"{anywhere}{_glob(core)}(?:/.*)?", re.IGNORECASE | re.DOTALL)


def _glob(core: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", core)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meaning.get(part, re.escape(part)) for part in parts)


def _decide_path(policy: Policy, path: str) -> Decision:
    if path.casefold() in policy.frozen:
        return Decision(Answer.DENY, READ_ONLY)
    return _strictest([_said(rule) for rule in policy.paths if path_matches(rule.pattern, path)])


def _decide_simple(policy: Policy, command: Command) -> Decision:
    """A path that ``deny`` or ``ask`` names holds for a command that says it writes there. What is
    protected or frozen does not: whatever a shell does to it is undone, and counted."""
    return _strictest([_said(rule) for rule in policy.commands if _concerns(rule.pattern, command)])


def _concerns(pattern: str, command: Command) -> bool:
    return _command_matches(pattern, command) or any(
        path_matches(pattern, ending) for path in written_by(command) for ending in _endings(path)
    )


def _endings(path: str) -> list[str]:
    """A path as written may begin above the checkout, so each of its ends may be one within."""
    parts = [part for part in PurePosixPath(path).parts if part not in ("/", "..")]
    return ["/".join(parts[place:]) for place in range(len(parts))]


def _command_matches(pattern: str, command: Command) -> bool:
    """``git push`` matches a ``git`` with ``push`` among its arguments; ``rm -rf`` also ``-fr``
    and ``-r -f``; ``scripts/deploy*`` matches what is run from that path."""
    wanted = pattern.split()
    if not wanted or not command.words:
        return False
    name, *arguments = command.words
    named = _same_word(wanted[0], program(name)) or any(
        path_matches(wanted[0], ending) for ending in _endings(name)
    )
    return named and _in_order(wanted[1:], arguments)


def _in_order(wanted: list[str], arguments: list[str]) -> bool:
    flags = {letter for word in arguments if _is_short(word) for letter in word[1:]}
    rest = iter(arguments)
    return all(
        (_is_short(word) and set(word[1:]) <= flags)
        or any(_same_word(word, argument) for argument in rest)
        for word in wanted
    )


def _is_short(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word[1] != "-"


def _same_word(pattern: str, word: str) -> bool:
    """Either may be a glob: a shell turns ``c?rl`` into ``curl`` where such a file is."""
    return fnmatchcase(word, pattern) or fnmatchcase(pattern, word)


def _said(rule: Rule) -> Decision:
    return Decision(rule.answer, rule.why)


def _strictest(decisions: list[Decision]) -> Decision:
    return max(decisions, key=lambda one: _STRICTNESS[one.answer], default=ALLOWED)


def _after_approval(decision: Decision, *, agreed: bool) -> Decision:
    if decision.answer is Answer.ASK and agreed:
        return Decision(Answer.ALLOW, "a person agreed")
    return decision
