"""Two tenants on one service: whatever one of them asks, the other might as well not be there.

Every route of the document, and every page, is asked with everything that the other tenant has: their ids in
each path, their names in each parameter, header and field. The very same is asked of a service on which they
have never done a thing. Both have to answer alike, to the letter, and the other one's rows stay as they are.
A route or a parameter that is new has no probe yet, and fails here until it has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi.routing import APIRoute

from arbiter.adapters.secret_tokens import new_key
from arbiter.domain.access import SCOPES
from arbiter.settings import Settings
from arbiter.web.app import build
from tests.acceptance.calling import told
from tests.acceptance.hostile import Operation, as_body, at, operations, places, with_value
from tests.acceptance.tenants import OURS, THEIRS, THEM, US, Service, Things, service, settle_in
from tests.docs.openapi_document import document
from tests.factories import day

if TYPE_CHECKING:
    import httpx

OPERATIONS = operations(document())
NDJSON, FORM = "application/x-ndjson", "application/x-www-form-urlencoded"
NAMES_NOTHING = {"state", "as_of", "limit", "format", "status", "kind", "stakes", "from_scratch"}
"""Query parameters that can name nothing of anybody's."""
NAMES_IN_PAGES = ("namespace", "text", "assignee", "claimed_by")
OF_NOBODY = {
    *("/", "/docs", "/docs/start.js", "/openapi.json", "/review/assets/{name}"),
    *("/review/login", "/review/logout"),
}
"""What is outside the document and shows nothing of any namespace."""

Probe = tuple[str, str, dict[str, Any]]


def probes(operation: Operation, ours: Things, theirs: Things) -> Iterator[Probe]:
    """Yield every way to ask an operation for something of theirs."""
    method, own = operation.method, operation.at(**ours.ids)
    plain: dict[str, Any] = {} if operation.example is None else {"json": operation.example}
    for name in re.findall(r"\{(\w+)\}", operation.path):
        foreign = operation.at(**{**ours.ids, name: theirs.ids[name]})
        yield method, foreign, plain
        yield method, f"{foreign}?namespace={THEIRS}", plain
    for parameter in operation.parameters:
        name = parameter["name"]
        if parameter["in"] == "query" and name not in NAMES_NOTHING:
            for value in theirs.query[name]:
                yield method, own, {**plain, "params": {name: value}}
        if parameter["in"] == "header":
            assert name == "Idempotency-Key"
            yield method, own, {**plain, "headers": {name: f"key-of-{THEM}"}}
    for body, media_type in bodies(operation, theirs):
        yield method, own, {"content": body, "headers": {"Content-Type": media_type}}
    yield method, own, plain


def bodies(operation: Operation, theirs: Things) -> Iterator[tuple[bytes, str]]:
    """Yield bodies with something of theirs in each field."""
    if operation.example is not None:
        for place in places(operation.example):
            if isinstance(at(operation.example, place), str):
                for word in theirs.words:
                    yield as_body(with_value(operation.example, place, word)), "application/json"
    elif operation.path == "/v1/records/stream":
        record = told("The house is red.", subject="house", ref="1", namespace=OURS)
        for place in places(record):
            lines = [with_value(record, place, w) for w in theirs.words if isinstance(at(record, place), str)]
            yield b"\n".join(map(as_body, lines)), NDJSON
    elif operation.path == "/v1/reviews/import":
        yield theirs.answers.encode(), NDJSON
        tasks = [{"id": 1, "data": {"review_id": theirs.ids["review_id"]}, "annotations": []}]
        yield json.dumps(tasks).encode(), "application/json"
    else:
        assert operation.media_types == [], f"no probe for the body of {operation.path}"


def asked(client: httpx.Client, probe: Probe) -> tuple[int, str, dict[str, str]]:
    """Return an answer, without what differs from one request to the next."""
    method, path, how = probe
    answer = client.request(method, path, **how)
    assert answer.status_code < 500, (probe, answer.text)
    headers = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("date", "x-request-id", "set-cookie")
    }
    return answer.status_code, answer.text, headers


@contextmanager
def worlds(folder: Path) -> Iterator[tuple[Service, Service, Things, Things]]:
    """Run a service with both tenants and one with us alone; yield them, our things and theirs."""
    made = {name: new_key(name, name, SCOPES, at=day(0)) for name in (OURS, THEIRS)}
    for name in ("both", "alone"):
        (folder / name).mkdir()
    with service(folder / "both", made) as both, service(folder / "alone", made) as alone:
        theirs = settle_in(both.them, THEM)
        ours = settle_in(both.us, US)
        assert settle_in(alone.us, US) == ours
        assert {"facts", "receipts", "rulings", "review_work"} <= {
            table for table, rows in both.theirs().items() if rows
        }
        yield both, alone, ours, theirs


def test_no_route_tells_of_another_tenant(tmp_path: Path) -> None:
    """Nor changes anything of theirs."""
    with worlds(tmp_path) as (both, alone, ours, theirs):
        kept = both.theirs()
        statuses: dict[str, set[int]] = {}
        for operation in OPERATIONS:
            for probe in probes(operation, ours, theirs):
                answer = asked(both.us, probe)
                assert answer == asked(alone.us, probe), probe
                statuses.setdefault(f"{operation.method} {operation.path}", set()).add(answer[0])
            assert both.theirs() == kept, operation.path
    assert len(statuses) == len(OPERATIONS)
    worked = [found & {200, 201, 207, 404, 409} for name, found in statuses.items() if " /v1" in name]
    assert all(worked)
    assert statuses["GET /metrics"] == {403}


def outside_the_document(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route that the document leaves out."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from outside_the_document(route.original_router.routes)
        elif isinstance(route, APIRoute) and not route.include_in_schema:
            yield from ((method, route.path) for method in route.methods or () if method != "HEAD")


def page_probes(method: str, path: str, ours: Things, theirs: Things) -> Iterator[Probe]:
    """Yield every way to ask a page for something of theirs."""
    form: dict[str, Any] = {}
    if method == "POST":
        words = dict.fromkeys(("assignee", "text", "reason", "reviewer"), THEM)
        seen = {"digest_a": theirs.words[-1], "digest_b": theirs.words[-1], "ruling": "keep_a"}
        form = {"data": {**words, **seen}, "headers": {"Content-Type": FORM}}
    own = path.format(**ours.ids)
    for name in re.findall(r"\{(\w+)\}", path):
        foreign = path.format(**{**ours.ids, name: theirs.ids[name]})
        yield method, foreign, form
        yield method, f"{foreign}?namespace={THEIRS}", form
    for name in NAMES_IN_PAGES:
        for value in theirs.query[name]:
            yield method, own, {**form, "params": {name: value}}
    yield method, f"{own}?done={theirs.ids['ruling_id']}", form


def test_no_page_tells_of_another_tenant(tmp_path: Path) -> None:
    """Somebody who signed in sees their own queue, whatever stands in the address bar or in a form."""
    pages = [
        (method, path)
        for method, path in outside_the_document(build(Settings()).routes)
        if path not in OF_NOBODY
    ]
    assert len(pages) >= 12
    with worlds(tmp_path) as (both, alone, ours, theirs):
        kept = both.theirs()
        for here in (both, alone):
            sign_in(here)
        found: set[int] = set()
        for method, path in sorted(pages):
            for probe in page_probes(method, path, ours, theirs):
                answer = asked(both.us, probe)
                assert answer == asked(alone.us, probe), probe
                found.add(answer[0])
            assert both.theirs() == kept, path
    assert {200, 303, 403, 404} <= found


def sign_in(here: Service) -> None:
    """Let our client go on as a browser in which somebody signed in."""
    token = here.us.headers.pop("authorization").removeprefix("Bearer ")
    here.us.headers.update({"origin": here.url, "accept": "text/html"})
    answer = here.us.post("/review/login", data={"key": token}, headers={"Content-Type": FORM})
    assert answer.status_code == 303
