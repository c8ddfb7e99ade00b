"""Both clients do the same: pages, batches, errors, headers."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import arbiter.client
from arbiter.client import AsyncClient, Client, Retries
from arbiter.client.requests import Requests
from arbiter.errors import (
    ConfigurationError,
    InvalidRecordError,
    MissingExtraError,
    NotFoundError,
    RequestError,
)
from tests.unit.client.conftest import URL, Line, problem, submitted

pytestmark = pytest.mark.anyio


def pages() -> list[httpx.Response]:
    """Return a list of facts in two pages."""
    first = {"facts": [{"content": "one"}, {"content": "two"}], "next": "fact_2"}
    return [
        httpx.Response(200, json=page) for page in (first, {"facts": [{"content": "three"}], "next": None})
    ]


def test_both_have_every_call_of_the_service() -> None:
    """With the same signature, which is that of the one function behind them."""
    calls = {
        name: inspect.signature(build)
        for name, build in inspect.getmembers(Requests, inspect.isfunction)
        if not name.startswith("_") and name != "place"
    }
    for kind in (Client, AsyncClient):
        made = inspect.getmembers(kind, inspect.isfunction)
        own = {"carry_out", "close"}
        found = {name: method for name, method in made if not name.startswith("_") and name not in own}
        assert {name: inspect.signature(method) for name, method in found.items()} == calls
        assert all(method.__doc__ for method in found.values())


def test_pages_follow_one_another() -> None:
    """Each is asked for when it is needed, with the parameters of the first one."""
    line = Line(pages())
    facts = line.client(namespace="crm").facts(limit=2)
    assert next(facts)["content"] == "one"
    assert len(line.sent) == 1
    assert [fact["content"] for fact in facts] == ["two", "three"]
    first, second = (dict(sent.url.params) for sent in line.sent)
    assert first == {"state": "active", "limit": "2", "namespace": "crm"}
    assert second == {**first, "after": "fact_2"}


async def test_pages_can_be_awaited() -> None:
    """One after the other, too."""
    async with Line(pages()).async_client() as client:
        assert [fact["content"] async for fact in client.facts()] == ["one", "two", "three"]


def test_any_number_of_records_is_sent_in_batches() -> None:
    """A receipt for each, counted through, also where a whole batch was refused."""
    refused = problem(422, "invalid_record", receipts=[{"record_index": 0, "outcome": "refused"}])
    line = Line(
        [submitted("stored", "merged"), problem(503, "overloaded"), submitted("held", "stored"), refused]
    )
    receipts = line.client().submit_all(({"content": str(number)} for number in range(5)), batch=2)
    found = [(receipt["record_index"], receipt["outcome"]) for receipt in receipts]
    assert found == [(0, "stored"), (1, "merged"), (2, "held"), (3, "stored"), (4, "refused")]
    assert [len(json.loads(sent.content)["records"]) for sent in line.sent] == [2, 2, 2, 1]
    keys = [sent.headers["idempotency-key"] for sent in line.sent]
    assert (len(set(keys)), keys[1]) == (3, keys[2])


async def test_batches_can_be_awaited() -> None:
    """With the same receipts."""
    client = Line([submitted("stored"), submitted("merged")]).async_client()
    found = [receipt async for receipt in client.submit_all([{}, {}], batch=1)]
    assert [(receipt["record_index"], receipt["outcome"]) for receipt in found] == [
        (0, "stored"),
        (1, "merged"),
    ]


def test_what_was_refused_item_by_item_is_an_answer() -> None:
    """Whoever looks at receipts finds out; without receipts it is an error."""
    refused = problem(422, "invalid_record", receipts=[{"outcome": "refused"}], refused=1)
    assert Line([refused]).client().submit([{}])["receipts"][0]["outcome"] == "refused"
    unjudged = problem(422, "invalid_record", verdicts=[{"relation": None}])
    assert Line([unjudged]).client().classify([({}, {})])["verdicts"][0]["relation"] is None
    with pytest.raises(InvalidRecordError):
        Line([problem(422, "invalid_record")]).client().submit([{}])


async def test_errors_and_retries_are_the_same_awaited() -> None:
    """Put off, back again, and told."""
    line = Line([httpx.ReadError, problem(503, "overloaded"), problem(404, "not_found")])
    async with line.async_client(retries=Retries(first_s=2)) as client:
        with pytest.raises(NotFoundError):
            await client.erase("fact_1")
    assert [1 <= line.pauses[0] <= 2, 2 <= line.pauses[1] <= 4, len(line.pauses)] == [True, True, 2]


def test_a_client_says_who_calls() -> None:
    """The key goes with every request, and nowhere into an error."""
    line = Line([httpx.Response(200, json={})])
    line.client(api_key="arb_secret").policy()
    assert line.sent[0].headers["authorization"] == "Bearer arb_secret"
    assert line.sent[0].headers["user-agent"].startswith("arbiter-client/")


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("url", "options", "field"),
    [
        ("127.0.0.1:8000", {}, "url"),
        ("ftp://127.0.0.1", {}, "url"),
        ("http://", {}, "url"),
        ("http://127.0.0.1:port", {}, "url"),
        (URL, {"api_key": "arb_ä"}, "api_key"),
        (URL, {"api_key": "arb_\n"}, "api_key"),
        (URL, {"api_key": ""}, "api_key"),
    ],
)
def test_what_cannot_be_called_is_told_at_once(
    kind: Callable[..., object], url: str, options: dict[str, Any], field: str
) -> None:
    """Not when the first call fails."""
    with pytest.raises(ConfigurationError) as caught:
        kind(url, **options)
    assert caught.value.field == field


async def test_a_faulty_key_is_told_by_the_call() -> None:
    """Nothing was sent."""
    line = Line([])
    with pytest.raises(RequestError):
        await line.async_client().submit([], key="\n")
    with pytest.raises(RequestError):
        line.client().rule({"id": "rev_1", "digest_a": "a", "digest_b": "b"}, "skip", key="")  # type: ignore[typeddict-item]
    assert line.sent == []


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever imports the client finds out what to install."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"arbiter\[client\]"):
        importlib.reload(arbiter.client)
