"""Changed requests to the service and changed files to the command line: refused whole, or kept as is told.

What the store holds is held against the receipts after every single input: a fact that no receipt tells of,
or a receipt of a fact that is not there, would be a part of something that was refused.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.cli import main
from arbiter.errors import ConfigurationError
from arbiter.interchange.review_files import ImportForm, read_rulings
from arbiter.settings import Settings
from arbiter.web.app import build
from arbiter.web.service import Service
from tests.acceptance.hostile import Operation, operations
from tests.acceptance.mutations import Mutator
from tests.acceptance.valid_inputs import FILES, MEDIA_TYPES, RECORDS, review_files
from tests.docs.openapi_document import document
from tests.exchange_cases import asking
from tests.factories import day
from tests.http_server import http_server
from tests.light_service import light_context
from tests.unit.web.keyed import HERE

if TYPE_CHECKING:
    import httpx

KEPT = {"stored", "unchanged", "merged", "held"}
PROBLEM = "application/problem+json"
LIFE = 200
"""Inputs after which a store is replaced by an empty one, so that looking through it stays quick."""
OTHERS = [
    operation
    for operation in operations(document())
    if operation.example is not None and operation.path != "/v1/records"
]


@pytest.fixture
def inputs(request: pytest.FixtureRequest) -> int:
    """Return how many inputs to try altogether."""
    count: int = request.config.getoption("--inputs")
    return count


@dataclass
class Watched:
    """A service, and what its receipts have told: facts by namespace, and how often each was seen."""

    arbiter: Arbiter
    client: httpx.Client | TestClient
    told: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    statuses: Counter[int] = field(default_factory=Counter)

    def send(self, path: str, body: bytes, media_type: str, method: str = "POST", **query: str) -> Any:
        """Send a body and return the answer, which is one of ours."""
        headers = {"Content-Type": media_type}
        answer = self.client.request(method, path, content=body, headers=headers, params=query)
        self.statuses[answer.status_code] += 1
        assert answer.status_code < 500, (path, body[:2_000], answer.text)
        assert "Traceback" not in answer.text
        if answer.status_code >= 400:
            problem = answer.json()
            assert answer.headers["content-type"] == PROBLEM
            assert problem["code"]
            assert 0 < len(problem["detail"]) < 4_000, problem["detail"]
            assert problem["field"] is None or 0 < len(problem["field"]) < 1_000
        return answer

    def note(self, receipts: Iterable[Mapping[str, Any]]) -> None:
        """Take note of receipts, and see that the store holds what they tell and nothing else."""
        for receipt in receipts:
            if receipt["outcome"] in KEPT:
                self.told[receipt["namespace"]][receipt["fact_id"]] += 1
            else:
                assert (receipt["outcome"], receipt["stored"]) == ("refused", False)
                assert receipt["reason"]["message"]
        held = {
            namespace: {
                view.fact.id: view.fact.seen_count
                for view in self.arbiter.facts(namespace=namespace, state=None)
            }
            for namespace in self.arbiter.context.store.namespaces()
        }
        assert held == {namespace: dict(facts) for namespace, facts in self.told.items()}


@contextmanager
def in_process(arbiter: Arbiter) -> Iterator[Watched]:
    """Serve an arbiter without a socket."""
    app = build(Settings(judge="none", serve_linger_ms=0), lambda settings: Service(arbiter, settings))
    with TestClient(app, base_url=HERE, client=("127.0.0.1", 50_000)) as client:
        yield Watched(arbiter, client)


@contextmanager
def on_socket(arbiter: Arbiter) -> Iterator[Watched]:
    """Serve an arbiter on a real one."""
    with http_server(arbiter, serve_linger_ms=0) as running:
        yield Watched(arbiter, running.client)


def receipts_of(answer: Any, *, stream: bool) -> list[dict[str, Any]]:
    """Return the receipts of an answer; of one that refuses everything those that it has."""
    if stream and answer.status_code == 200:
        *receipts, end = map(json.loads, answer.text.splitlines())
        assert (end["end"], end["records"], end.get("problem")) == (True, len(receipts), None)
        return receipts
    found: list[dict[str, Any]] = answer.json().get("receipts", [])
    return found


def submit(watched: Watched, draw: Mutator, number: int) -> None:
    """Send some records, changed one by one, all together or as bytes, at once or as a stream."""
    some = [RECORDS[(number + place) % len(RECORDS)] for place in range(1 + number % 3)]
    changed = [draw.value(record) if draw.draw.random() < 0.6 else record for record in some]
    if number % 3 == 0:
        body = b"\n".join(map(draw.written, changed))
        answer = watched.send("/v1/records/stream", body, "application/x-ndjson")
        watched.note(receipts_of(answer, stream=True))
        return
    value = draw.value({"records": changed}) if number % 3 == 1 else {"records": changed}
    answer = watched.send("/v1/records", draw.written(value), "application/json")
    watched.note(receipts_of(answer, stream=False))


@pytest.mark.parametrize(("serve", "share"), [(in_process, 9), (on_socket, 0.5)], ids=["app", "socket"])
def test_changed_submissions(serve: Any, share: float, inputs: int, tmp_path: Path) -> None:
    """Of each hundred inputs nine go to the app and one in two hundred through a real server."""
    draw, number = Mutator("submissions"), max(20, int(inputs * share / 100))
    statuses: Counter[int] = Counter()
    for life in range(0, number, LIFE):
        with Arbiter(light_context(str(tmp_path / f"{life}.db"))) as arbiter, serve(arbiter) as watched:
            for n in range(life, min(life + LIFE, number)):
                submit(watched, draw, n)
        statuses += watched.statuses
    assert set(statuses) <= {200, 207, 400, 413, 422}
    assert statuses[200] + statuses[207] > number // 10


def test_changed_requests_of_other_kinds(inputs: int, tmp_path: Path) -> None:
    """Of each hundred inputs one is a question, an answer or an order; no fact comes or goes by it."""
    draw, number = Mutator("requests"), max(60, inputs // 100)
    store = SqlStore(tmp_path / "facts.db", lambda: day(100))
    with Arbiter(light_context(str(tmp_path / "facts.db"))) as arbiter, in_process(arbiter) as watched:
        answer = watched.send("/v1/records", json.dumps({"records": RECORDS}).encode(), "application/json")
        watched.note(receipts_of(answer, stream=False))
        for n in range(number):
            operation: Operation = OTHERS[n % len(OTHERS)]
            body = draw.written(draw.value(operation.example))
            watched.send(operation.at(), body, "application/json", operation.method)
        watched.note([])
    store.close()


@pytest.fixture
def desk() -> Iterator[tuple[Watched, dict[ImportForm, bytes]]]:
    """Return a service that asks questions, and filled-in files."""
    with asking() as arbiter, in_process(arbiter) as watched:
        yield watched, review_files(arbiter)


def test_changed_imports(inputs: int, desk: tuple[Watched, dict[ImportForm, bytes]]) -> None:
    """Of each two hundred inputs one is a file of answers; as many rulings come as the report says."""
    watched, files = desk
    draw, applied = Mutator("imports"), 0
    for n in range(max(24, inputs // 200)):
        form = list(files)[n % len(files)]
        body = draw.file(files[form])
        before = rulings(watched.arbiter)
        answer = watched.send("/v1/reviews/import", body, MEDIA_TYPES[form], format=form)
        if answer.status_code < 400:
            report = answer.json()
            new = sum(line["status"] == "applied" for line in report["lines"])
            assert new == report["applied"] == rulings(watched.arbiter) - before
            assert all(line["message"] for line in report["lines"] if line["status"] in ("invalid", "stale"))
            applied += new
        else:
            assert rulings(watched.arbiter) == before
            with pytest.raises(ConfigurationError):
                read_rulings(BytesIO(body), form)
    assert applied > 5


def rulings(arbiter: Arbiter) -> int:
    """Return how many rulings there are, the retracted ones too."""
    store = arbiter.context.store
    ids = sorted(store.fact_ids("default"))
    pairs = [(a, b) for a in ids for b in ids if a < b]
    return len(store.rulings_on("default", pairs))


def test_changed_files_on_the_command_line(inputs: int, tmp_path: Path) -> None:
    """Of each thousand inputs one is a file that is submitted; the store has what is printed."""
    draw = Mutator("commands")
    ended: Counter[int] = Counter()
    for n in range(max(2, inputs // 1_000)):
        name = list(FILES)[n % len(FILES)]
        (tmp_path / name).write_bytes(draw.file(FILES[name]))
        database = tmp_path / f"{n}.db"
        done = CliRunner(env={"ARBITER_JUDGE": "none"}).invoke(
            main, ["submit", str(tmp_path / name), "--json", "--db", str(database)], catch_exceptions=False
        )
        ended[done.exit_code] += 1
        assert "Traceback" not in done.output
        receipts = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.exit_code == (
            2 if "Error: configuration" in done.stderr else 1 if refused(receipts) else 0
        )
        with Arbiter.open(database, Settings(judge="none")) as arbiter:
            watched = Watched(arbiter, None)  # type: ignore[arg-type]  # nothing is sent
            watched.note(receipts)
    assert set(ended) <= {0, 1, 2}


def refused(receipts: Iterable[Mapping[str, Any]]) -> bool:
    """Is any of the records refused?"""
    return any(receipt["outcome"] == "refused" for receipt in receipts)
