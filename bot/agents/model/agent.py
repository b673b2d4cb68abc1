"""
One turn: the model is asked, its calls are carried out, and what it wants is told.

Decides what each way of ending an answer means. Never starts a call that the rest of the budget
could not pay for, and answers every call that a model makes, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.agents.model import conversation
from bot.agents.model.answer import Answer, Block
from bot.agents.model.conversation import Kept
from bot.agents.model.service import (
    Abilities,
    Asking,
    OutOfTime,
    Service,
    Stopped,
    TooLong,
)
from bot.agents.model.tooling import OFFERED, understood
from bot.agents.tools import Done, Finish, Toolbox, Unusable
from bot.core import money, prompt
from bot.core.money import Tokens
from bot.core.visible import one_line
from bot.errors import AgentUnusable
from bot.ports import Bench, Brief, Remaining, TurnDone, Usage, Wish

MOST_CALLS = 64  # of one answer that are carried out; the rest is answered without
SHOWN_AT_ONCE = 160_000  # characters of all answers to the calls of one turn
LEAST_ANSWER = 2_048  # tokens; with less there is no use in asking
FEW_TURNS = 3
COMPACT_AT = 150_000  # tokens
CLEAR_AT, CLEAR_AT_LEAST, KEEP_USES = 100_000, 30_000, 6

EMPTY = "Your answer was empty. Go on, or call `finish` when the change is right."
CUT = "Your answer was cut off at its greatest length. Go on from there, in smaller steps."
ON = "Go on."


@dataclass(slots=True, kw_only=True)
class ModelAgent:
    """``seconds``: a clock that only runs forward."""

    service: Service
    model: str
    seconds: Callable[[], float]
    frame: str = prompt.SYSTEM
    _abilities: Abilities | None = field(default=None)

    @property
    def name(self) -> str:
        return "anthropic"

    def turn(
        self,
        brief: Brief,
        bench: Bench,
        *,
        history: Sequence[bytes],
        feedback: str,
        remaining: Remaining,
    ) -> TurnDone:
        deadline = self.seconds() + remaining.seconds
        kept = [conversation.read(memory) for memory in history if memory]
        asked = _asked(brief, kept, feedback, remaining)
        room = self._room(kept, asked, remaining)
        if room < LEAST_ANSWER:
            return _given_up("The rest of the budget does not pay for another answer.", asked)
        asking = Asking(
            request=self._request(kept, asked, longest=room), deadline=deadline, stop=bench.stop
        )
        try:
            answer = self.service.ask(asking)
        except (OutOfTime, Stopped, TooLong) as why:
            return _given_up(_WHY[type(why)], asked, usage=self._usage(*asking.wasted))
        except AgentUnusable as why:
            if not kept:
                raise  # nothing was done yet: the request itself is at fault
            return _given_up(str(why), asked, usage=self._usage(*asking.wasted))
        toolbox = Toolbox(bench, lambda: deadline - self.seconds(), _share(len(answer.calls)))
        carried = _carry_out(answer, toolbox)
        usage = self._usage(answer.tokens, *asking.wasted)
        return _settled(_Turn(asked, answer, carried, kept), usage)

    def _room(self, kept: Sequence[Kept], asked: Sequence[Block], remaining: Remaining) -> int:
        """The longest answer that tokens and money allow, were it to be that long."""
        prompt_tokens = conversation.length(kept, asked, frame=len(self.frame.encode()) + _TOOLS)
        return min(
            self._able().longest_answer,
            remaining.tokens - prompt_tokens,
            money.affordable(self.model, prompt_tokens=prompt_tokens, cents_left=remaining.cents),
        )

    def _request(
        self, kept: Sequence[Kept], asked: Sequence[Block], *, longest: int
    ) -> dict[str, Any]:
        return {
            "model": self.model,
            "max_tokens": longest,
            "system": [conversation.marked(conversation.said(self.frame))],
            "tools": [*OFFERED[:-1], conversation.marked(OFFERED[-1])],
            "messages": conversation.messages(kept, asked),
            **self._context_management(),
        }

    def _context_management(self) -> dict[str, Any]:
        """By the service, never by hand; one way at a time, the better one where there is it."""
        if self._able().compacts:
            trigger = {"type": "input_tokens", "value": COMPACT_AT}
            edit: dict[str, Any] = {"type": "compact_20260112", "trigger": trigger}
            return {"betas": ["compact-2026-01-12"], "context_management": {"edits": [edit]}}
        if self._able().clears_tool_uses:
            edit = {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": CLEAR_AT},
                "clear_at_least": {"type": "input_tokens", "value": CLEAR_AT_LEAST},
                "keep": {"type": "tool_uses", "value": KEEP_USES},
            }
            betas = ["context-management-2025-06-27"]
            return {"betas": betas, "context_management": {"edits": [edit]}}
        return {}

    def _able(self) -> Abilities:
        if self._abilities is None:
            self._abilities = self.service.abilities(self.model)
        return self._abilities

    def _usage(self, *parts: Tokens) -> Usage:
        return Usage(
            input_tokens=sum(part.reading for part in parts),
            output_tokens=sum(part.writing for part in parts),
            cache_read_tokens=sum(part.cache_read for part in parts),
            cache_write_tokens=sum(part.cache_write for part in parts),
            cents=round(sum(money.cents(self.model, part) for part in parts), 6),
        )


_TOOLS = len(repr(OFFERED)) + 8_000  # the taught tools have a text
_WHY: dict[type[Exception], str] = {
    OutOfTime: "The time was over before the model had answered.",
    Stopped: "The session was stopped.",
    TooLong: "The conversation is too long for the model.",
}


class _Turn(NamedTuple):
    asked: tuple[Block, ...]
    answer: Answer
    carried: tuple[Done, ...]  # in the order of the answer's calls
    before: Sequence[Kept]


def _asked(
    brief: Brief, kept: Sequence[Kept], feedback: str, remaining: Remaining
) -> tuple[Block, ...]:
    """What is said before this turn's answer. Kept, so that it is never said differently."""
    words = [] if kept else [prompt.opening(brief)]
    words += [feedback] if feedback else []
    if kept and remaining.turns <= FEW_TURNS:
        words.append(prompt.few_turns(remaining.turns))
    waits = bool(kept) and not kept[-1].results and not kept[-1].goes_on
    if not words and waits:
        words.append(ON)
    return tuple(conversation.said(word) for word in words)


def _share(calls: int) -> int:
    return max(1_500, min(16_000, SHOWN_AT_ONCE // max(calls, 1)))


def _carry_out(answer: Answer, toolbox: Toolbox) -> tuple[Done, ...]:
    return tuple(
        toolbox.perform(_action(answer, call, number, toolbox))
        for number, call in enumerate(answer.calls)
    )


def _action(answer: Answer, call: Block, number: int, toolbox: Toolbox) -> Any:
    name = str(call["name"])
    if call["id"] in answer.broken:
        return Unusable(name, f"Nothing was done: {answer.broken[call['id']]}.")
    if number >= MOST_CALLS:
        return Unusable(name, f"Nothing was done: more than {MOST_CALLS} calls at once.")
    if toolbox.bench.stop.is_set() or toolbox.seconds_left() <= 0:
        return Unusable(name, "Nothing was done: the time is over.")
    return understood(name, call.get("input") or {})


def _settled(turn: _Turn, usage: Usage) -> TurnDone:
    wish, words, more = _wish(turn)
    results = [
        conversation.result(call["id"], done.text, ok=done.ok)
        for call, done in zip(turn.answer.calls, turn.carried, strict=True)
    ]
    if more:
        results.append(conversation.said(more))
    kept = Kept(
        asked=turn.asked,
        answer=turn.answer.blocks if wish is not Wish.GIVE_UP else (),
        results=tuple(results) if wish is not Wish.GIVE_UP else (),
        context=turn.answer.context,
        goes_on=turn.answer.stop_reason in _PAUSES and not results,
        is_empty=not turn.answer.blocks,
    )
    return TurnDone(
        wish=wish,
        said=words,
        memory=kept.write(),
        usage=usage,
        calls=tuple(done.call for done in turn.carried),
    )


_PAUSES = frozenset(("pause_turn", "compaction"))
_CUTS = frozenset(("max_tokens", "model_context_window_exceeded"))


def _wish(turn: _Turn) -> tuple[Wish, str, str]:
    """What is wanted, the last words, and what is said to the model of it."""
    answer, said = turn.answer, turn.answer.text
    if answer.stop_reason == "refusal":
        return Wish.GIVE_UP, f"The model declined. {one_line(answer.explanation, 500)}".strip(), ""
    if waiting := [done for done in turn.carried if done.call.decision == "ask"]:
        return Wish.ASK, waiting[0].text, ""
    summary = _summary(answer)
    if summary is not None:
        return Wish.FINISH, summary or said, ""
    if answer.stop_reason in _CUTS:
        return Wish.GO_ON, said, CUT
    if answer.calls or answer.stop_reason in _PAUSES:
        return Wish.GO_ON, said, ""
    if not answer.blocks and not (turn.before and turn.before[-1].is_empty):
        return Wish.GO_ON, "", EMPTY
    return Wish.FINISH, said, ""


def _summary(answer: Answer) -> str | None:
    """The words of a call of ``finish`` that can be understood, or None without one."""
    for call in answer.calls:
        if call["id"] not in answer.broken:
            action = understood(str(call["name"]), call.get("input") or {})
            if isinstance(action, Finish):
                return action.summary
    return None


def _given_up(why: str, asked: tuple[Block, ...], *, usage: Usage | None = None) -> TurnDone:
    """What was to be said is kept: whoever goes on says it."""
    return TurnDone(
        wish=Wish.GIVE_UP,
        said=why,
        memory=Kept(asked=asked).write(),
        usage=usage or Usage(),
    )
