"""
Spans for OpenTelemetry, where an operator asks for them by ``OTEL_EXPORTER_OTLP_ENDPOINT``: one for
each step of a session. Names and kinds only: what was said, by people or by errors, is not in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot import __version__
from bot.app.about import ids
from bot.app.engine import Beginning
from bot.core.entries import AnyFact
from bot.core.session import Session
from bot.core.steps import Step
from bot.wiring.serve_settings import NotConfigured

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
FLUSH_MS = 3_000


@dataclass(frozen=True, slots=True)
class Untraced:
    def hands(self, hands: Beginning) -> Beginning:
        return hands

    def end(self) -> None:
        """There is nothing to send."""


@dataclass(frozen=True, slots=True)
class Traced:
    provider: TracerProvider

    def hands(self, hands: Beginning) -> Beginning:
        return TracedHands(hands, self)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        from opentelemetry.trace import Status, StatusCode

        tracer = self.provider.get_tracer("jam")
        with tracer.start_as_current_span(
            name,
            attributes={f"jam.{key}": value for key, value in ids().items()},
            record_exception=False,  # its words may quote anything
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def end(self) -> None:
        """What was seen last is sent, as far as the time goes."""
        self.provider.force_flush(FLUSH_MS)


Tracing = Traced | Untraced
UNTRACED = Untraced()


@dataclass(frozen=True, slots=True)
class TracedHands:
    inner: Beginning
    traced: Traced

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        return self.inner.before(session)

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        with self.traced.span(type(step).__name__.lower()):
            return self.inner.perform(step, session)


def begin(environment: Mapping[str, str] | None = None) -> Tracing:
    env = os.environ if environment is None else environment
    endpoint = env.get(ENDPOINT, "").rstrip("/")
    if not endpoint:
        return UNTRACED
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise NotConfigured(
            f'{ENDPOINT} is set, and its packages are missing: pip install "jam[otel]"'
        ) from None
    about = Resource.create({"service.name": "jam", "service.version": __version__})
    provider = TracerProvider(resource=about, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
    return Traced(provider)
