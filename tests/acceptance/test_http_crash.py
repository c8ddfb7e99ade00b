"""``kill -9`` in the middle of load, over and over: what was acknowledged is there, once.

Clients send all the while and retry, as the client of the package does by itself. Some give up at the first
failure: of those nobody knows what became of their records, but none may be there twice either. Beside them
people settle questions, take decisions back and have words erased.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from socket import socket
from string import ascii_lowercase
from threading import Condition, Event
from typing import Any

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.client import Client, Retries
from arbiter.errors import StaleRulingError, UnreachableError
from arbiter.wiring import now
from tests import light_service
from tests.acceptance.calling import born, calling, lives, told
from tests.acceptance.interrupted import STARTER
from tests.consistency import check_index, check_states
from tests.light_service import light_context

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Coimbra", "Aveiro")
CLIENTS = 4
ENDLESS = Retries(attempts=1_000_000, first_s=0.02, most_s=0.2, patience_s=3_600)
IMPATIENT = Retries(attempts=1)
PATIENCE_S = 120
# Through the store a record leads to a commit of its own or with others; kills fall anywhere in between.
FIRST_KILL, LAST_KILL = 2, 25


@dataclass
class Acknowledged:
    """Receipts as they come in, by the text of their record."""

    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: Condition = field(default_factory=Condition)

    def note(self, records: list[dict[str, Any]], receipts: list[Any]) -> None:
        """Note that records were acknowledged."""
        with self.changed:
            self.receipts |= {
                record["content"]: receipt for record, receipt in zip(records, receipts, strict=True)
            }
            self.changed.notify_all()

    def wait_for_more(self, count: int) -> None:
        """Wait until so many more records were acknowledged."""
        with self.changed:
            goal = len(self.receipts) + count
            assert self.changed.wait_for(lambda: len(self.receipts) >= goal, timeout=PATIENCE_S)


@contextmanager
def running(database: str, port: int) -> Iterator[None]:
    """Run a service until the block ends, and kill it there without any warning."""
    process = STARTER.Process(target=light_service.main, args=(database, str(port)))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def spelt(name: str, life: int, number: int) -> str:
    """Return a name that only one client has; numbers would look alike to the embedder of words."""
    return name + "".join(ascii_lowercase[int(digit)] for digit in f"{life:04}{number}")


def batches(name: str) -> Iterator[list[dict[str, Any]]]:
    """Yield what one client has to say: where somebody moved to, and a note for each move."""
    for number, city in enumerate(CITIES):
        move = lives(city, number + 1, name, by=name, ref=f"move {number}")
        note = told(f"{name} sent note {number}.", number + 1, by=name, ref=f"note {number}")
        yield [move, note]


def send(client: Client, name: str, acknowledged: Acknowledged) -> None:
    """Send everything, batch after batch, and note each receipt."""
    with client:
        for records in batches(name):
            try:
                receipts = client.submit(records)["receipts"]
            except UnreachableError:
                return
            acknowledged.note(records, receipts)


def decide(client: Client) -> None:
    """Settle a question, take a decision back and have a note erased, in a namespace of one's own."""
    with client:
        sent = [
            born("Faro"),
            born("Braga", 2, by="crm"),
            lives("Faro"),
            lives("Braga", 2),
            told("Forget me."),
        ]
        _, _, faro, _, note = (receipt["fact_id"] for receipt in client.submit(sent)["receipts"])
        # Whoever died meanwhile left its work to the next one, or to this.
        client.compile()
        (asked,) = client.reviews(status="all")
        with suppress(StaleRulingError):
            # It says so, too, where the answer to the ruling was lost.
            client.rule(asked, "keep_a", reviewer="eve")
        moved = next(e["detail"]["id"] for e in client.history(str(faro)) if e["kind"] == "decision")
        client.undo(moved, reviewer="eve")
        client.erase(str(note))


DECIDED = {
    "Bob was born in Faro.": "active",
    "Bob was born in Braga.": "tombstoned",
    "Ana lives in Faro.": "active",
    "Ana lives in Braga.": "active",
    "": "tombstoned",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where the store is kept: in a file, or on a server that stays up when a service is killed."""
    if request.param == "sqlite":
        return str(tmp_path / "facts.db")
    url: str = request.getfixturevalue("postgres_database")
    return url


def finish(sending: list[Future[None]], acknowledged: Acknowledged) -> None:
    """Wait until everybody is done: hundreds of them come back at once, so as long as anything moves."""
    for done in sending:
        before = -1
        while not done.done() and before < len(acknowledged.receipts):
            before = len(acknowledged.receipts)
            futures.wait([done], timeout=PATIENCE_S)
        done.result(0)


def test_what_was_acknowledged_is_there_once(database: str, kills: int) -> None:
    """Every record with a receipt, each as one fact with one sighting, and every state as it has to be."""
    port, draw, over = free_port(), Random(0), Event()
    url, acknowledged = f"http://127.0.0.1:{port}", Acknowledged()
    patient: list[str] = []

    def wait(pause_s: float) -> None:
        """Wait for the next attempt; there is none once a check has failed."""
        if over.wait(pause_s):
            raise KeyboardInterrupt

    with ThreadPoolExecutor(max_workers=(CLIENTS + 2) * (kills + 1)) as threads, ExitStack() as stack:
        stack.callback(over.set)
        sending: list[Future[None]] = []
        for life in range(kills + 1):
            with running(database, port):
                names = [spelt("Ana", life, number) for number in range(CLIENTS)]
                patient += names
                for name in names:
                    client = calling(url, retries=ENDLESS, sleep=wait)
                    sending.append(threads.submit(send, client, name, acknowledged))
                person = calling(url, retries=ENDLESS, sleep=wait, namespace=f"person {life}")
                sending.append(threads.submit(decide, person))
                hasty = calling(url, retries=IMPATIENT)
                if life:
                    sending.append(threads.submit(send, hasty, spelt("Bob", life, 0), acknowledged))
                if life < kills:
                    acknowledged.wait_for_more(draw.randint(FIRST_KILL, LAST_KILL))
                    continue
                finish(sending, acknowledged)
                check(url, acknowledged, patient)
    check_store(database, kills + 1)
    assert [integrity_of(database), events_told_twice(database)] == [[], []]


def integrity_of(database: str) -> list[str]:
    """Return what is wrong with a file; a server looks after its own."""
    return [] if "://" in database else integrity_faults(Path(database))


def events_told_twice(database: str) -> list[object]:
    """Return the events that have more than one sighting."""
    store = SqlStore(database, now)
    twice = "SELECT event_key FROM sightings GROUP BY namespace, event_key HAVING count(*) > 1"
    with store.reading() as connection:
        found = list(connection.exec_driver_sql(twice).scalars())
    store.close()
    return found


def check_store(database: str, people: int) -> None:
    """See that everything follows from the log and is found, and that what people decided is in force."""
    context = light_context(database)
    with closing(context.store):
        check_states(context)
        check_index(context)
        for name in (f"person {life}" for life in range(people)):
            there = check_states(context, name)
            check_index(context, name)
            stands = {fact.content: there.states[fact_id].state for fact_id, fact in there.facts.items()}
            assert stands == DECIDED
            rulings = [(ruling.kind.value, ruling.reviewer) for ruling in context.store.rulings(name)]
            assert rulings == [("keep_a", "eve"), ("undo", "eve")]


def check(url: str, acknowledged: Acknowledged, patient: list[str]) -> None:
    """Compare what is there with what was acknowledged."""
    with calling(url) as client:
        client.compile()
        facts = list(client.facts(state="all"))
        assert client.compile()["changed"] == 0
    said = {fact["content"]: fact for fact in facts}
    assert len(said) == len(facts)
    for content, receipt in acknowledged.receipts.items():
        assert receipt["outcome"] in ("stored", "unchanged"), receipt
        assert said[content]["fact_id"] == receipt["fact_id"]
    assert {len(fact["sightings"]) for fact in facts} == {1}
    everything = {record["content"] for name in patient for batch in batches(name) for record in batch}
    assert everything <= acknowledged.receipts.keys()
    for name in patient:
        moves = [said[f"{name} lives in {city}."] for city in CITIES]
        assert [fact["state"] for fact in moves] == ["superseded"] * 5 + ["active"]
        assert [fact["successor"] for fact in moves] == [*(fact["fact_id"] for fact in moves[1:]), None]
