"""
A model's service on loopback: the Messages protocol, streamed, with faults on demand.

It holds its callers to the protocol as the real one does (roles in turn, every call answered once,
thinking sent back unchanged), counts what a prompt cache would have spared, and keeps what it was
sent.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar

Block = dict[str, Any]
LOOKBACK = 20  # blocks before a mark in which an earlier end of the cache is looked for
MARKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """An answer. ``cut``: how many events are sent before the line goes dead."""

    blocks: tuple[Block, ...] = ()
    stop: str = "end_turn"
    details: Mapping[str, Any] | None = None
    written: int = 50
    iterations: tuple[Mapping[str, Any], ...] = ()
    cut: int | None = None
    tidy: bool = False  # a cut stream ends as if it were whole
    drops: bool = False  # a whole one ends as if it were cut
    error: Mapping[str, Any] | None = None  # an ``error`` event in place of the rest after ``cut``
    pause_s: float = 0.0  # before the events
    pings: int = 1
    ping_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """A status, or with 0 nothing: the line is closed."""

    status: int
    kind: str = "api_error"
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Talk:
    """Two hundred, and a body that is no stream of events."""

    body: bytes


Reply = Say | Fail | Talk


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thought(words: str, signature: str = "sig") -> Block:
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(name: str, arguments: Mapping[str, Any] | str, call_id: str = "toolu_1") -> Block:
    """``arguments`` as text are sent as they are, be they JSON or not."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def calls(*blocks: Block, **over: Any) -> Say:
    return Say(blocks=blocks, stop="tool_use", **over)


@dataclass(slots=True)
class ModelServer:
    """Replies in order; when they are used up, the last one again."""

    replies: list[Reply]
    abilities: Mapping[str, Any] | Fail | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    tls: ssl.SSLContext | None = None  # None: plain
    reads: list[int] = field(default_factory=list)  # tokens that each call found in the cache
    _cached: set[str] = field(default_factory=set)
    _server: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.server_port

    def __enter__(self) -> ModelServer:
        handler = type("Handler", (_Handler,), {"home": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        if self.tls is not None:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[Reply, Block]:
        """The reply to a request, and its usage."""
        with self._lock:
            reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
            self.requests.append(body)
            self.headers.append(dict(headers))
            if wrong := "; ".join(faults(body)):
                self.refusals.append(wrong)
                return Fail(status=400, kind="invalid_request_error", message=wrong), {}
            return reply, self._usage(body, reply)

    def _usage(self, body: dict[str, Any], reply: Reply) -> Block:
        blocks, ends = flattened(body)
        prefixes = ["".join(blocks[: place + 1]) for place in range(len(blocks))]
        read = 0
        for end in ends:
            for place in range(end, max(end - LOOKBACK, -1), -1):
                if prefixes[place] in self._cached:
                    read = max(read, len(prefixes[place]))
                    break
        written = max((len(prefixes[end]) for end in ends), default=0)
        self._cached |= {prefixes[end] for end in ends}
        self.reads.append(read // 4)
        return {
            "input_tokens": (len(prefixes[-1]) - max(written, read)) // 4,
            "cache_creation_input_tokens": max(0, written - read) // 4,
            "cache_read_input_tokens": read // 4,
            "output_tokens": 1,
        }


def flattened(body: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """Tools, system and messages as one row of blocks, and where in it marks are."""
    row: list[Block] = [*body.get("tools", ()), *body.get("system", ())]
    for message in body["messages"]:
        row += [{"role": message["role"], **block} for block in message["content"]]
    ends = [place for place, block in enumerate(row) if "cache_control" in block]
    bare = [{key: value for key, value in block.items() if key != "cache_control"} for block in row]
    return [json.dumps(block) for block in bare], ends


def faults(body: Mapping[str, Any]) -> Iterator[str]:
    """What the real service would refuse."""
    messages = body["messages"]
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: at least 1"
    if len(flattened(body)[1]) > MARKS:
        yield f"at most {MARKS} blocks with cache_control"
    if not messages or messages[0]["role"] != "user":
        yield "messages: the first has to be the user's"
    for key in ("temperature", "tool_choice", "thinking"):
        if key in body:
            yield f"{key}: not for this model"
    for before, after in zip(messages, [*messages[1:], None], strict=True):
        yield from _faults_between(before, after)


def _faults_between(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> Iterator[str]:
    if after and after["role"] == before["role"]:
        yield "messages: roles have to alternate"
    if not before["content"]:
        yield "messages: content must not be empty"
    for block in before["content"]:
        if block["type"] == "text" and not block["text"].strip():
            yield "messages: text content blocks must contain non-whitespace text"
        if block["type"] == "thinking" and not block.get("signature"):
            yield "messages: thinking without signature"
    asked = [b["id"] for b in before["content"] if b["type"] == "tool_use"]
    content = after["content"] if after else ()
    answered = [b["tool_use_id"] for b in content if b["type"] == "tool_result"]
    if asked != answered:
        yield f"messages: tool_use ids {asked} were answered with tool_result blocks {answered}"


def events(reply: Say, usage: Mapping[str, Any], model: str) -> Iterator[tuple[str, Any]]:
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    yield "message_start", {"message": {**start, "stop_reason": None, "usage": dict(usage)}}
    for _ in range(reply.pings):
        time.sleep(reply.ping_s)
        yield "ping", {}
    for index, block in enumerate(reply.blocks):
        yield from _block_events(index, block)
    ended = {"stop_reason": reply.stop, "stop_sequence": None, "stop_details": reply.details}
    counted: dict[str, Any] = {"output_tokens": reply.written}
    if reply.iterations:
        counted["iterations"] = reply.iterations
    yield "message_delta", {"delta": ended, "usage": counted}
    yield "message_stop", {}


def _block_events(index: int, block: Block) -> Iterator[tuple[str, Any]]:
    empty, deltas = _taken_apart(block)
    yield "content_block_start", {"index": index, "content_block": empty}
    for delta in deltas:
        yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def _taken_apart(block: Block) -> tuple[Block, Iterable[Block]]:
    match block["type"]:
        case "text":
            halves = _halves(block["text"])
            return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves]
        case "thinking":
            halves = _halves(block["thinking"])
            deltas = [{"type": "thinking_delta", "thinking": half} for half in halves]
            signed = [{"type": "signature_delta", "signature": block["signature"]}]
            return {**block, "thinking": "", "signature": ""}, [*deltas, *signed]
        case "tool_use":
            given = block["input"]
            halves = _halves(given if isinstance(given, str) else json.dumps(given))
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
            return {**block, "input": {}}, deltas
        case "compaction":
            return {"type": "compaction", "content": None}, [
                {**block, "type": "compaction_delta"},
            ]
        case _:
            return block, []


def _halves(whole: str) -> tuple[str, str]:
    return whole[: len(whole) // 2], whole[len(whole) // 2 :]


class _Handler(BaseHTTPRequestHandler):
    home: ClassVar[ModelServer]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # many small events, none of which should wait

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        pass

    def do_GET(self) -> None:
        if self.home.abilities is None:
            self._send(404, {"type": "error", "error": {"type": "not_found_error"}})
            return
        if isinstance(self.home.abilities, Fail):
            fail = self.home.abilities
            error = {"type": fail.kind, "message": fail.message}
            self._send(fail.status, {"type": "error", "error": error})
            return
        told = {"type": "model", "id": self.path.rsplit("/", 1)[-1].split("?")[0]}
        named = {"display_name": "A model", "created_at": "2026-01-01T00:00:00Z"}
        self._send(200, {**told, **named, "lifecycle": "active", **self.home.abilities})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply, usage = self.home.take(body, {k.lower(): v for k, v in self.headers.items()})
        match reply:
            case Fail(status=0):
                self.close_connection = True
            case Fail():
                error = {"type": reply.kind, "message": reply.message}
                self._send(reply.status, {"type": "error", "error": error}, reply.headers)
            case Talk():
                self._begin(200, "text/html", {"content-length": str(len(reply.body))})
                self.wfile.write(reply.body)
            case Say():
                self._stream(reply, usage, body["model"])

    def _stream(self, reply: Say, usage: Mapping[str, Any], model: str) -> None:
        time.sleep(reply.pause_s)
        self._begin(200, "text/event-stream; charset=utf-8", {"transfer-encoding": "chunked"})
        for number, (name, data) in enumerate(events(reply, usage, model)):
            if number == reply.cut:
                break
            self._event(name, {"type": name, **data})
        else:
            self.close_connection = reply.drops
            self.wfile.write(b"" if reply.drops else b"0\r\n\r\n")
            return
        if reply.error is not None:
            self._event("error", {"type": "error", "error": reply.error})
        if reply.tidy or reply.error is not None:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def _event(self, name: str, data: Mapping[str, Any]) -> None:
        chunk = f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        self.wfile.flush()

    def _send(
        self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        sent = json.dumps(body).encode()
        length = {"content-length": str(len(sent))}
        self._begin(status, "application/json", {**length, **(headers or {})})
        self.wfile.write(sent)

    def _begin(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
