"""The review queue over HTTP: listed, shown, ruled, taken back, worked on together."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from arbiter.domain.review import KINDS
from arbiter.web.routes_reviews import QuestionKind
from tests.unit.web.conftest import Room

PORTO, FARO = "Ana was born in Porto.", "Ana was born in Faro."
OTHER = {"id": "chat:2", "kind": "user_stated"}


def asked(room: Room) -> dict[str, Any]:
    """Let two users give Ana another birthplace and return the question about it."""
    room.submit(room.record(PORTO), room.record(FARO, day=2, source=OTHER))
    (item,) = room.get("/reviews").json()["items"]
    return dict(item)


def ruling(item: dict[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    """Return a ruling on an item as it was shown."""
    return {"ruling": kind, "digest_a": item["digest_a"], "digest_b": item["digest_b"], **more}


def states(room: Room) -> dict[str, tuple[str, bool]]:
    """Return where each statement stands."""
    facts = room.get("/facts", state="all").json()["facts"]
    return {fact["content"]: (fact["state"], fact["contested"]) for fact in facts}


def test_a_conflict_waits_for_a_person(room: Room) -> None:
    """Both stay visible, and the item has what a person needs to decide."""
    item = asked(room)
    assert states(room) == {PORTO: ("active", True), FARO: ("active", True)}
    assert (item["kind"], item["stakes"], item["status"], item["open"]) == ("conflict", "high", "open", True)
    assert [item["facts"][side]["content"] for side in "ab"] == [PORTO, FARO]
    assert [run["text"] for run in item["marks"]["b"] if run["differs"]] == ["Faro"]
    assert (item["evidence"]["relation"], item["proposed"]["action"]) == ("contradiction", "review")
    assert room.get(f"/reviews/{item['id']}").json()["priority_parts"] == item["priority_parts"]
    assert room.get("/reviews", kind="cycle").json() == {"items": [], "next": None}
    assert room.get("/reviews", stakes="high", text="faro", status="all").json()["items"] == [item]


def test_a_ruling_settles_it(room: Room) -> None:
    """What was ruled out is gone, the item is closed, and the same answer again is stale."""
    item = asked(room)
    path = f"/reviews/{item['id']}/ruling"
    answer = room.post(path, ruling(item, "keep_b", reviewer="kim", reason="passport"))
    assert answer.status_code == 200
    assert (answer.json()["ruling"]["reviewer"], answer.json()["ruling"]["reason"]) == ("kim", "passport")
    assert states(room) == {PORTO: ("tombstoned", False), FARO: ("active", False)}
    assert room.get("/reviews").json()["items"] == []
    assert room.get("/reviews", status="closed").json()["items"][0]["status"] == "closed"
    again = room.post(path, ruling(item, "keep_b"))
    assert (again.status_code, again.json()["code"]) == (409, "stale_ruling")


def test_a_ruling_binds_what_was_shown(room: Room) -> None:
    """Where a side has changed since, nothing is ruled."""
    item = asked(room)
    answer = room.post(f"/reviews/{item['id']}/ruling", {**ruling(item, "keep_a"), "digest_b": "0"})
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_ruling")
    assert states(room) == {PORTO: ("active", True), FARO: ("active", True)}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"ruling": "keep"}, "ruling"),
        ({"ruling": "undo"}, "ruling"),
        ({"ruling": "relabel"}, "relabel"),
        ({"ruling": "keep_a", "relabel": "update"}, "relabel"),
        ({"ruling": "merge"}, "text"),
        ({"ruling": "skip"}, "reason"),
        ({"ruling": "keep_a", "reviewer": " "}, "reviewer"),
        ({"ruling": "keep_a", "verdict": "x"}, "verdict"),
    ],
)
def test_an_incomplete_ruling_names_its_field(given: dict[str, Any], field: str, room: Room) -> None:
    """Nothing is ruled by halves."""
    item = asked(room)
    answer = room.post(f"/reviews/{item['id']}/ruling", {**ruling(item, "keep_a"), **given})
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_a_ruling_is_taken_back(room: Room) -> None:
    """The question is asked again."""
    item = asked(room)
    ruled = room.post(f"/reviews/{item['id']}/ruling", ruling(item, "keep_a")).json()
    shown = room.get(f"/reviews/{item['id']}").json()
    assert shown["holding"] == ruled["ruling"]["id"]
    back = room.post(f"/rulings/{shown['holding']}/undo", {"reviewer": "kim"}).json()
    assert back["ruling"]["retracts"] == shown["holding"]
    assert states(room) == {PORTO: ("active", True), FARO: ("active", True)}
    assert len(room.get("/reviews").json()["items"]) == 1
    assert room.post(f"/rulings/{shown['holding']}/undo", {}).json()["code"] == "stale_ruling"


def test_two_reviewers_never_work_on_one_item_unknowingly(room: Room) -> None:
    """Whoever has it in hand is named to the other one, until it is let go."""
    item = asked(room)
    path = f"/reviews/{item['id']}"
    taken = room.post("/reviews/next", {"reviewer": "kim", "minutes": 5}).json()["review"]
    assert (taken["id"], taken["claim"]["reviewer"]) == (item["id"], "kim")
    assert room.post("/reviews/next", {"reviewer": "lou"}).json() == {"review": None}
    refused = room.post(f"{path}/claim", {"reviewer": "lou"})
    assert (refused.status_code, refused.json()["claimant"]) == (409, "kim")
    assert refused.json()["until"] == taken["claim"]["until"].replace("Z", "+00:00")
    ruled = room.post(f"{path}/ruling", ruling(item, "keep_a", reviewer="lou"))
    assert (ruled.status_code, ruled.json()["code"]) == (409, "claimed")
    for name, found in (("kim", [item["id"]]), ("lou", [])):
        assert [one["id"] for one in room.get("/reviews", claimed_by=name).json()["items"]] == found
    assert room.post(f"{path}/release", {"reviewer": "kim"}).json()["claim"] is None
    assert room.post(f"{path}/claim", {"reviewer": "lou"}).json()["claim"]["reviewer"] == "lou"


def test_items_are_given_to_people_and_noted_on(room: Room) -> None:
    """An assignment and a comment come with the item."""
    item = asked(room)
    path = f"/reviews/{item['id']}"
    assert room.post(f"{path}/assign", {"assignee": "lou"}).json()["assignee"] == "lou"
    noted = room.post(f"{path}/comments", {"text": "<b>ask</b> the registry", "author": "kim"})
    assert noted.status_code == 201
    shown = room.get(path).json()
    assert (shown["assignee"], shown["comments"]) == ("lou", [noted.json()])
    assert room.get("/reviews", assignee="lou").json()["items"] == [shown]
    assert room.get("/reviews", free_for="kim").json()["items"] == []
    assert room.post(f"{path}/assign", {"assignee": None}).json()["assignee"] is None


def test_the_queue_is_counted(room: Room) -> None:
    """By status, by kind, and what is urgent about it."""
    asked(room)
    counted = room.get("/reviews/counts").json()
    assert (counted["open"], counted["high_stakes"], counted["claimed"]) == (1, 1, 0)
    assert counted["kinds"] == {"conflict": 1}


def test_pages_follow_one_another(room: Room) -> None:
    """A page leads to the next, and a place that was never given out is refused."""
    asked(room)
    room.submit(room.record("Ben was born in Rome."), room.record("Ana moved to Porto."))
    page = room.get("/reviews", limit=1).json()
    assert (len(page["items"]), page["next"]) == (1, None)
    answer = room.get("/reviews", after="nowhere")
    assert (answer.status_code, answer.json()["field"]) == (422, "after")


def test_an_unknown_item_is_not_found(room: Room) -> None:
    """Whatever one would do with it, and also where it is another namespace's."""
    item = asked(room)
    for path in ("/reviews/rev_0", f"/reviews/{item['id']}"):
        client = room.client
        assert client.get(f"/v1{path}").status_code == 404
        assert client.post(f"/v1{path}/ruling", json=ruling(item, "keep_a")).status_code == 404
        assert client.post(f"/v1{path}/comments", json={"text": "x"}).status_code == 404


def test_a_reason_that_no_question_has_is_refused(room: Room) -> None:
    """The reasons that the document lists are those that there are."""
    assert set(get_args(QuestionKind)) == set(KINDS)
    refused = room.get("/reviews", kind="whim")
    assert (refused.status_code, refused.json()["field"]) == (422, "kind.0")
