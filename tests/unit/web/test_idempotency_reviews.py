"""The review queue under an Idempotency-Key: a claim, a comment or a file sent again happens once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.interchange.kept_answers import ANY_FACT, erased_answer, quoted
from arbiter.testing import TableJudge
from arbiter.web.idempotency import HEADER
from tests.factories import verdict
from tests.unit.web.keyed import Served, StillClock, serving

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

SECRET = "xyzzy"
CITIES = ("Faro", "Porto")
NAMES = ("Ada", "Ben")
UNDER = {HEADER: "k"}


def born(who: str, city: str) -> dict[str, Any]:
    """Return a record of where somebody was born."""
    return {
        "content": f"{who} was born in {city}.",
        "source": {"id": "chat:1", "kind": "user_stated"},
        "observed_at": "2026-01-05T09:00:00Z",
        "subject": who,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the store is."""
    return tmp_path / "facts.db"


@pytest.fixture
def served(path: Path) -> Iterator[Served]:
    """Return a service with a question about each name."""
    clock = StillClock()
    conflict = verdict("contradiction", stakes="high", reason=f"says {SECRET}", attribute=SECRET)
    records = [[born(who, city) for city in CITIES] for who in NAMES]
    judge = TableJudge({(one["content"], other["content"]): conflict for one, other in records})
    with serving(store=SqlStore(path, clock), clock=clock, judge=judge) as found:
        body = {"records": [record for pair in records for record in pair]}
        found.client().post("/v1/records", json=body).raise_for_status()
        yield found


def questions(client: TestClient) -> list[dict[str, Any]]:
    """Return what waits."""
    return list(client.get("/v1/reviews").json()["items"])


def test_the_next_question_is_taken_once(served: Served) -> None:
    """Sent again it shows the same item; under another key it takes the next one."""
    client = served.client()
    body = {"reviewer": "kim"}
    first, again = (client.post("/v1/reviews/next", json=body, headers=UNDER) for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    other = client.post("/v1/reviews/next", json={"reviewer": "lee"}, headers={HEADER: "other"})
    ids = {answer.json()["review"]["id"] for answer in (first, other)}
    assert ids == {item["id"] for item in questions(client)}


def test_a_comment_is_noted_once(served: Served) -> None:
    """With its status; another text under the key is refused by its name."""
    client = served.client()
    path = f"/v1/reviews/{questions(client)[0]['id']}/comments"
    sent = [client.post(path, json={"text": "Ask the registry."}, headers=UNDER) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].content == sent[1].content
    changed = client.post(path, json={"text": "Ask nobody."}, headers=UNDER)
    assert (changed.status_code, changed.json()["field"]) == (422, "text")
    assert [note["text"] for note in questions(client)[0]["comments"]] == ["Ask the registry."]


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("claim", {"reviewer": "kim"}),
        ("release", {"reviewer": "kim"}),
        ("assign", {"assignee": "kim"}),
    ],
)
def test_whatever_changes_the_queue_takes_a_key(what: str, body: dict[str, str], served: Served) -> None:
    """The answer is kept, to the byte."""
    client = served.client()
    path = f"/v1/reviews/{questions(client)[0]['id']}/{what}"
    first, again = (client.post(path, json=body, headers=UNDER) for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    assert client.post(path, json={"reviewer": "lee"}, headers=UNDER).status_code == 422


def test_a_file_is_imported_once(served: Served) -> None:
    """Sent again it tells what it did; another file under the key is refused."""
    client = served.client()
    row = json.loads(client.get("/v1/reviews/export").text.splitlines()[0])
    headers = {**UNDER, "Content-Type": "application/x-ndjson"}
    content = json.dumps({**row, "ruling": "keep_a"}).encode()
    first, again = (client.post("/v1/reviews/import", content=content, headers=headers) for _ in range(2))
    assert (first.json()["applied"], again.content) == (1, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    other = client.post("/v1/reviews/import", content=content + b"\n", headers=headers)
    assert (other.status_code, other.json()["field"]) == (422, "body")


def test_a_file_that_is_too_large_is_refused_under_a_key_too(served: Served) -> None:
    """Nothing is kept of it, and the key is free."""
    client = served.client()
    limit = served.app.state.service.settings.serve_max_body_bytes
    headers = {**UNDER, "Content-Type": "application/x-ndjson"}
    assert client.post("/v1/reviews/import", content=b" " * (limit + 1), headers=headers).status_code == 413
    assert client.post("/v1/reviews/import", content=b"", headers=headers).status_code == 200


def test_erasing_a_fact_takes_it_out_of_what_was_kept(served: Served, path: Path) -> None:
    """The item that comes again shows nothing of it, nor does the comment, nor any byte of the file."""
    client = served.client()
    shown = client.post("/v1/reviews/next", json={}, headers=UNDER).json()["review"]
    comments = f"/v1/reviews/{shown['id']}/comments"
    client.post(comments, json={"text": f"I doubt {SECRET}."}, headers={HEADER: "note"})
    assert SECRET in str(shown)
    for side in "ab":
        client.delete(f"/v1/facts/{shown[side]}").raise_for_status()
    again = client.post("/v1/reviews/next", json={}, headers=UNDER).json()["review"]
    assert [again["facts"][side]["content"] for side in "ab"] == ["", ""]
    assert (again["id"], again["evidence"]["relation"]) == (shown["id"], "contradiction")
    assert (again["evidence"]["reason"], again["marks"]) == ("", {"a": [], "b": []})
    note = client.post(comments, json={"text": f"I doubt {SECRET}."}, headers={HEADER: "note"})
    assert (note.status_code, note.json()["text"]) == (201, "")
    assert b"I doubt" not in b"".join(part.read_bytes() for part in path.parent.iterdir())


def test_the_lines_of_an_import_may_quote_anything() -> None:
    """What is told about refused ones goes as soon as any fact is erased; the rest stays."""
    line = {"line": 1, "review_id": "rev_1", "status": "failed", "field": "text", "message": SECRET}
    body = json.dumps({"lines": [line], "applied": 0}).encode()
    assert quoted(body, "crm") == {("crm", ANY_FACT)}
    left = json.loads(erased_answer(body, "crm", "fact_1"))
    assert left == {"lines": [{**line, "message": ""}], "applied": 0}
