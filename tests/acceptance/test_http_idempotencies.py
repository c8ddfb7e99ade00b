"""The four idempotencies, over HTTP. Read from top to bottom: each test is one promise.

A request, an event, a merge and a derivation can each come twice, and each time nothing happens twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, permutations
from pathlib import Path
from typing import Any

import httpx
import pytest

from arbiter.client import Client, Fact
from arbiter.errors import IdempotencyKeyReusedError
from tests.acceptance.calling import Loses, born, calling, lives, told
from tests.http_server import HttpServer, http_server

_names = count()


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    """Return a service with the packaged embedder, where claim keys judge and no model does."""
    with http_server(min_similarity=0.99) as running:
        yield running


@pytest.fixture
def client(server: HttpServer) -> Iterator[Client]:
    """Return a client with a namespace of its own."""
    with calling(server.url, namespace=f"twice-{next(_names)}") as made:
        yield made


def only_fact(client: Client) -> Fact:
    """Return the one fact of a client's namespace."""
    (fact,) = client.facts(state="all")
    return fact


# 1. Request: the same Idempotency-Key and body returns the stored receipts.


def test_a_request_sent_twice_is_carried_out_once(client: Client) -> None:
    """The second answer is the first one: same receipt, nothing counted."""
    first = client.submit([lives("Lisbon")], key="job 17")
    second = client.submit([lives("Lisbon")], key="job 17")
    assert second == first
    assert second["receipts"][0]["outcome"] == "stored"
    assert only_fact(client)["seen_count"] == 1


def test_a_request_whose_answer_got_lost_is_carried_out_once(server: HttpServer) -> None:
    """The client cannot know what became of it, sends it again, and gets the answer that was lost."""
    line = Loses(is_lost=lambda number: number <= 2)
    with calling(server.url, namespace="lost", transport=line, sleep=lambda _: None) as client:
        answer = client.submit([lives("Lisbon")])
        assert (line.sent, len(set(line.lost))) == (3, 1)
        assert answer["receipts"][0]["outcome"] == "stored"
        assert only_fact(client)["seen_count"] == 1


def test_another_body_under_the_same_key_is_refused(client: Client) -> None:
    """By the name of the first field that differs; the record is not kept."""
    client.submit([lives("Lisbon")], key="job 18")
    with pytest.raises(IdempotencyKeyReusedError, match=r"records\.0\.value: differs") as caught:
        client.submit([{**lives("Lisbon"), "value": "Porto"}], key="job 18")
    assert caught.value.field == "records.0.value"
    assert only_fact(client)["seen_count"] == 1


def test_the_answer_outlives_the_service(tmp_path: Path) -> None:
    """After a restart on the same store the key still has its receipts."""
    answers = []
    for _ in range(2):
        with http_server(database=str(tmp_path / "facts.db")) as running, calling(running.url) as client:
            answers.append(client.submit([lives("Lisbon")], key="job 19"))
            assert only_fact(client)["seen_count"] == 1
    assert answers[0] == answers[1]


# 2. Delivery: an event that is read again is a touch, never a second sighting.


def test_an_event_read_again_is_a_touch(client: Client) -> None:
    """A year later too, under whatever key, even in other words: the source's own reference tells."""
    (first,) = client.submit([lives("Lisbon", ref="msg:1")])["receipts"]
    later = {**lives("Lisbon", ref="msg:1"), "observed_at": "2026-01-01T09:00:00Z"}
    for _ in range(3):
        (again,) = client.submit([later])["receipts"]
        assert (again["outcome"], again["stored"]) == ("unchanged", False)
        assert (again["fact_id"], again["event_key"]) == (first["fact_id"], first["event_key"])
    fact = only_fact(client)
    assert (len(fact["sightings"]), fact["seen_count"]) == (1, 4)
    assert fact["last_seen"].startswith("2026-01-01")


def test_another_source_is_another_sighting(client: Client) -> None:
    """That is corroboration, not a repetition: two sources, and each of them counts once."""
    client.submit([lives("Lisbon"), lives("Lisbon", 2, by="chat:2"), lives("Lisbon", 3, by="chat:2")])
    fact = only_fact(client)
    assert (fact["sources"], len(fact["sightings"]), fact["seen_count"]) == (["chat:1", "chat:2"], 2, 3)


# 3. Merge: the outcome depends neither on the order of arrival nor on repetition.


def ended(client: Client) -> dict[str, tuple[Any, ...]]:
    """Return how every statement of a namespace stands, by what it says."""
    facts = {fact["fact_id"]: fact for fact in client.facts(state="all")}
    return {
        fact["content"]: (
            fact["state"],
            fact["state_reason"],
            fact["contested"],
            facts[fact["successor"]]["content"] if fact["successor"] else None,
            fact["sources"],
        )
        for fact in facts.values()
    }


STORY = [
    lives("Lisbon", 1),
    lives("Porto", 2, by="chat:2"),
    born("Faro", 3),
    born("Braga", 4, by="chat:2"),
]


@pytest.mark.parametrize(
    "order", list(permutations(range(len(STORY)))), ids=lambda order: "".join(map(str, order))
)
def test_the_order_of_arrival_decides_nothing(order: Sequence[int], server: HttpServer) -> None:
    """Whoever speaks first: Ana lives in Porto now, and where Bob was born is for a person to say."""
    with calling(server.url, namespace=f"order-{order}") as client:
        for place in order:
            client.submit([STORY[place]])
        for place in reversed(order):
            client.submit([STORY[place]])
        assert ended(client) == {
            "Ana lives in Lisbon.": ("superseded", "update", False, "Ana lives in Porto.", ["chat:1"]),
            "Ana lives in Porto.": ("active", None, False, None, ["chat:2"]),
            "Bob was born in Faro.": ("active", None, True, None, ["chat:1"]),
            "Bob was born in Braga.": ("active", None, True, None, ["chat:2"]),
        }
        assert client.review_counts()["open"] == 1


# 4. Derivation: compiling twice creates nothing; from scratch it gives what living through it gave.


def test_compiling_again_creates_nothing(client: Client) -> None:
    """Neither decisions nor states nor questions, however often."""
    client.submit(STORY)
    before = ended(client)
    for from_scratch in (False, True, True, False):
        done = client.compile(from_scratch=from_scratch)
        assert (done["created"] if not from_scratch else 0, done["changed"], done["retried"]) == (0, 0, 0)
        assert ended(client) == before
        assert client.review_counts()["open"] == 1


def test_what_people_decided_survives_compiling_from_scratch(client: Client) -> None:
    """A ruling and an undo are part of the log, not of what is derived from it."""
    receipts = client.submit(STORY)["receipts"]
    (item,) = client.reviews()
    client.rule(item, "keep_a", reviewer="kim")
    client.undo(receipts[1]["decisions"][0]["id"], reviewer="kim")
    before = ended(client)
    assert before["Bob was born in Braga."][:2] == ("tombstoned", "ruling")
    assert before["Ana lives in Lisbon."][0] == "active"
    client.compile(from_scratch=True)
    assert ended(client) == before
    assert client.review_counts()["open"] == 0


def test_without_a_key_the_event_still_counts_once(server: HttpServer) -> None:
    """Whoever sends no Idempotency-Key at all is safe from second copies, too."""
    body = {"records": [told("The lift is out of order.", ref="note:1", namespace="plain")]}
    for _ in range(3):
        answer = httpx.post(f"{server.url}/v1/records", json=body, trust_env=False)
        assert answer.status_code == 200
    with calling(server.url, namespace="plain") as client:
        fact = only_fact(client)
        assert (len(fact["sightings"]), fact["seen_count"]) == (1, 3)
