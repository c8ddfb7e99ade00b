"""Traces: which part of a request took how long, where a collector is named; nothing at all elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from arbiter.api import Arbiter
from arbiter.judges.llm import LlmJudge
from arbiter.settings import Settings
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from arbiter.web.app import build
from arbiter.web.metrics import Metrics
from arbiter.web.otel import OtelTraces
from arbiter.web.service import Service
from arbiter.web.telemetry import Telemetry
from arbiter.web.traces import NoTraces, open_traces
from tests.chat import PROMPT, Client, all_unrelated
from tests.collector import Collector, collecting
from tests.unit.pipeline.conftest import context_on
from tests.unit.web.conftest import told
from tests.unit.web.keyed import HERE, StillClock

ANA, ANA_LATER = told("Ana lives in Lisbon.", subject="Ana"), told("Ana moved.", subject="Ana", day=2)
TRACE = "0af7651916cd43dd8448eb211c80319c"


@contextmanager
def traced() -> Iterator[tuple[TestClient, InMemorySpanExporter]]:
    """Serve with a language model that is a script, and collect the spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry(Metrics(), OtelTraces(provider))
    watch = telemetry.instruments
    judge = watch.judge(LlmJudge(watch.client(Client(all_unrelated)), PROMPT))
    clock = StillClock()
    context = replace(context_on(MemoryStore(clock), TableJudge()), judge=judge, clock=clock)
    app = build(Settings(judge="none"), lambda chosen: Service(Arbiter(context), chosen, telemetry))
    with TestClient(app, base_url=HERE, client=("127.0.0.1", 1)) as client:
        yield client, exporter


def ids(span: ReadableSpan) -> tuple[int, int]:
    """Return the ids of a span's trace and of the span."""
    context = span.get_span_context()
    assert context is not None
    return context.trace_id, context.span_id


def tree(spans: tuple[ReadableSpan, ...], parent: int | None = None) -> list[Any]:
    """Return the names of spans as a tree, siblings in the order in which they began."""
    below = [span for span in spans if (span.parent.span_id if span.parent else None) == parent]
    below.sort(key=lambda span: span.start_time or 0)
    return [(span.name, tree(spans, ids(span)[1])) for span in below]


def by_name(spans: tuple[ReadableSpan, ...], name: str) -> ReadableSpan:
    """Return the only span of a name."""
    (found,) = [span for span in spans if span.name == name]
    return found


def test_a_submission_is_a_tree_of_spans() -> None:
    """Request, batch, stages, judge, and the call of the language model, whatever threads they run on."""
    with traced() as (client, exporter):
        answer = client.post("/v1/records", json={"records": [ANA, ANA_LATER]})
        spans = exporter.get_finished_spans()
    judged: tuple[str, list[Any]] = ("arbiter.judge", [("chat test/model", [])])
    written = [("arbiter.arrive", []), ("arbiter.investigate", [judged]), ("arbiter.conclude", [])]
    stages = [("arbiter.prepare", []), *written]
    assert tree(spans) == [("POST /v1/records", [("arbiter.batch", stages)])]
    request = by_name(spans, "POST /v1/records").attributes or {}
    assert (request["http.route"], request["http.response.status_code"]) == ("/v1/records", 200)
    assert request["arbiter.request_id"] == answer.headers["X-Request-Id"]
    assert request["arbiter.receipts"] == tuple(r["receipt_id"] for r in answer.json()["receipts"])
    call = by_name(spans, "chat test/model").attributes or {}
    assert (call["gen_ai.usage.input_tokens"], call["gen_ai.usage.output_tokens"]) == (50, 10)
    assert (call["arbiter.requests"], call["arbiter.usd"]) == (1, 0.5)
    assert "Lisbon" not in str([span.to_json() for span in spans])


def test_work_on_other_threads_belongs_to_its_request() -> None:
    """Pairs to classify are judged on a reading thread."""
    with traced() as (client, exporter):
        client.post("/v1/classify", json={"pairs": [{"a": ANA, "b": ANA_LATER}]})
        spans = exporter.get_finished_spans()
    assert tree(spans) == [("POST /v1/classify", [("arbiter.judge", [("chat test/model", [])])])]


def test_a_trace_of_the_caller_goes_on() -> None:
    """The W3C header says which; without it, or with nonsense, a new one begins."""
    with traced() as (client, exporter):
        for sent in (f"00-{TRACE}-b7ad6b7169203331-01", "nonsense"):
            client.get("/v1/policy", headers={"traceparent": sent})
        first, second = exporter.get_finished_spans()
    assert ids(first)[0] == int(TRACE, 16)
    assert ids(second)[0] != int(TRACE, 16)


def test_what_fails_is_marked_without_its_words() -> None:
    """The kind of the error is an attribute; no event holds its message."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.raises(ValueError, match="emeralds"), OtelTraces(provider).span("work"):
        raise ValueError("Ana hides the emeralds")
    (span,) = exporter.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "ValueError"
    assert (span.status.is_ok, span.events) == (False, ())
    assert "emeralds" not in span.to_json()


def test_a_batch_for_several_requests_is_linked_with_each() -> None:
    """It is part of no single one of them."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    traces = OtelTraces(provider)
    contexts = []
    for name in ("one", "other"):
        with traces.span(name):
            contexts.append(copy_context())
    with traces.batch(contexts):
        pass
    one, other, batch = exporter.get_finished_spans()
    assert batch.parent is None
    linked = [link.context.span_id for link in batch.links]
    assert linked == [ids(span)[1] for span in (one, other)]


def test_probes_are_not_traced() -> None:
    """They come every few seconds."""
    with traced() as (client, exporter):
        for path in ("/healthz", "/readyz", "/metrics"):
            client.get(path)
        assert exporter.get_finished_spans() == ()


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Return a running collector."""
    with collecting() as server:
        yield server


def test_spans_go_to_the_collector_that_is_named(collector: Collector) -> None:
    """Over HTTP, in the form of OTLP, under the name of the service; closing sends what was left."""
    traces = open_traces(Settings(serve_traces_url=f"{collector.url}/"))
    with traces.span("a piece of work"):
        pass
    traces.close()
    ((path, body),) = collector.got
    assert path == "/v1/traces"
    assert b"a piece of work" in body
    assert b"service.name" in body


def test_nobody_else_sends_anything(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    """What FastAPI would send by itself, bodies and messages of errors, stays where it is."""
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    with traced() as (client, exporter):
        assert client.post("/v1/search", json={"text": 7, "limit": "emeralds"}).status_code == 422
    assert len(exporter.get_finished_spans()) == 1
    assert collector.got == []


def test_without_a_collector_nothing_is_imported() -> None:
    """A service that does not trace loads neither SDK nor exporter; the interfaces come with FastAPI."""
    assert isinstance(open_traces(Settings()), NoTraces)
    script = (
        "import sys; from arbiter.settings import Settings; from arbiter.web.app import build;"
        "from fastapi.testclient import TestClient\n"
        "with TestClient(build(Settings(database=':memory:', judge='none'))) as client:\n"
        "    assert client.get('/readyz').status_code == 200\n"
        "heavy = ('opentelemetry.sdk', 'opentelemetry.exporter')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
