"""Spans as a collector gets them, over the real exporter: which steps, of what, and no words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bot.app.about import about
from bot.core.entries import AnyFact, Stopped
from bot.core.session import Session
from bot.core.steps import Finish, Prepare, Step
from bot.wiring import tracing

SECRET = "hunter2 in the words of an error"
Span = tuple[str, dict[str, str], str]


class Hands:
    def before(self, session: Session) -> tuple[AnyFact, ...]:
        return ()

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        if isinstance(step, Finish):
            raise ValueError(SECRET)
        return (Stopped(by="ada"),)


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", bodies
        finally:
            server.shutdown()
            thread.join()


def spans(bodies: list[bytes]) -> list[Span]:
    return [
        (
            span.name,
            {each.key: each.value.string_value for each in span.attributes},
            span.status.message,
        )
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_each_step_is_a_span_of_its_session_and_no_words_go_out() -> None:
    with collector() as (url, bodies):
        traced = tracing.begin({tracing.ENDPOINT: url})
        assert isinstance(traced, tracing.Traced)
        hands = traced.hands(Hands())
        with about(session="s1", run="2"):
            facts = hands.perform(Prepare(), Session())
            with pytest.raises(ValueError, match="hunter2"):
                hands.perform(Finish(), Session())
        traced.end()
        traced.provider.shutdown()
    ids = {"jam.session": "s1", "jam.run": "2"}

    assert facts == (Stopped(by="ada"),)
    assert spans(bodies) == [("prepare", ids, ""), ("finish", ids, "ValueError")]
    assert not any(b"hunter2" in body for body in bodies)


def test_nobody_asked_for_spans_and_nothing_is_wrapped() -> None:
    hands = Hands()

    assert tracing.begin({}).hands(hands) is hands
