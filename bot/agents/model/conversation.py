"""
The conversation, as it is kept between turns and as it is sent.

What one turn added is one value; all of them in order give the same conversation again, byte for
byte, so that a crash costs nothing and the service's cache keeps matching.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.agents.model.answer import Block

FORMAT = 1
_MARK = {"type": "ephemeral"}
_BYTES_PER_TOKEN = 2  # fewer than any text needs but dense scripts, so an estimate is not too low


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What one turn added: what was said to the model, its answer, what its calls came to."""

    asked: tuple[Block, ...] = ()
    answer: tuple[Block, ...] = ()
    results: tuple[Block, ...] = ()
    context: int = 0  # tokens of the conversation up to and with the answer
    goes_on: bool = False  # the service paused; the answer is to be continued as it is
    is_empty: bool = False  # the model said nothing

    def write(self) -> bytes:
        return json.dumps(
            {
                "format": FORMAT,
                "asked": self.asked,
                "answer": self.answer,
                "results": self.results,
                "context": self.context,
                "goes_on": self.goes_on,
                "is_empty": self.is_empty,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode(errors="backslashreplace")


def read(memory: bytes) -> Kept:
    found = json.loads(memory)
    if found.get("format") != FORMAT:
        raise ValueError(f"memory of format {found.get('format')!r}; this jam writes {FORMAT}")
    return Kept(
        asked=tuple(found["asked"]),
        answer=tuple(found["answer"]),
        results=tuple(found["results"]),
        context=found["context"],
        goes_on=found["goes_on"],
        is_empty=found["is_empty"],
    )


def said(text: str) -> Block:
    return {"type": "text", "text": text}


def result(call_id: str, text: str, *, ok: bool) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return block if ok else {**block, "is_error": True}


def messages(history: Sequence[Kept], asked: Sequence[Block]) -> list[dict[str, Any]]:
    """In turns of user and assistant; neighbours with the same role are one message."""
    parts: list[tuple[str, tuple[Block, ...]]] = []
    for kept in history:
        parts += [("user", kept.asked), ("assistant", kept.answer), ("user", kept.results)]
    parts.append(("user", tuple(asked)))
    joined: list[dict[str, Any]] = []
    for role, blocks in parts:
        if joined and blocks and joined[-1]["role"] == role:
            joined[-1]["content"] += blocks
        elif blocks:
            joined.append({"role": role, "content": list(blocks)})
    return _marked(joined)


def _marked(joined: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The end of what is new is where the cache is written, the end of what was last sent where
    it is read: many calls in one answer would put it out of the service's sight otherwise."""
    mine = [message["content"] for message in joined if message["role"] == "user"]
    for content in mine[-2:]:
        content[-1] = marked(content[-1])
    return joined


def marked(block: Block) -> Block:
    return {**block, "cache_control": _MARK}


def length(history: Sequence[Kept], added: Sequence[Block], *, frame: int) -> int:
    """Tokens of the next prompt, rather too many than too few. ``frame``: bytes around it."""
    for back, kept in enumerate(reversed(history)):
        if kept.context:
            later = history[len(history) - back :]
            new = [*kept.results, *(block for one in later for block in _all(one)), *added]
            return kept.context + _size(new) // _BYTES_PER_TOKEN
    new = [*(block for one in history for block in _all(one)), *added]
    return (frame + _size(new)) // _BYTES_PER_TOKEN


def _all(kept: Kept) -> tuple[Block, ...]:
    return kept.asked + kept.answer + kept.results


def _size(blocks: Sequence[Block]) -> int:
    return len(json.dumps(blocks, ensure_ascii=False).encode(errors="replace"))
