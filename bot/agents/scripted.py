"""
An agent that does what a file says: ``scripted:FILE``, for tests and demonstrations.

The file is a YAML list; each item is one turn, either one action or a list of them. Reads strictly:
every mistake is told with its file and line, before any turn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

from bot.agents.means import Means
from bot.agents.tools import Delete, Done, Edit, Finish, Search, Shell, Toolbox, Write
from bot.core.visible import bound, one_line
from bot.errors import AgentUnusable
from bot.ports import Bench, Brief, Remaining, TurnDone, Usage, Wish


@dataclass(frozen=True, slots=True)
class Say:
    words: str


@dataclass(frozen=True, slots=True)
class Wait:
    """So that something can happen to jam in the middle of a turn."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Spend:
    """As if a model had been asked."""

    tokens: int
    cents: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    why: str


Line: TypeAlias = Shell | Write | Edit | Delete | Search | Finish | Say | Wait | Spend | GiveUp
Turn: TypeAlias = tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAgent:
    turns: tuple[Turn, ...]
    clock: Callable[[], float]

    @property
    def name(self) -> str:
        return "scripted"

    def turn(
        self,
        brief: Brief,  # noqa: ARG002 - a script knows already what is wanted
        bench: Bench,
        *,
        history: Sequence[bytes],
        feedback: str,  # noqa: ARG002 - and does not listen
        remaining: Remaining,
    ) -> TurnDone:
        number = len(history)
        if number >= len(self.turns):
            return self._after_the_last(number)
        deadline = self.clock() + remaining.seconds
        toolbox = Toolbox(bench, lambda: deadline - self.clock())
        return _performed(self.turns[number], toolbox, number)

    def _after_the_last(self, number: int) -> TurnDone:
        """It asks to be judged once; told red after that, there is nothing more it could do."""
        finished = number > len(self.turns) or _finishes(self.turns[-1:])
        wish = Wish.GIVE_UP if finished else Wish.FINISH
        said = "The script is at its end."
        return TurnDone(wish=wish, said=said, memory=_memory(number))


def make(means: Means) -> ScriptedAgent:
    if not means.argument.strip():
        raise AgentUnusable("the scripted agent needs a file: --agent scripted:FILE")
    return ScriptedAgent(turns=read(Path(means.argument)), clock=means.clock)


def read(path: Path) -> tuple[Turn, ...]:
    """Raises ``AgentUnusable`` that names file and line."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise AgentUnusable(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AgentUnusable(f"{path}: not UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise AgentUnusable(f"{path}:{line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise AgentUnusable(f"{path}: {one_line(str(error), 200)}") from None
    return _Script(path).read(root)


@dataclass(frozen=True, slots=True)
class _Script:
    path: Path

    def read(self, root: yaml.Node | None) -> tuple[Turn, ...]:
        if root is None:
            raise AgentUnusable(f"{self.path}: the script is empty")
        if not isinstance(root, yaml.SequenceNode):
            raise self._wrong(root, "a script is a list of turns")
        return tuple(self._turn(item) for item in root.value)

    def _turn(self, node: yaml.Node) -> Turn:
        if isinstance(node, yaml.SequenceNode):
            return tuple(self._line(item) for item in node.value)
        return (self._line(node),)

    def _line(self, node: yaml.Node) -> Line:
        if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
            raise self._wrong(node, "an action is one word and what it needs, as in `shell: make`")
        key, value = node.value[0]
        if key.value not in _WORDS:
            raise self._wrong(key, f"no action {key.value!r}; there are {', '.join(_WORDS)}")
        return _WORDS[key.value](self, value)

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode) or node.tag.endswith(":null"):
            raise self._wrong(node, "text is needed here")
        return str(node.value)

    def number(self, node: yaml.Node) -> float:
        try:
            return float(self.text(node))
        except ValueError:
            raise self._wrong(node, "a number is needed here") from None

    def parts(self, node: yaml.Node, *names: str) -> list[yaml.Node]:
        """The values under exactly these names."""
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, f"needs {' and '.join(names)}")
        found = {key.value: value for key, value in node.value}
        if set(found) != set(names) or len(node.value) != len(names):
            raise self._wrong(node, f"needs {' and '.join(names)}, and nothing else")
        return [found[name] for name in names]

    def _wrong(self, node: yaml.Node, why: str) -> AgentUnusable:
        return AgentUnusable(f"{self.path}:{node.start_mark.line + 1}: {why}")


def _shell(script: _Script, node: yaml.Node) -> Line:
    return Shell(script.text(node))


def _write(script: _Script, node: yaml.Node) -> Line:
    path, content = script.parts(node, "path", "content")
    return Write(script.text(path), script.text(content))


def _edit(script: _Script, node: yaml.Node) -> Line:
    path, old, new = script.parts(node, "path", "old", "new")
    return Edit(script.text(path), script.text(old), script.text(new))


def _spend(script: _Script, node: yaml.Node) -> Line:
    tokens, cents = script.parts(node, "tokens", "cents")
    return Spend(int(script.number(tokens)), script.number(cents))


def _finish(script: _Script, node: yaml.Node) -> Line:
    word = script.text(node)
    return Finish("" if word == "true" else word)


_WORDS: dict[str, Callable[[_Script, yaml.Node], Line]] = {
    "shell": _shell,
    "write": _write,
    "edit": _edit,
    "delete": lambda script, node: Delete(script.text(node)),
    "search": lambda script, node: Search(script.text(node)),
    "say": lambda script, node: Say(script.text(node)),
    "wait": lambda script, node: Wait(script.number(node)),
    "spend": _spend,
    "give_up": lambda script, node: GiveUp(script.text(node)),
    "finish": _finish,
}


def _performed(turn: Turn, toolbox: Toolbox, number: int) -> TurnDone:
    done: list[Done] = []
    for line in turn:
        match line:
            case Say():
                toolbox.bench.say(line.words)
            case Wait():
                toolbox.bench.stop.wait(min(line.seconds, max(0.0, toolbox.seconds_left())))
            case Spend() | GiveUp():
                pass
            case _:
                done.append(toolbox.perform(line))
    return TurnDone(
        wish=_wish(turn, done),
        said=_said(turn, done),
        memory=_memory(number),
        usage=_usage(turn),
        calls=tuple(one.call for one in done),
    )


def _wish(turn: Turn, done: Sequence[Done]) -> Wish:
    if any(one.call.decision == "ask" for one in done):
        return Wish.ASK
    if any(isinstance(line, GiveUp) for line in turn):
        return Wish.GIVE_UP
    return Wish.FINISH if _finishes((turn,)) else Wish.GO_ON


def _finishes(turns: Sequence[Turn]) -> bool:
    return any(isinstance(line, Finish) for turn in turns for line in turn)


def _said(turn: Turn, done: Sequence[Done]) -> str:
    """The question, its own words, or what the last tool said."""
    questions = [one.text for one in done if one.call.decision == "ask"]
    words = [line.words for line in turn if isinstance(line, Say)]
    words += [line.why for line in turn if isinstance(line, GiveUp)]
    words += [line.summary for line in turn if isinstance(line, Finish) and line.summary]
    spoken = questions or words or [one.text for one in done[-1:]]
    return bound("\n".join(spoken), 4_000, tail=1)


def _usage(turn: Turn) -> Usage:
    spent = [line for line in turn if isinstance(line, Spend)]
    return Usage(
        input_tokens=sum(one.tokens for one in spent), cents=sum(one.cents for one in spent)
    )


def _memory(number: int) -> bytes:
    return json.dumps({"turn": number}).encode()
