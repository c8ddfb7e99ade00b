"""Traces by way of OpenTelemetry; imported only where the settings name a collector.

The usual ``OTEL_…`` variables say the rest: headers of the exporter, sampler, name of the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import Context
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.context import Context as OtelContext
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from arbiter.web.traces import NOTHING, Attributes, Span

_UNNAMED = "unknown_service"


class OtelSpan:
    """Implements ``Span``."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    @property
    def trace_id(self) -> str | None:
        """The id of the trace, in hex."""
        return trace.format_trace_id(self._span.get_span_context().trace_id)

    def rename(self, name: str) -> None:
        """See ``Span.rename``."""
        self._span.update_name(name)

    def note(self, attributes: Attributes) -> None:
        """See ``Span.note``."""
        self._span.set_attributes(dict(attributes))

    def fail(self, kind: str) -> None:
        """See ``Span.fail``."""
        self._span.set_attribute("error.type", kind)
        self._span.set_status(trace.StatusCode.ERROR)


class OtelTraces:
    """Implements ``Traces``."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("arbiter", version("arbiter"))

    @classmethod
    def to(cls, url: str) -> OtelTraces:
        """Return traces that go to the collector at an address."""
        resource = Resource.create()
        if str(resource.attributes.get(SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED):
            resource = resource.merge(Resource({SERVICE_NAME: "arbiter"}))
        provider = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(exporter))
        return cls(provider)

    def span(self, name: str, attributes: Attributes = NOTHING) -> AbstractContextManager[Span]:
        """See ``Traces.span``."""
        return self._opened(name, trace.SpanKind.INTERNAL, attributes=attributes)

    def request(self, method: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:
        """See ``Traces.request``; reads the W3C header ``traceparent``."""
        parent = TraceContextTextMapPropagator().extract(headers)
        return self._opened(
            method, trace.SpanKind.SERVER, parent=parent, attributes={"http.request.method": method}
        )

    def batch(self, contexts: Sequence[Context]) -> AbstractContextManager[Span]:
        """See ``Traces.batch``. Work for one request is part of it; work for several is linked with each."""
        spans = [context.run(trace.get_current_span) for context in contexts]
        if len(spans) == 1:
            parent, links = trace.set_span_in_context(spans[0]), []
        else:
            parent, links = None, [trace.Link(span.get_span_context()) for span in spans]
        return self._opened("arbiter.batch", trace.SpanKind.INTERNAL, parent=parent, links=links)

    def close(self) -> None:
        """See ``Traces.close``."""
        self._provider.shutdown()

    @contextmanager
    def _opened(
        self,
        name: str,
        kind: trace.SpanKind,
        *,
        parent: OtelContext | None = None,
        links: Sequence[trace.Link] = (),
        attributes: Attributes = NOTHING,
    ) -> Iterator[Span]:
        # The words of an error may quote a fact; its kind is enough.
        with self._tracer.start_as_current_span(
            name,
            parent,
            kind,
            dict(attributes),
            links,
            record_exception=False,
            set_status_on_exception=False,
        ) as opened:
            span = OtelSpan(opened)
            try:
                yield span
            except BaseException as error:
                span.fail(type(error).__name__)
                raise
