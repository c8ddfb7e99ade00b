"""/metrics: what Prometheus is told, and who may look."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as families

from arbiter.domain.backlog import Waiting
from arbiter.errors import StoreUnavailableError
from arbiter.testing import TableJudge
from arbiter.web.metrics import Metrics
from arbiter.web.queue_figures import KEPT, QueueFigures
from tests.factories import day, verdict
from tests.unit.pipeline.conftest import DOWN
from tests.unit.web.conftest import told
from tests.unit.web.keyed import StillClock, serving

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

LISBON, PORTO = told("Ana lives in Lisbon.", subject="Ana"), told("Ana moved to Porto.", subject="Ana", day=2)
Numbers = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def numbers(client: TestClient) -> Numbers:
    """Return every sample by its name and sorted labels."""
    answer = client.get("/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (
        200,
        "text/plain; version=0.0.4; charset=utf-8",
    )
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families(answer.text)
        for sample in family.samples
    }


def at(found: Numbers, name: str, **labels: str) -> float | None:
    """Return one sample."""
    return found.get((f"arbiter_{name}", tuple(sorted(labels.items()))))


def submit(client: TestClient, *records: dict[str, Any], **headers: str) -> None:
    """Submit records."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    client.post("/v1/records", json={"records": records}, headers=sent).raise_for_status()


def test_only_keys_of_those_who_run_it_may_look() -> None:
    """These are the numbers of all namespaces: no key, no scope or one namespace is not enough."""
    with serving(keys=True) as served:
        client = served.client
        assert client().get("/metrics").status_code == 401
        assert client(served.make_key("read", "submit").token).get("/metrics").status_code == 403
        bound = client(served.make_key("admin", namespace="crm").token).get("/metrics")
        assert (bound.status_code, bound.json()["code"]) == (403, "forbidden")
        assert client(served.make_key("admin").token).get("/metrics").status_code == 200


def test_they_can_be_shown_to_everybody() -> None:
    """A setting says so, for a scraper that cannot send a key."""
    with serving(keys=True, serve_metrics_public=True) as served:
        elsewhere = served.client(address="203.0.113.9", base_url="http://arbiter.example")
        assert elsewhere.get("/metrics").status_code == 200
        assert elsewhere.get("/v1/facts").status_code == 401


def test_outcomes_and_relations_are_counted() -> None:
    """Records by outcome, refused ones too; pairs by what was found; the share of what was known already."""
    with serving(judge=TableJudge(otherwise=verdict("update"))) as served:
        client = served.client()
        submit(client, LISBON, PORTO, {"content": ""})
        submit(client, LISBON)
        found = numbers(client)
    assert at(found, "records_total", outcome="stored") == 2
    assert at(found, "records_total", outcome="unchanged") == 1
    assert at(found, "records_total", outcome="refused") == 1
    assert at(found, "duplicate_ratio") == pytest.approx(1 / 3)
    assert at(found, "relations_total", relation="update") == 1
    assert at(found, "batch_records_count") == 2
    assert at(found, "batch_records_sum") == 3
    assert at(found, "batch_requests_sum") == 2
    assert at(found, "stage_duration_seconds_count", stage="conclude") == 2
    assert at(found, "writer_waiting_records") == 0


def test_requests_are_counted_by_their_route() -> None:
    """Not by their address: ids and what callers look for never become labels."""
    with serving() as served:
        client = served.client()
        client.get("/v1/facts/fact_123")
        client.get("/v1/facts/fact_456")
        client.get("/secret/words?text=Ana")
        client.request("BREW", "/v1/facts")
        found = numbers(client)
    name = "http_request_duration_seconds_count"
    assert at(found, name, method="GET", route="/v1/facts/{fact_id}", status="404") == 2
    assert at(found, name, method="GET", route="unrouted", status="404") == 1
    assert at(found, name, method="other", route="/v1/facts", status="405") == 1
    assert "secret" not in str(found)
    assert "Ana" not in str(found)


def test_replayed_answers_are_counted() -> None:
    """A request that comes again under its key is no new one."""
    with serving() as served:
        client = served.client()
        for _ in range(3):
            submit(client, LISBON, Idempotency_Key="one")
        found = numbers(client)
    assert at(found, "idempotent_replays_total") == 2
    assert at(found, "records_total", outcome="stored") == 1


def test_what_waits_is_counted_with_its_age() -> None:
    """Questions by kind, pairs that no judge could tell; empty queues are told of, too."""
    clock = StillClock()
    with serving(clock=clock, judge=TableJudge(otherwise=DOWN)) as served:
        client = served.client()
        submit(client, LISBON, PORTO)
        clock.pass_by(minutes=10)
        found = numbers(client)
    assert at(found, "queue_items", queue="judge", kind="") == 1
    assert at(found, "queue_oldest_age_seconds", queue="judge", kind="") == 600
    assert at(found, "queue_items", queue="review", kind="unjudged") == 1
    assert at(found, "queue_oldest_age_seconds", queue="review", kind="unjudged") == 600
    assert at(found, "queue_items", queue="review", kind="conflict") == 0
    assert at(found, "queue_items", queue="unfinished", kind="") == 0
    assert at(found, "store_up") == 1


def test_namespaces_are_told_apart_on_request_only() -> None:
    """There may be very many, and their names may say a lot."""
    elsewhere = {**LISBON, "namespace": "crm"}
    with serving() as served:
        submit(served.client(), LISBON, elsewhere)
        assert "crm" not in str(numbers(served.client()))
    with serving(serve_metrics_namespaces=True) as served:
        submit(served.client(), LISBON, elsewhere)
        found = numbers(served.client())
    assert at(found, "records_total", outcome="stored", namespace="crm") == 1
    assert at(found, "records_total", outcome="stored", namespace="default") == 1


def test_openmetrics_is_spoken_to_those_who_ask_for_it() -> None:
    """The newer form is complete and ends as it should."""
    with serving() as served:
        accept = {"accept": "application/openmetrics-text; version=1.0.0"}
        answer = served.client().get("/metrics", headers=accept)
    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    names = {family.name for family in open_families(answer.text)}  # type: ignore[no-untyped-call]
    assert {"arbiter_records", "arbiter_duplicate_ratio", "arbiter_queue_items"} <= names


class Backlog:
    """A backlog that counts how often it is asked, and fails when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False

    def waiting(self) -> list[Waiting]:
        """Return one question."""
        self.asked += 1
        if self.fails:
            raise StoreUnavailableError
        return [Waiting("default", "review", "conflict", 3, day(99))]


def test_the_store_is_asked_once_in_a_while() -> None:
    """However many scrape; when it fails the other numbers are told all the same."""
    clock, backlog = StillClock(), Backlog()
    figures = QueueFigures(backlog, clock, namespaces=False)  # type: ignore[arg-type]
    for seconds in (0, 1, 2):
        clock.pass_by(seconds=seconds)
        text = Metrics().exposed("", figures)[0].decode()
        assert 'arbiter_queue_items{kind="conflict",queue="review"} 3.0' in text
        assert "arbiter_queue_oldest_age_seconds" in text
    assert (backlog.asked, KEPT) == (1, timedelta(seconds=5))
    backlog.fails = True
    clock.pass_by(seconds=10)
    text = Metrics().exposed("", figures)[0].decode()
    assert "arbiter_store_up 0.0" in text
    assert "arbiter_queue_items" not in text
    assert "arbiter_idempotent_replays_total 0.0" in text
