"""Decisions over HTTP: read, taken back, and what rests on them."""

from __future__ import annotations

from tests.unit.web.conftest import Room


def decided(room: Room) -> dict[str, object]:
    """Let one statement supersede another and return the decision."""
    answer = room.submit(room.record("Ana lives in Lisbon."), room.record("Ana moved to Porto.", day=2))
    (decision,) = answer.json()["receipts"][0]["decisions"]
    return dict(decision)


def test_a_decision_is_taken_back(room: Room) -> None:
    """The superseded fact is current again, and the decision is no longer in force."""
    decision = decided(room)
    path = f"/decisions/{decision['id']}"
    before = room.get(path).json()
    assert (before["relation"], before["judge"], before["in_force"]) == ("update", "test", True)
    (state,) = room.post(f"{path}/undo", {"reviewer": "kim"}).json()["changed"]
    assert (state["fact_id"], state["state"]) == (decision["loser"], "active")
    assert room.get(path).json()["in_force"] is False
    ruled = room.get(f"/facts/{decision['loser']}/history").json()["entries"]
    assert [e["detail"]["reviewer"] for e in ruled if e["kind"] == "ruling"] == ["kim"]


def test_an_undo_needs_no_body(room: Room) -> None:
    """Whoever calls is the reviewer then."""
    decision = decided(room)
    answer = room.client.post(f"/v1/decisions/{decision['id']}/undo", params={"namespace": room.namespace})
    assert len(answer.json()["changed"]) == 1


def test_what_rests_on_a_decision_is_named(room: Room) -> None:
    """Nothing is undone until the caller says that all of it is meant."""
    decision = decided(room)
    room.submit(room.record("Ana moved to Faro.", day=3))
    path = f"/decisions/{decision['id']}/undo"
    refused = room.post(path, {})
    assert (refused.status_code, refused.json()["code"]) == (409, "dependent_decision")
    assert len(refused.json()["dependents"]) == 1
    changed = room.post(path, {"cascade": True}).json()["changed"]
    assert {state["state"] for state in changed} == {"active"}
    assert len(changed) == 2


def test_an_unknown_decision_is_not_found(room: Room) -> None:
    """Neither read nor taken back."""
    assert room.get("/decisions/dec_0").status_code == 404
    assert room.post("/decisions/dec_0/undo", {}).status_code == 404
    assert room.post("/decisions/dec_0/undo", {"casade": True}).json()["field"] == "casade"
