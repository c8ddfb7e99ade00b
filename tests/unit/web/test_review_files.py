"""The queue as files over HTTP: out, filled in, back."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.web.conftest import Room
from tests.unit.web.test_reviews import FARO, PORTO, asked, states

if TYPE_CHECKING:
    import httpx


def sheet(text: str, **answer: str) -> str:
    """Return an exported table with its first row filled in."""
    rows = list(csv.DictReader(io.StringIO(text)))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows([rows[0] | answer, *rows[1:]])
    return stream.getvalue()


def send(
    room: Room, text: str | bytes, media_type: str = "text/csv", **query: str | list[str]
) -> httpx.Response:
    """Import a file."""
    return room.client.post(
        "/v1/reviews/import",
        params={"namespace": room.namespace, **query},
        content=text,
        headers={"Content-Type": media_type},
    )


def test_a_sheet_goes_out_and_comes_back(room: Room) -> None:
    """The ruling is in force; to bring the sheet again changes nothing."""
    asked(room)
    exported = room.get("/reviews/export", format="csv")
    assert exported.headers["content-type"] == "text/csv; charset=utf-8"
    assert exported.headers["content-disposition"] == 'attachment; filename="reviews.csv"'
    filled = sheet(exported.text, ruling="keep-b", reviewer="kim")
    done = send(room, filled)
    assert (done.status_code, done.json()["applied"], done.json()["partial"]) == (200, 1, False)
    assert states(room) == {PORTO: ("tombstoned", False), FARO: ("active", False)}
    (line,) = send(room, filled).json()["lines"]
    assert (line["status"], line["changed"]) == ("already_settled", [])


def test_lines_of_json_work_as_well(room: Room) -> None:
    """A row without a ruling is left out; whoever imports stands in for an empty reviewer."""
    item = asked(room)
    (row,) = [json.loads(line) for line in room.get("/reviews/export").text.splitlines()]
    assert (row["review_id"], row["a_content"]) == (item["id"], PORTO)
    assert send(room, json.dumps(row), "application/x-ndjson").json()["lines"] == []
    done = send(room, json.dumps({**row, "ruling": "keep_a"}), "application/x-ndjson", reviewer="lou")
    assert done.json()["applied"] == 1
    (ruled,) = room.get(f"/reviews/{item['id']}").json()["rulings"]
    assert ruled["reviewer"] == "lou"


def test_a_line_that_is_refused_harms_no_other(room: Room) -> None:
    """The status says so, and each line has its report."""
    asked(room)
    (row,) = [json.loads(line) for line in room.get("/reviews/export").text.splitlines()]
    rows = [{**row, "ruling": "perhaps"}, {**row, "ruling": "keep_b", "namespace": "other"}]
    lines = "\n".join(map(json.dumps, [*rows, {**row, "ruling": "keep_b"}]))
    done = send(room, lines, "application/x-ndjson")
    assert (done.status_code, done.json()["partial"]) == (207, True)
    assert [(line["status"], line["field"]) for line in done.json()["lines"]] == [
        ("invalid", "ruling"),
        ("invalid", "namespace"),
        ("applied", None),
    ]


def test_tools_get_their_own_files(room: Room) -> None:
    """Tasks and a form for one, records and settings for another; answers come back by name of the tool."""
    item = asked(room)
    (task,) = room.get("/reviews/export", format="label-studio").json()
    assert task["data"]["review_id"] == item["id"]
    config = room.get("/reviews/export", format="label-studio-config")
    assert config.headers["content-type"].startswith("application/xml")
    assert len(room.get("/reviews/export", format="argilla").json()) == 1
    assert "fields" in room.get("/reviews/export", format="argilla-settings").json()
    nothing = send(room, json.dumps([{**task, "annotations": []}]), "application/json", format="label-studio")
    assert (nothing.status_code, nothing.json()["lines"]) == (200, [])


def test_settled_pairs_go_out_and_measure_the_judge(room: Room) -> None:
    """One that a person relabelled teaches, and counts against the judge."""
    item = asked(room)
    assert room.get("/rulings/export", format="training").text == ""
    told = {"ruling": "relabel", "relabel": "complementary", "reviewer": "kim"}
    room.post(
        f"/reviews/{item['id']}/ruling",
        {**told, "digest_a": item["digest_a"], "digest_b": item["digest_b"]},
    )
    (row,) = map(json.loads, room.get("/rulings/export", format="training").text.splitlines())
    assert (row["id"], row["label"]) == (item["id"], "complementary")
    (settled,) = map(json.loads, room.get("/rulings/export").text.splitlines())
    assert (settled["ruling"], settled["reviewer"]) == ("relabel", "kim")
    measured = room.get("/rulings/agreement").json()
    assert (measured["overall"]["disagreed"], measured["overall"]["share"]) == (1, 0.0)
    assert measured["instead"] == {"contradiction": {"complementary": 1}}


def test_users_of_a_tool_are_reviewers(room: Room) -> None:
    """Each is named by id or address, also with an = in the name; nobody else may answer then."""
    item = asked(room)
    (task,) = room.get("/reviews/export", format="label-studio").json()
    ruling = {"from_name": "ruling", "to_name": "a", "type": "choices", "value": {"choices": ["keep_b"]}}

    def sent(user: int, *named: str) -> dict[str, object]:
        """Return what becomes of an answer of a user."""
        answered = {**task, "annotations": [{"completed_by": user, "result": [ruling]}]}
        done = send(room, json.dumps([answered]), "application/json", format="label-studio", user=list(named))
        (line,) = done.json()["lines"]
        return {name: line[name] for name in ("status", "field", "message")}

    refused = {"status": "invalid", "field": "reviewer", "message": "user 7 is none of those who were named"}
    assert sent(7, "8=kim", "lou@example.org=lou") == refused
    assert sent(8, "8=kim=lee", "9=lou")["status"] == "applied"
    (ruled,) = room.get(f"/reviews/{item['id']}").json()["rulings"]
    assert ruled["reviewer"] == "kim=lee"
    assert send(room, "[]", "application/json", format="label-studio", user="kim").status_code == 422


@pytest.mark.parametrize(
    ("body", "media_type", "status", "code"),
    [
        (b"colour,size\nred,1\n", "text/csv", 400, "unreadable"),
        (b"review_id\n\xff\n", "text/csv", 400, "unreadable"),
        (b"{}", "application/json", 415, "unsupported_media_type"),
        (b"{}", "", 415, "unsupported_media_type"),
    ],
)
def test_what_is_no_such_file_is_refused(
    body: bytes, media_type: str, status: int, code: str, room: Room
) -> None:
    """As a whole, with a reason."""
    answer = send(room, body, media_type)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_cell_is_no_formula(room: Room) -> None:
    """What a spreadsheet would carry out is defused on the way out."""
    room.submit(room.record("=SUM(A1) Ana was born in Porto", subject="ana"), room.record("Ben drinks tea."))
    asked(room)
    text = room.get("/reviews/export", format="csv").text
    assert [row for row in csv.reader(io.StringIO(text)) if any(cell.startswith("=") for cell in row)] == []
