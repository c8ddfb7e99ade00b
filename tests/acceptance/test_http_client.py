"""The client against the service, over a real socket: what a program does with it all day."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from arbiter import Record, Source, SourceKind
from arbiter.cli import main
from arbiter.client import AsyncClient, Client
from arbiter.errors import (
    ForbiddenError,
    NotFoundError,
    ScopeError,
    StaleRulingError,
    UnauthorizedError,
    UnreachableError,
)
from tests.acceptance.calling import TLS, born, calling, lives, told
from tests.http_server import HttpServer, http_server

NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)
_names = count()


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    """Return a service with the packaged embedder, where claim keys judge and no model does."""
    with http_server(min_similarity=0.99) as running:
        yield running


@pytest.fixture
def client(server: HttpServer) -> Iterator[Client]:
    """Return a client with a namespace of its own."""
    with calling(server.url, namespace=f"client-{next(_names)}") as made:
        yield made


def test_a_change_from_beginning_to_end(client: Client) -> None:
    """Submitted, traced, found, taken back, compiled: each step by one call."""
    first, second = client.submit([lives("Lisbon"), lives("Porto", 2)])["receipts"]
    lisbon, porto = first["fact_id"], second["fact_id"]
    assert lisbon is not None
    assert porto is not None
    assert (second["outcome"], second["supersedes"]) == ("stored", [lisbon])
    (decision,) = second["decisions"]
    assert [fact["content"] for fact in client.facts()] == ["Ana lives in Porto."]
    assert [fact["content"] for fact in client.facts(as_of=datetime(2025, 1, 2, tzinfo=UTC))] == [
        "Ana lives in Lisbon."
    ]
    assert client.fact(lisbon)["successor"] == porto
    assert "decision" in [entry["kind"] for entry in client.history(lisbon)]
    assert [hit["fact_id"] for hit in client.search("Where does Ana live?", 1)] == [porto]
    assert client.receipt(second["receipt_id"])["now"]["state"] == "active"
    assert client.decision(decision["id"])["in_force"]
    changed = client.undo(decision["id"], reviewer="kim")
    assert {state["fact_id"]: state["state"] for state in changed} == {lisbon: "active"}
    assert not client.decision(decision["id"])["in_force"]
    assert client.compile()["changed"] == 0
    client.erase(lisbon)
    assert client.fact(lisbon)["content"] == ""


def test_the_example_on_the_front_page(server: HttpServer, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs as it stands there, but for the address."""
    page = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    (block,) = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(block.replace("http://127.0.0.1:8000", server.url), {})  # noqa: S102  the page's own words
    assert capsys.readouterr().out.splitlines() == ["stored []", "User moved to Porto. active"]


def test_pairs_are_judged_and_nothing_is_kept(client: Client) -> None:
    """Mappings or records of the domain, one bad pair beside a good one."""
    record = Record("The depot is in bay 4.", Source("wms:1", SourceKind.VERIFIED_OBSERVATION), NEW_YEAR)
    found = client.classify([(lives("Lisbon"), lives("Porto", 2)), {"id": "x", "a": record, "b": {}}])
    assert [verdict["relation"] for verdict in found["verdicts"]] == ["update", None]
    assert (found["refused"], found["partial"]) == (1, True)
    error = found["verdicts"][1]["error"]
    assert error is not None
    assert (found["verdicts"][1]["id"], error["field"]) == ("x", "b.content")
    assert list(client.facts(state="all")) == []


def test_whoever_looks_at_receipts_finds_out(client: Client) -> None:
    """A bad record harms no other; where all are bad the receipts say so, too."""
    answer = client.submit([told("Bay 1 is empty."), {"content": "Bay 2 is empty."}])
    assert [receipt["outcome"] for receipt in answer["receipts"]] == ["stored", "refused"]
    assert (answer["stored"], answer["refused"], answer["partial"]) == (1, 1, True)
    (receipt,) = client.submit([{"content": "Bay 3 is empty."}])["receipts"]
    assert receipt["reason"] == {
        "code": "invalid_record",
        "message": "source: Field required",
        "field": "source",
    }


def test_a_dump_goes_in_batch_by_batch(client: Client) -> None:
    """A receipt for each record in its order; pages bring all of them back."""
    receipts = list(client.submit_all((told(f"Bay {n} holds pallet {n}.", n + 1) for n in range(7)), batch=3))
    assert [receipt["record_index"] for receipt in receipts] == list(range(7))
    listed = [fact["fact_id"] for fact in client.facts(limit=2)]
    assert listed == [receipt["fact_id"] for receipt in receipts]


def test_a_question_is_settled_by_two_people(client: Client) -> None:
    """Taken in hand, talked about, ruled on as shown, taken back; files go out and come in."""
    client.submit([born("Porto"), born("Faro", 2, by="chat:2")])
    (item,) = client.reviews(stakes="normal")
    assert (item["kind"], client.review_counts()["open"]) == ("conflict", 1)
    taken = client.claim_next(reviewer="kim")
    assert taken is not None
    assert (taken["id"], client.claim_next(reviewer="lee")) == (item["id"], None)
    client.release(item["id"], reviewer="kim")
    assert client.assign(item["id"], "lee")["assignee"] == "lee"
    assert client.comment(item["id"], "Asked the registry.", author="lee")["author"] == "lee"
    assert [note["text"] for note in client.review(item["id"])["comments"]] == ["Asked the registry."]
    lines = client.export_reviews().splitlines()
    ruled = client.rule(item, "keep_a", reviewer="lee", reason="passport")
    assert {state["state"] for state in ruled["changed"]} == {"active", "tombstoned"}
    with pytest.raises(StaleRulingError):
        client.rule(item, "keep_b")
    assert json.loads(client.export_rulings())["ruling"] == "keep_a"
    assert client.undo_ruling(ruled["ruling"]["id"], reviewer="lee")["ruling"]["ruling"] == "retract"
    answer = {**json.loads(lines[0]), "ruling": "keep_b", "reviewer": "lee"}
    imported = client.import_reviews(json.dumps(answer).encode())
    assert (imported["applied"], imported["refused"]) == (1, 0)
    assert [fact["content"] for fact in client.facts()] == ["Bob was born in Faro."]


def test_the_policy_is_read_and_compared(client: Client) -> None:
    """What another one would change is told, and nothing is."""
    client.submit([lives("Lisbon"), lives("Porto", 2)])
    rules = [{"id": "ask", "action": "review", "reason": "A person decides everything."}]
    assert {flip["fact_id"] for flip in client.policy_diff({"rules": rules})} == {
        fact["fact_id"] for fact in client.facts(state="all")
    }
    assert client.policy_diff({"rules": [{**rule} for rule in client.policy()["rules"]]}) == []
    assert client.ready()["parts"]["store"]["status"] == "ok"


def test_errors_are_the_ones_of_the_library(client: Client) -> None:
    """The same classes as without HTTP between."""
    with pytest.raises(NotFoundError, match="no fact fact_00"):
        client.fact("fact_00")
    with pytest.raises(NotFoundError):
        client.undo("dec_00")
    with calling("http://127.0.0.1:9", sleep=lambda _: None) as nobody, pytest.raises(UnreachableError):
        nobody.policy()


def test_many_at_once_by_one_async_client(server: HttpServer) -> None:
    """Forty submissions under way together, each with its own receipt."""

    async def submit_all() -> list[str]:
        transport = httpx.AsyncHTTPTransport(verify=TLS)
        async with AsyncClient(server.url, namespace="async", transport=transport) as client:
            told_all = [client.submit([told(f"Shelf {n} holds jar {n}.")]) for n in range(40)]
            answers = await asyncio.gather(*told_all)
            listed = {fact["fact_id"] async for fact in client.facts(limit=7)}
            assert listed == {answer["receipts"][0]["fact_id"] for answer in answers}
            return [answer["receipts"][0]["outcome"] for answer in answers]

    assert asyncio.run(submit_all()) == ["stored"] * 40


def test_a_key_opens_its_namespace_only(tmp_path: Path) -> None:
    """Nobody gets in without one; a scope that it lacks is named; the other namespace stays shut."""
    database = str(tmp_path / "facts.db")
    scopes = ["--scope", "submit", "--scope", "read"]
    command = ["keys", "create", "Ada", "--db", database, "--namespace", "crm", *scopes, "--json"]
    token = json.loads(CliRunner().invoke(main, command, catch_exceptions=False).stdout)["token"]
    with http_server(database=database) as closed:
        with calling(closed.url) as stranger, pytest.raises(UnauthorizedError) as refused:
            stranger.policy()
        assert not refused.value.sent
        with (
            calling(closed.url, api_key="arb_no_key") as stranger,
            pytest.raises(UnauthorizedError) as refused,
        ):
            stranger.submit([told("The gate is open.")])
        assert refused.value.sent
        with calling(closed.url, api_key=token) as client:
            record = Record("The gate is open.", Source("chat:1", SourceKind.USER_STATED), NEW_YEAR)
            (receipt,) = client.submit([record])["receipts"]
            assert (receipt["outcome"], receipt["namespace"]) == ("stored", "crm")
            assert [fact["content"] for fact in client.facts()] == ["The gate is open."]
            with pytest.raises(ScopeError) as lacking:
                client.compile()
            assert lacking.value.scope == "admin"
            with pytest.raises(ForbiddenError):
                list(client.facts(namespace="hr"))
