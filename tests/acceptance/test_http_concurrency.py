"""Many clients at once, on one process and on two: one fact, consistent receipts, never two winners."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TypeVar

import pytest

from arbiter.client import Client, Fact, Receipt
from tests.acceptance.calling import born, calling, lives, told
from tests.http_server import ServeProcess, serve_process
from tests.postgres_server import PostgresServer

T = TypeVar("T")
CLIENTS = 64
NAMES = (
    "Ada Ben Cleo Dora Emil Fay Gus Hal Ida Jon Kay Lou Mia Ned Oda Pia Quin Rob Sue Tom Una Vic Wes Yul"
).split()
PATIENCE_S = 60


@pytest.fixture(
    scope="module",
    params=[("sqlite", 1), ("sqlite", 2), ("postgresql", 2)],
    ids=["one process", "two processes", "two processes on PostgreSQL"],
)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServeProcess]:
    """Run ``arbiter serve`` with that many workers, where claim keys judge and no model does."""
    kept_in, workers = request.param
    folder = tmp_path_factory.mktemp("concurrency")
    variables = {"min_similarity": "0.99"}
    if kept_in == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        variables["database_url"] = server.new()
    with serve_process(folder, "--workers", str(workers), "--judge", "none", **variables) as running:
        yield running


def at_once(url: str, namespace: str, count: int, work: Callable[[Client, int], T]) -> list[T]:
    """Let so many clients, each with a connection of its own, begin at the same moment."""
    ready = Barrier(count)

    def one(number: int) -> T:
        with calling(url, namespace=namespace, sleep=lambda _: time.sleep(0.02)) as client:
            client.policy()
            ready.wait(PATIENCE_S)
            return work(client, number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def receipt_of(client: Client, record: dict[str, object], key: str | None = None) -> Receipt:
    """Submit one record and return its receipt."""
    (receipt,) = client.submit([record], key=key)["receipts"]
    return receipt


def test_one_record_of_64_clients_is_one_fact(served: ServeProcess) -> None:
    """The event counts once, whoever brings it: one receipt says stored, the others that it was known."""
    record = told("The lift is out of order.", ref="note:1")
    receipts = at_once(served.url, "same", CLIENTS, lambda client, _: receipt_of(client, record))
    assert sorted(receipt["outcome"] for receipt in receipts) == ["stored"] + ["unchanged"] * (CLIENTS - 1)
    assert (
        len({(receipt["fact_id"], receipt["event_key"], receipt["namespace"]) for receipt in receipts}) == 1
    )
    # To another process it is pending as long as the one that was first judges it.
    assert {receipt["state"] for receipt in receipts} <= {"active", "pending"}
    with calling(served.url, namespace="same") as client:
        (fact,) = client.facts(state="all")
        assert (fact["fact_id"], fact["state"]) == (receipts[0]["fact_id"], "active")
        assert (len(fact["sightings"]), fact["seen_count"]) == (1, CLIENTS)


def test_64_sources_of_one_statement_are_64_sightings(served: ServeProcess) -> None:
    """None of them is lost, and none of them makes a second fact."""
    receipts = at_once(
        served.url,
        "sources",
        CLIENTS,
        lambda client, number: receipt_of(client, told("The gate is open.", by=f"guard:{number:02}")),
    )
    assert sorted(receipt["outcome"] for receipt in receipts) == ["merged"] * (CLIENTS - 1) + ["stored"]
    with calling(served.url, namespace="sources") as client:
        (fact,) = client.facts(state="all")
        assert fact["sources"] == [f"guard:{number:02}" for number in range(CLIENTS)]


def test_one_key_of_16_clients_is_one_request(served: ServeProcess) -> None:
    """Whoever comes while it is carried out waits, and all get the same receipt."""
    record = told("The boiler was serviced.")
    receipts = at_once(served.url, "key", 16, lambda client, _: receipt_of(client, record, key="job 1"))
    assert [receipt == receipts[0] for receipt in receipts] == [True] * 16
    assert receipts[0]["outcome"] == "stored"
    with calling(served.url, namespace="key") as client:
        (fact,) = client.facts(state="all")
        assert fact["seen_count"] == 1


def current(facts: list[Fact]) -> dict[str, list[Fact]]:
    """Return the facts that stand unmarked, by subject."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact["state"] == "active" and not fact["contested"]:
            found.setdefault(fact["subject"] or "", []).append(fact)
    return found


def watch(url: str, namespace: str, over: Event) -> int:
    """Read again and again until it is over, and see that nobody is in two places at once."""
    looks = 0
    with calling(url, namespace=namespace) as client:
        while not over.is_set():
            standing = current(list(client.facts(limit=1000)))
            assert [facts for facts in standing.values() if len(facts) > 1] == []
            looks += 1
    return looks


def test_of_two_contradicting_facts_at_once_neither_is_current_unmarked(served: ServeProcess) -> None:
    """Not for a moment, as far as a reader can see; in the end both are contested, and a person is asked."""
    over = Event()

    def contradict(client: Client, number: int) -> Receipt:
        city, day = (("Faro", 1), ("Braga", 2))[number % 2]
        return receipt_of(client, born(city, day, NAMES[number // 2], by=f"chat:{number % 2}"))

    with ThreadPoolExecutor(1) as reader:
        looking = reader.submit(watch, served.url, "born", over)
        try:
            receipts = at_once(served.url, "born", 2 * len(NAMES), contradict)
        finally:
            over.set()
        assert looking.result(PATIENCE_S) > 0
    assert {receipt["outcome"] for receipt in receipts} == {"stored"}
    with calling(served.url, namespace="born") as client:
        facts = list(client.facts(state="all"))
        assert {(fact["state"], fact["contested"]) for fact in facts} == {("active", True)}
        assert len(facts) == 2 * len(NAMES)
        assert client.review_counts()["open"] == len(NAMES)
        assert client.compile(namespace="born")["changed"] == 0


def test_of_two_changes_at_once_the_later_one_stands(served: ServeProcess) -> None:
    """Whichever is committed first: where somebody lives was observed on two days."""

    def move(client: Client, number: int) -> Receipt:
        city, day = (("Lisbon", 1), ("Porto", 2))[number % 2]
        return receipt_of(client, lives(city, day, NAMES[number // 2], by=f"chat:{number % 2}"))

    at_once(served.url, "lives", 2 * len(NAMES), move)
    with calling(served.url, namespace="lives") as client:
        standing = current(list(client.facts(limit=1000)))
        assert {subject: [fact["value"] for fact in facts] for subject, facts in standing.items()} == {
            name.lower(): ["Porto"] for name in NAMES
        }
        assert client.compile(namespace="lives")["changed"] == 0
