"""Facts over HTTP: pages, times, traces, search, erasure, and deriving again."""

from __future__ import annotations

from tests.unit.web.conftest import Room

LISBON, PORTO, TEA = "Ana lives in Lisbon.", "Ana moved to Porto.", "Ben drinks tea."


def seed(room: Room) -> list[str]:
    """Submit three statements, of which the second one supersedes the first, and return their ids."""
    receipts = room.submit(
        room.record(LISBON, subject="ana"),
        room.record(PORTO, day=2, subject="ana"),
        room.record(TEA, day=3, subject="ben"),
    ).json()["receipts"]
    return [receipt["fact_id"] for receipt in receipts]


def contents(room: Room, **query: object) -> list[str]:
    """Return what the listed facts say."""
    return [fact["content"] for fact in room.get("/facts", **query).json()["facts"]]


def test_the_active_facts_are_listed_unless_said_otherwise(room: Room) -> None:
    """States, subjects and all of them can be asked for; the order is by time."""
    seed(room)
    assert contents(room) == [PORTO, TEA]
    assert contents(room, state="superseded") == [LISBON]
    assert contents(room, state="all") == [LISBON, PORTO, TEA]
    assert contents(room, state="all", subject="Ana") == [LISBON, PORTO]


def test_pages_lead_to_one_another(room: Room) -> None:
    """``next`` is given until there is no more, and no fact is left out or told twice."""
    seed(room)
    told, after = [], None
    for _ in range(3):
        query = {"state": "all", "limit": 1} | ({"after": after} if after else {})
        page = room.get("/facts", **query).json()
        told += [fact["content"] for fact in page["facts"]]
        after = page["next"]
    assert (told, after) == ([LISBON, PORTO, TEA], None)


def test_a_page_behind_nothing_is_not_found(room: Room) -> None:
    """A cursor that is no fact of the namespace is an error, not an empty page."""
    seed(room)
    assert room.get("/facts", after="fact_0").json()["code"] == "not_found"
    moment = "2026-01-01T12:00:00Z"
    assert room.get("/facts", after="fact_0", as_of=moment).status_code == 404


def test_facts_as_they_stood(room: Room) -> None:
    """Before the move became known, Lisbon was current; pages go on from there, too."""
    lisbon, *_ = seed(room)
    assert contents(room, as_of="2026-01-01T12:00:00Z") == [LISBON]
    assert contents(room, as_of="2026-01-03T12:00:00+00:00", state="all", after=lisbon) == [PORTO, TEA]
    answer = room.get("/facts", as_of="2026-01-01T12:00:00")
    assert (answer.status_code, answer.json()["field"]) == (422, "as_of")


def test_one_fact_comes_with_its_decisions(room: Room) -> None:
    """It says where it stands, what stands for it now, and by which rule."""
    lisbon, porto, _ = seed(room)
    fact = room.get(f"/facts/{lisbon}").json()
    assert (fact["content"], fact["state"], fact["successor"]) == (LISBON, "superseded", porto)
    (decision,) = fact["decisions"]
    assert (decision["action"], decision["winner"], decision["loser"]) == ("supersede", porto, lisbon)


def test_a_fact_of_another_namespace_is_not_there(room: Room) -> None:
    """The id is of no use elsewhere."""
    lisbon, *_ = seed(room)
    answers = [room.client.get(f"/v1/facts/{lisbon}{more}") for more in ("", "/history")]
    answers.append(room.client.delete(f"/v1/facts/{lisbon}"))
    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_the_history_tells_everything(room: Room) -> None:
    """Sighting, judgement, decision and states, in their order."""
    lisbon, *_ = seed(room)
    history = room.get(f"/facts/{lisbon}/history").json()
    assert history["fact_id"] == lisbon
    kinds = [entry["kind"] for entry in history["entries"]]
    assert kinds[0] == "sighting"
    assert set(kinds) == {"sighting", "judgement", "decision", "state"}


def test_search_finds_what_is_current(room: Room) -> None:
    """What was superseded is no answer."""
    seed(room)
    hits = room.post("/search", {"text": "Ana moved to Porto", "limit": 2}).json()["hits"]
    assert [hit["content"] for hit in hits] == [PORTO, TEA]
    assert hits[0]["similarity"] > hits[1]["similarity"]


def test_an_erased_fact_says_nothing_any_more(room: Room) -> None:
    """Its words are gone, its id stays, and to erase it again is no error."""
    *_, tea = seed(room)
    for _ in range(2):
        answer = room.client.delete(f"/v1/facts/{tea}", params={"namespace": room.namespace})
        assert answer.json() == {"fact_id": tea, "erased": True}
    fact = room.get(f"/facts/{tea}").json()
    assert (fact["content"], fact["state_reason"]) == ("", "erased")


def test_deriving_again_changes_nothing(room: Room) -> None:
    """Neither from what is there nor from scratch."""
    seed(room)
    nothing = {"created": 0, "changed": 0, "resumed": 0, "retried": 0}
    for scratch in ("false", "true"):
        done = room.post("/compile", from_scratch=scratch).json()
        assert {name: done[name] for name in nothing} == nothing


def test_facts_to_look_at_again(room: Room) -> None:
    """A source that went on to say other things is named."""
    room.submit(room.record(TEA, day=1))
    room.submit(room.record("Ben plays chess.", day=1, observed_at="2025-01-01T09:00:00Z"))
    (fact,) = room.get("/facts/unseen").json()["facts"]
    assert (fact["content"], fact["silent_sources"]) == ("Ben plays chess.", ["chat:1"])


def test_a_state_that_is_none_is_refused_by_those_there_are(room: Room) -> None:
    """The message lists them as callers write them."""
    answer = room.get("/facts", state="gone")
    assert (answer.status_code, answer.json()["field"]) == (422, "state")
    states = "'active', 'superseded', 'tombstoned', 'pending' or 'all'"
    assert answer.json()["detail"] == f"state: Input should be {states}"
