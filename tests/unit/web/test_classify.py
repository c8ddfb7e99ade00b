"""POST /v1/classify: a verdict for every pair, and nothing stored."""

from __future__ import annotations

from arbiter.web.models.verdicts import VerdictOut
from tests.unit.web.conftest import Room, told

LISBON, PORTO = told("Ana lives in Lisbon."), told("Ana moved to Porto.", day=2)


def test_pairs_are_judged_in_their_order(room: Room) -> None:
    """The sides are those of the caller, so exchanging them exchanges the answer."""
    pairs = [{"id": "x", "a": LISBON, "b": PORTO}, {"a": PORTO, "b": LISBON}]
    answer = room.client.post("/v1/classify", json={"pairs": pairs})
    assert answer.status_code == 200
    one, other = answer.json()["verdicts"]
    assert (one["id"], one["relation"], one["current"]) == ("x", "update", "b")
    assert (other["id"], other["relation"], other["current"]) == (None, "update", "a")
    assert (answer.json()["refused"], answer.json()["partial"]) == (0, False)
    assert room.get("/facts", state="all").json()["facts"] == []


def test_a_bad_pair_is_answered_with_its_fault(room: Room) -> None:
    """It has no relation and no default, the same keys as any, and the other pair has its verdict."""
    pairs = [{"id": "bad", "a": LISBON, "b": {**PORTO, "source": 1}}, {"id": "ok", "a": LISBON, "b": PORTO}]
    answer = room.client.post("/v1/classify", json={"pairs": pairs})
    assert (answer.status_code, answer.json()["partial"]) == (207, True)
    bad, good = answer.json()["verdicts"]
    assert (bad["id"], bad["relation"], bad["unjudged"]) == ("bad", None, None)
    assert (bad["error"]["code"], bad["error"]["field"]) == ("invalid_record", "b.source")
    assert bad.keys() == good.keys() == VerdictOut.model_fields.keys()
    assert (good["relation"], good["error"]) == ("update", None)


def test_where_no_pair_is_valid_the_answer_is_a_problem(room: Room) -> None:
    """It names the first fault and still holds an answer for each."""
    pairs = [{"a": LISBON}, 5, {"id": ["x"], "a": LISBON, "b": PORTO}, {"a": LISBON, "b": PORTO, "c": 1}]
    answer = room.client.post("/v1/classify", json={"pairs": pairs})
    problem = answer.json()
    assert (answer.status_code, problem["field"]) == (422, "pairs.0.b")
    assert [verdict["error"]["field"] for verdict in problem["verdicts"]] == ["b", None, "id", "c"]


def test_there_is_a_limit(room: Room) -> None:
    """More pairs than allowed are too many as a whole."""
    answer = room.client.post("/v1/classify", json={"pairs": [{"a": LISBON, "b": PORTO}] * 257})
    assert (answer.status_code, answer.json()["field"]) == (413, "pairs")
