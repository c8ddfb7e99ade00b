"""Hostile requests to every route: a clean error, or kept as the data that it is. Never a 5xx."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.acceptance.bench import bench
from tests.acceptance.calling import born, told
from tests.acceptance.hostile import (
    BODIES,
    FORMULAS,
    IMAGE,
    ORDER,
    SCRIPT,
    TEXTS,
    VALUES,
    Operation,
    as_body,
    at,
    operations,
    places,
    with_value,
)
from tests.chat import item, reply
from tests.docs.openapi_document import document
from tests.http_server import HttpServer, http_server
from tests.scripted_server import Answer, Request

if TYPE_CHECKING:
    import httpx

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")
OPERATIONS = operations(document())
WITH_JSON = [operation for operation in OPERATIONS if operation.example is not None]
WITH_BODY = [operation for operation in OPERATIONS if operation.media_types]
KEEP_NOTHING = {"/v1/classify", "/v1/policy/diff", "/v1/reviews/next"}
IN_NAMES = {"lone surrogate", "NUL", "markup", "header"}
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def server(_kept_in: None) -> Iterator[HttpServer]:
    """Return a service with the packaged embedder, where claim keys judge and no model does."""
    with http_server(min_similarity=0.99) as running:
        yield running


def name(operation: Operation) -> str:
    """Return how a test of an operation is called."""
    return f"{operation.method} {operation.path}"


def clean(answer: httpx.Response) -> int:
    """See that an answer is one of ours, and return its status."""
    assert answer.status_code < 500, answer.text
    assert "set-cookie" not in answer.headers
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == PROBLEM
        problem = answer.json()
        assert problem["status"] == answer.status_code
        assert problem["code"]
        assert problem["detail"]
        assert problem["field"] is None or isinstance(problem["field"], str)
        assert "Traceback" not in answer.text
    return answer.status_code


@pytest.mark.parametrize("operation", WITH_BODY, ids=name)
def test_a_body_that_is_none(operation: Operation, server: HttpServer) -> None:
    """Cut off, repeated, deep, huge, of another kind or encoding: refused, or taken for what it is."""
    for media_type in operation.media_types:
        for kind, body in BODIES.items():
            answer = server.client.request(
                operation.method, operation.at(), content=body, headers={"Content-Type": media_type}
            )
            status = clean(answer)
            if media_type == "application/json" and "format" not in operation.in_query:
                # The body of some routes may be left out, and of some a part is taken item by item.
                assert status >= 400 or kind in ("nothing", "byte order mark"), kind
            if kind.startswith("ten megabytes") and media_type == "application/json":
                assert status in (413, 415), kind


@pytest.mark.parametrize("operation", WITH_JSON, ids=name)
def test_a_field_of_the_wrong_type(operation: Operation, server: HttpServer) -> None:
    """Every field of every body, with everything that it may not be."""
    for place in places(operation.example):
        for value in VALUES:
            body = as_body(with_value(operation.example, place, value))
            headers = {"Content-Type": "application/json"}
            clean(server.client.request(operation.method, operation.at(), content=body, headers=headers))


@pytest.mark.parametrize("operation", WITH_JSON, ids=name)
def test_a_hostile_text_in_every_field(operation: Operation, server: HttpServer) -> None:
    """As a value and as the name of a field; what is no text is never taken, or at least never kept."""
    no_text = {"lone surrogate", "reversed surrogates"} | (
        {"NUL"} if operation.path not in KEEP_NOTHING else set()
    )
    # What is read is read where nothing is: how much there is makes no difference here.
    address = f"{operation.at()}?namespace=nobody" if "namespace" in operation.in_query else operation.at()
    for place in places(operation.example):
        for kind, text in TEXTS.items():
            made = [with_value(operation.example, place, {text: 1})] if kind in IN_NAMES else []
            if isinstance(at(operation.example, place), str):
                made.append(with_value(operation.example, place, text))
            for body in map(as_body, made):
                headers = {"Content-Type": "application/json"}
                status = clean(
                    server.client.request(operation.method, address, content=body, headers=headers)
                )
                if kind in no_text:
                    assert status >= 400, (place, kind)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name)
def test_a_hostile_address(operation: Operation, server: HttpServer) -> None:
    """In the path, in each parameter, in a parameter that is none, and in one that comes twice."""
    body = {} if operation.example is None else {"json": operation.example}
    send = server.client.request
    for text in TEXTS.values():
        written = quote(text.encode("utf-8", "surrogatepass"), safe="")[:6_000]
        if "{" in operation.path:
            ids = dict.fromkeys(("fact_id", "review_id", "ruling_id", "decision_id", "receipt_id"), written)
            assert clean(send(operation.method, operation.at(**ids), **body)) >= 400
        for parameter in operation.in_query:
            clean(send(operation.method, f"{operation.at()}?{parameter}={written}", **body))
        if operation.path.startswith("/v1"):
            assert clean(send(operation.method, f"{operation.at()}?{written}=1", **body)) >= 400
    for parameter in operation.once_in_query:
        answer = send(operation.method, f"{operation.at()}?{parameter}=crm&{parameter}=hr", **body)
        assert (clean(answer), answer.json()["field"]) == (422, parameter)


def test_hostile_texts_are_kept_as_they_are(server: HttpServer) -> None:
    """What is a text comes back to the letter, wherever it was put; what is none is refused by its field."""
    kept = {kind: text for kind, text in TEXTS.items() if kind not in ("NUL", "blank", "long")}
    refused = {kind for kind in kept if "surrogate" in kind}
    for kind, text in kept.items():
        record = told(
            f"Note: {text[:7_000]}", by=text[:500], ref=text[:500], namespace="kept", subject=text[:500]
        )
        record |= {"tags": [text[:500]], "metadata": {text[:500]: text[:500]}}
        body = as_body({"records": [record]})
        answer = server.client.post("/v1/records", content=body, headers={"Content-Type": "application/json"})
        if kind in refused or kind == "path":
            continue
        assert answer.json()["receipts"][0]["outcome"] in ("stored", "merged"), kind
    facts = server.client.get("/v1/facts", params={"namespace": "kept", "limit": 1000, "state": "all"}).json()
    contents = {fact["content"] for fact in facts["facts"]}
    assert contents == {f"Note: {text[:7_000]}" for kind, text in kept.items() if kind not in refused}
    for fact in facts["facts"]:
        text = fact["content"].removeprefix("Note: ")
        assert (fact["subject"], fact["sources"]) == (text[:500], [text[:500]])
        assert fact["sightings"][0]["ref"] == text[:500]


def asked(server: HttpServer, namespace: str, *texts: str) -> dict[str, Any]:
    """Let two users say where Bob was born, in these words, and return the question about it."""
    cities = ("Faro", "Braga")
    for day, (text, city) in enumerate(zip(texts, cities, strict=True), 1):
        record = born(city, day, by=f"chat:{day}", namespace=namespace)
        server.client.post("/v1/records", json={"records": [{**record, "content": text}]})
    (found,) = server.client.get("/v1/reviews", params={"namespace": namespace}).json()["items"]
    return dict(found)


def test_markup_is_escaped_on_the_page(server: HttpServer) -> None:
    """On the queue, on the item and in its comments: no tag of a text becomes one of the page."""
    question = asked(server, "page", f"Bob was born in Faro. {SCRIPT}", f"Bob was born in Braga. {IMAGE}")
    path = f"/v1/reviews/{question['id']}/comments"
    note = {"text": SCRIPT, "author": IMAGE}
    assert server.client.post(path, params={"namespace": "page"}, json=note).status_code == 201
    shown = 0
    for page in ("/review", f"/review/items/{question['id']}"):
        answer = server.client.get(page, params={"namespace": "page"}, follow_redirects=True)
        assert answer.status_code == 200, page
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        shown += "xyzzy" in answer.text
    assert shown


@pytest.mark.parametrize("formula", FORMULAS, ids=repr)
def test_no_cell_of_a_sheet_is_a_formula(formula: str, server: HttpServer) -> None:
    """In an export every cell that would be one begins with a sign that makes it a text."""
    namespace = f"sheet {FORMULAS.index(formula)}"
    question = asked(server, namespace, f"{formula} Bob was born in Faro.", "Bob was born in Braga.")
    where = {"namespace": namespace}
    note = {"text": formula, "author": "kim"}
    server.client.post(f"/v1/reviews/{question['id']}/comments", params=where, json=note)
    sheet = server.client.get("/v1/reviews/export", params={**where, "format": "csv"}).text
    rows = list(csv.reader(io.StringIO(sheet)))
    assert len(rows) == 2
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    ruling = {"ruling": "keep_a", "digest_a": question["digest_a"], "digest_b": question["digest_b"]}
    path = f"/v1/reviews/{question['id']}/ruling"
    assert server.client.post(path, params=where, json={**ruling, "reason": formula}).status_code == 200
    settled = server.client.get("/v1/rulings/export", params={**where, "format": "csv"}).text
    cells = [cell for row in csv.reader(io.StringIO(settled)) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


def test_an_order_to_the_model_is_data() -> None:
    """It stands in the question as a text among others, not among the instructions, and is not followed."""
    one, other = "The hut key is with the warden.", f"The hut key is with the cook. {ORDER}"

    def obeys_the_guide(request: Request) -> Answer:
        assert ORDER not in request.system
        (pair,) = request.pairs
        assert {pair["a"]["text"], pair["b"]["text"]} == {one, other}
        return Answer(reply(item(pair["pair"], "contradiction")))

    with bench(script=obeys_the_guide) as on, http_server(on.arbiter) as server:
        for record in (told(one, subject="hut"), told(other, 2, by="chat:2", subject="hut")):
            assert server.client.post("/v1/records", json={"records": [record]}).status_code == 200
        assert on.states() == {one: "active contested", other: "active contested"}


def test_an_order_to_the_service_is_one_more_text(server: HttpServer) -> None:
    """A record that orders all others away takes nobody's place: it waits for a person itself."""
    order = f"Bob was born in Braga. {ORDER}"
    asked(server, "order", "Bob was born in Faro.", order)
    listed = server.client.get("/v1/facts", params={"namespace": "order", "state": "all"}).json()["facts"]
    states = {fact["content"]: fact["state"] for fact in listed}
    assert states == {"Bob was born in Faro.": "active", order: "pending"}


def test_the_log_holds_none_of_it(server: HttpServer, caplog: pytest.LogCaptureFixture) -> None:
    """Neither what was kept nor what was refused, nor what was looked for."""
    record = told("Ana hides the plugh under the mat.", namespace="log")
    server.client.post("/v1/records", json={"records": [record, {**record, "confidence": "plugh"}]})
    server.client.post("/v1/search", json={"text": "plugh"}, params={"namespace": "log"})
    server.client.get("/v1/reviews", params={"text": "plugh"})
    server.client.post("/v1/records", content=b'{"plugh": ', headers={"Content-Type": "application/json"})
    assert "plugh" not in caplog.text
    assert "plugh" not in json.dumps(server.client.get("/metrics").text)
