"""The policy over HTTP."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from tests.unit.web.conftest import Room


def packaged() -> dict[str, Any]:
    """Return the packaged policy as its file holds it."""
    return tomllib.loads((resources.files("arbiter") / "assets" / "policy.toml").read_text("utf-8"))


def test_the_policy_is_shown(room: Room) -> None:
    """Every rule of the file, in its order, with the digest that rulings name."""
    shown = room.client.get("/v1/policy").json()
    assert [rule["id"] for rule in shown["rules"]] == [rule["id"] for rule in packaged()["rules"]]
    assert shown["digest"] == room.server.arbiter.context.policy.digest
    assert shown["thresholds"]["duplicate"] == packaged()["thresholds"]["duplicate"]


def test_the_same_policy_changes_nothing(room: Room) -> None:
    """What is in force decides as it did."""
    room.submit(room.record("Ana lives in Lisbon."), room.record("Ana moved to Porto.", day=2))
    assert room.post("/policy/diff", {"policy": packaged()}).json() == {"facts": []}


def test_another_policy_is_compared(room: Room) -> None:
    """A threshold that nothing reaches would put the change before a person."""
    room.submit(room.record("Ana lives in Lisbon."), room.record("Ana moved to Porto.", day=2))
    policy = packaged()
    policy["thresholds"] = dict.fromkeys(policy["thresholds"], 1.0)
    flips = room.post("/policy/diff", {"policy": policy}).json()["facts"]
    assert {(flip["content"], flip["before"]["state"], flip["after"]["state"]) for flip in flips} == {
        ("Ana lives in Lisbon.", "superseded", "active"),
        ("Ana moved to Porto.", "active", "active"),
    }
    assert all(flip["after"]["contested"] for flip in flips)
    assert room.get("/facts", state="superseded").json()["facts"][0]["content"] == "Ana lives in Lisbon."


def test_faults_of_a_policy_are_told(room: Room) -> None:
    """A field that is no field, and a table that leaves cells open."""
    unknown = packaged()
    unknown["rules"][0]["acton"] = "review"
    answer = room.post("/policy/diff", {"policy": unknown})
    assert (answer.status_code, answer.json()["field"]) == (422, "policy.rules.0.acton")
    short = packaged()
    del short["rules"][1:]
    answer = room.post("/policy/diff", {"policy": short})
    assert (answer.status_code, answer.json()["field"]) == (422, "policy")
    assert "no rule decides" in answer.json()["detail"]
