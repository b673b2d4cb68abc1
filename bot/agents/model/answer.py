"""
One answer of the model, put together from the events of its stream.

Knows the protocol's words and nothing of connections. An answer counts only when its last event
arrived; a block that cannot be sent back is left out; a tool call whose arguments are no JSON
object is kept as a call and marked as broken, because it must be answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.core.money import Tokens

Block: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``blocks`` as they must be sent back; ``broken``: ids of calls, with what is wrong."""

    blocks: tuple[Block, ...]
    stop_reason: str
    explanation: str = ""  # of a refusal
    broken: Mapping[str, str] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)  # all that is billed
    context: int = 0  # how long the conversation is now, in tokens

    @property
    def calls(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block["type"] == "tool_use")

    @property
    def text(self) -> str:
        said = (block["text"] for block in self.blocks if block["type"] == "text")
        return "\n\n".join(said).strip()


@dataclass(slots=True)
class Assembly:
    """Takes events in order. ``tokens`` is right after each, so that a cut stream can be paid."""

    blocks: dict[int, Block] = field(default_factory=dict)
    arguments: dict[int, str] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    stop_reason: str = ""
    explanation: str = ""
    is_complete: bool = False

    def take(self, event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self._count(event["message"].get("usage") or {})
            case "content_block_start":
                self.blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._extend(event["index"], event["delta"])
            case "message_delta":
                self._end(event)
            case "message_stop":
                self.is_complete = True
            case _:  # pings, and what may come to be
                pass

    def _extend(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self.blocks[index]
        match delta["type"]:
            case "text_delta":
                block["text"] = block.get("text", "") + delta["text"]
            case "input_json_delta":
                self.arguments[index] = self.arguments.get(index, "") + delta["partial_json"]
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta["citation"]]
            case "compaction_delta":
                block |= {key: value for key, value in delta.items() if key != "type"}
            case _:
                pass

    def _end(self, event: Mapping[str, Any]) -> None:
        delta = event["delta"]
        self.stop_reason = delta.get("stop_reason") or self.stop_reason
        self.explanation = (delta.get("stop_details") or {}).get("explanation") or self.explanation
        self._count(event.get("usage") or {})

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Later counts are totals; what a later event leaves out keeps its value."""
        self.usage |= {key: value for key, value in usage.items() if value is not None}

    @property
    def tokens(self) -> Tokens:
        """A compaction is billed beside the answer, in an iteration of its own."""
        beside = (one for one in self._iterations if one.get("type") == "compaction")
        return _sum([_tokens(self.usage), *map(_tokens, beside)])

    @property
    def context(self) -> int:
        own = [one for one in self._iterations if one.get("type") == "message"]
        last = _tokens(own[-1] if own else self.usage)
        return last.prompt + last.writing

    @property
    def _iterations(self) -> list[Mapping[str, Any]]:
        return self.usage.get("iterations") or []

    def answer(self) -> Answer:
        broken: dict[str, str] = {}
        kept: list[Block] = []
        ids: set[str] = set()
        for index in sorted(self.blocks):
            block = self.blocks[index]
            if block["type"] == "tool_use":
                self._read_arguments(index, block, broken)
            # The same id twice is one call, answered once.
            if _is_whole(block) and block.get("id") not in ids:
                kept.append(block)
                ids |= {block["id"]} if block["type"] == "tool_use" else set()
        return Answer(
            blocks=tuple(kept),
            stop_reason=self.stop_reason,
            explanation=self.explanation,
            broken=broken,
            tokens=self.tokens,
            context=self.context,
        )

    def _read_arguments(self, index: int, block: Block, broken: dict[str, str]) -> None:
        written = self.arguments.get(index)
        if not written:
            return  # none, or they came whole with the block's start
        try:
            read = json.loads(written)
        except ValueError:
            read = None
        if isinstance(read, dict):
            block["input"] = read
        else:
            block["input"] = {}
            broken[block["id"]] = "its arguments are not a JSON object, or were cut off"


def _is_whole(block: Block) -> bool:
    """What a service would not take back is not kept."""
    match block["type"]:
        case "text":
            return bool(block.get("text", "").strip())
        case "thinking":
            return bool(block.get("signature"))
        case "tool_use":
            return bool(block.get("id") and block.get("name"))
        case _:
            return True


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    return Tokens(
        reading=usage.get("input_tokens") or 0,
        writing=usage.get("output_tokens") or 0,
        cache_write=usage.get("cache_creation_input_tokens") or 0,
        cache_read=usage.get("cache_read_input_tokens") or 0,
    )


def _sum(parts: list[Tokens]) -> Tokens:
    return Tokens(
        reading=sum(part.reading for part in parts),
        writing=sum(part.writing for part in parts),
        cache_write=sum(part.cache_write for part in parts),
        cache_read=sum(part.cache_read for part in parts),
    )
