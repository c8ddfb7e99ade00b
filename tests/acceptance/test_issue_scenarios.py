"""The scenes that arbiter was made for, from record to receipt: relation, action, rule, states, history."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from arbiter import RulingKind
from arbiter.domain.vocabulary import State
from arbiter.errors import StaleRulingError
from tests.acceptance.bench import Bench, Says, bench, decision, outcomes, relation, says
from tests.acceptance.field_cases import told

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


ENDS = {
    "keep_both": ("active", "active"),
    "review": ("active contested", "active contested"),
    "supersede": ("superseded", "active"),
}
ASKS = {"complementary-doubt": ["stale_risk"], "high-stakes-contradiction": ["conflict"]}


@dataclass(frozen=True)
class Scene:
    """Two statements, what the model says of them, and what the policy makes of it."""

    earlier: dict[str, Any]
    later: dict[str, Any]
    said: Says
    action: str
    rule: str


def scene(
    earlier: str,
    later: str,
    label: str,
    action: str,
    rule: str,
    *,
    about: tuple[str, str] = ("Ana", "Ana"),
    valid_to: str | None = None,
    **verdict: Any,
) -> Scene:
    """Return a scene of one user, two months apart; ``valid_to`` is the end of what the later one says."""
    return Scene(
        told(earlier, "2026-01-10", subject=about[0]),
        told(later, "2026-03-10", subject=about[1], valid_to=valid_to),
        says(earlier, later, label, **verdict),
        action,
        rule,
    )


HAZARD_OF_PRAWNS = ("contradiction", "review", "high-stakes-contradiction")
CHANGE = ("update", "supersede", "change")
TEAM = ("the team", "the team")
SCENES = {
    "a week in Berlin": scene(
        "I live in Lisbon.",
        "I am in Berlin this week.",
        "complementary",
        "keep_both",
        "complementary",
        mutability="ephemeral",
    ),
    "a week in Berlin, called a move": scene(
        "I live in Lisbon.",
        "I am in Berlin this week.",
        "update",
        "keep_both",
        "passing-state",
        valid_to="2026-03-16T00:00:00Z",
    ),
    "prawns for somebody allergic": scene(
        "I'm allergic to shellfish.", "Ordered prawns for dinner tonight.", *HAZARD_OF_PRAWNS, stakes="high"
    ),
    "prawns, in words far from the allergy": scene(
        "I am allergic to shellfish.",
        "I ordered the prawn curry for Friday.",
        *HAZARD_OF_PRAWNS,
        stakes="high",
    ),
    "the team grew": scene(
        "Our team is 5 people.", "Our team is now 8 engineers and 2 designers.", *CHANGE, about=TEAM
    ),
    "the team grew, in other words": scene(
        "We are a team of 5.", "We are 8 engineers and 2 designers now.", *CHANGE, about=TEAM
    ),
    "spicy, not very spicy": scene(
        "I like spicy food.", "Not very spicy dishes, please.", "complementary", "keep_both", "complementary"
    ),
    "the employer is gone": scene(
        "Ana works at Acme.",
        "Acme went bankrupt last month.",
        "complementary",
        "keep_both",
        "complementary-doubt",
        about=("Ana", "Acme"),
        stale_risk="a",
    ),
    "promoted": scene("I am a senior engineer.", "I am a staff engineer.", *CHANGE),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str) -> None:
    """The pair is found, gets its relation, and the rule that decides it leaves the states it should."""
    played = SCENES[name]
    with bench(played.said) as on:
        a, b = on.one(played.earlier), on.one(played.later)
        assert on.asked() == [frozenset(played.said.texts)]
        made = decision(b, a.fact_id)
        assert (relation(b, a.fact_id), made.action) == (played.said.relation, played.action)
        assert made.rule == played.rule
        assert tuple(on.states().values()) == ENDS[played.action]
        assert [item.kind for item in on.arbiter.review.items()] == ASKS.get(played.rule, [])
        if played.action == "supersede":
            assert (made.winner, b.supersedes) == (b.fact_id, (a.fact_id,))
            assert on.views()[played.said.texts[0]].state.successor == b.fact_id


def test_three_sources_two_rates_one_is_read() -> None:
    """The corrected rate alone is found and listed; the history of the wrong one says why and how sure."""
    price_list = told("The card fee is 3.5% + 35c.", "2026-01-10", by="doc:prices", kind="third_party")
    agent = told(
        "Card payments cost a fee of 3.5% + 35c.", "2026-01-12", by="agent:sales", kind="agent_inference"
    )
    owner = told("Correction: the card fee is 2.9% + 30c, not 3.5% + 35c.", "2026-02-01", by="u:owner")
    wrong, echo, right = price_list["content"], agent["content"], owner["content"]
    with bench(
        says(wrong, echo, "duplicate", confidence=0.97),
        says(wrong, right, "update", update_kind="correction", confidence=0.93),
        says(echo, right, "update", update_kind="correction", confidence=0.93),
    ) as on:
        records = [dict(record, subject="card fee") for record in (price_list, agent, owner)]
        _, echoed, corrected = on.add(*records)
        assert on.states() == {wrong: "tombstoned", echo: "tombstoned", right: "active"}
        assert on.active() == {right}
        assert [hit.fact.content for hit in on.arbiter.search("what is the card fee?")] == [right]
        views = on.views()
        assert {views[text].state.successor for text in (wrong, echo)} == {corrected.fact_id}
        assert {views[text].state.reason for text in (wrong, echo)} == {"correction"}
        for text in (wrong, echo):
            entries = on.arbiter.history(views[text].fact.id)
            (made,) = [e.detail for e in entries if e.kind == "decision" and e.detail["rule"] == "correction"]
            assert (made["action"], made["winner"]) == ("tombstone", corrected.fact_id)
            scores = made["scores"]
            assert isinstance(scores, dict)
            assert (scores["verdict_confidence"], scores["threshold"]) == (0.93, 0.8)
        assert echoed.fact_id is not None
        merges = [made for made in on.decisions(echoed.fact_id) if made.rule == "duplicate"]
        assert [made.scores["verdict_confidence"] for made in merges] == [0.97]


def test_the_same_sentence_three_times_is_one_fact() -> None:
    """Nothing is superseded; another confidence class or a causal hint is recorded as news about it."""
    tea = told("Ana drinks green tea.", "2026-01-10", confidence=0.9)
    with bench() as on:
        assert outcomes(on.one(tea) for _ in range(3)) == ["stored", "unchanged", "unchanged"]
        (view,) = on.arbiter.facts(state=None)
        known = view.fact.digest
        assert (view.fact.seen_count, len(view.fact.sightings), on.decisions(view.fact.id)) == (3, 1, [])
        wobble = on.one({**tea, "confidence": 0.85})
        less_sure = on.one({**tea, "observed_at": "2026-02-01T09:00:00Z", "confidence": 0.4})
        why = on.one({**tea, "observed_at": "2026-02-02T09:00:00Z", "causal_hint": "her doctor advised it"})
        assert outcomes([wobble, less_sure, why]) == ["unchanged", "merged", "merged"]
        assert [receipt.stored for receipt in (wobble, less_sure, why)] == [False, True, True]
        (view,) = on.arbiter.facts(state=None)
        told_as = [(s.record.confidence, s.record.causal_hint) for s in view.fact.sightings]
        assert told_as == [(0.9, None), (0.4, None), (0.9, "her doctor advised it")]
        assert (view.state.state, view.fact.seen_count) == (State.ACTIVE, 6)
        assert view.fact.digest != known
        assert on.decisions(view.fact.id) == []
        assert [e.kind for e in on.arbiter.history(view.fact.id)].count("sighting") == 3


ALLERGY = told("Rita is allergic to penicillin.", "2026-01-10", by="u:rita", subject="Rita")
ORDER = {
    **told("Rita was prescribed penicillin V.", "2026-03-10", by="ward:3", kind="verified_observation"),
    "subject": "Rita",
}
ORDER["source"]["ref"] = "rx:17"
HAZARD = says(ALLERGY["content"], ORDER["content"], "contradiction", stakes="high", mutability="immutable")


def prescribed(on: Bench) -> str:
    """Submit allergy and prescription and return the review item."""
    on.one(ALLERGY)
    (item,) = on.one(ORDER).review
    return item


def test_an_allergy_and_a_prescription_wait_for_a_person() -> None:
    """Both stay visible, contested and urgent; a ruling settles it and survives every compile."""
    with bench(HAZARD) as on:
        usual = "The lamp is on.", "The lamp is off."
        on.answers[says(*usual, "contradiction").key] = says(*usual, "contradiction")
        on.add(told(usual[0], "2026-01-01"), told(usual[1], "2026-01-02", by="u:2"))
        item = prescribed(on)
        states = on.states()
        assert [states[r["content"]] for r in (ALLERGY, ORDER)] == ["active contested"] * 2
        first, second = on.arbiter.review.items()
        # 100 for high stakes, 50 for a conflict, 2 for having been seen twice in all.
        assert (first.id, first.priority, second.priority) == (item, 152, 52)
        changed = on.arbiter.review.rule(item, RulingKind.KEEP_A, reviewer="dr. lee", reason="asked the ward")
        assert {(state.state, state.reason) for state in changed} == {
            ("active", None),
            ("tombstoned", "ruling"),
        }
        ruled = on.states()
        assert [ruled[r["content"]] for r in (ALLERGY, ORDER)] == ["active", "tombstoned"]
        for from_scratch in (False, True):
            assert on.arbiter.compile(from_scratch=from_scratch).created == 0
            assert on.states() == ruled
        assert outcomes([on.one(ORDER), on.one(ALLERGY)]) == ["unchanged", "unchanged"]
        assert on.states() == ruled
        assert [entry.id for entry in on.arbiter.review.items()] == [second.id]


def test_a_ruling_on_what_has_changed_is_refused() -> None:
    """Known otherwise, or edited at its source, since it was shown: the ruling changes nothing."""
    edited = {**ORDER, "content": "Rita was prescribed erythromycin.", "observed_at": "2026-03-11T09:00:00Z"}
    with bench(HAZARD) as on:
        item = prescribed(on)
        shown = on.arbiter.review.show(item)
        seen = (shown.digest_a, shown.digest_b)
        on.one({**ALLERGY, "confidence": 0.4, "observed_at": "2026-03-11T09:00:00Z"})
        before = on.states()
        with pytest.raises(StaleRulingError, match="changed since it was shown"):
            on.arbiter.review.rule(item, RulingKind.KEEP_B, reviewer="kim", seen=seen)
        assert on.states() == before
        on.one(edited)
        assert on.states()[ORDER["content"]] == "superseded"
        with pytest.raises(StaleRulingError, match="no longer open"):
            on.arbiter.review.rule(item, RulingKind.KEEP_B, reviewer="kim")
        assert on.states()[ALLERGY["content"]] == "active"


def test_an_edited_title_is_a_new_version_of_the_same_thing() -> None:
    """Under the source's own reference the event stays the same; the later title alone is active."""
    source = {"id": "github:acme:api-server", "kind": "verified_observation", "ref": "issue:4471:opened"}
    opened = told("Issue 4471: Login fails.", "2026-01-10", source=source)
    edited = told("Issue 4471: Login fails behind a proxy.", "2026-01-11", source=source)
    with bench() as on:
        a, again, b, reread = (on.one(r) for r in (opened, opened, edited, edited))
        assert outcomes([a, again, b, reread]) == ["stored", "unchanged", "stored", "unchanged"]
        assert a.event_key == b.event_key == "github:acme:api-server:issue:4471:opened"
        made = decision(b, a.fact_id)
        assert (relation(b, a.fact_id), made.action, made.rule) == ("update", "supersede", "change")
        assert on.states() == {opened["content"]: "superseded", edited["content"]: "active"}
        assert on.asked() == []


def test_a_source_keyed_by_content_tells_scans_apart_by_what_they_say(tmp_path: Path) -> None:
    """The same finding under another scan's reference has the same key; another finding is a new fact."""
    policy = resources.files("arbiter").joinpath("assets/policy.toml").read_text("utf-8")
    by_content = '[[sources]]\nmatch = "scanner:*"\nevent_key = "content"\n\n[[sources]]'
    (tmp_path / "policy.toml").write_text(policy.replace("[[sources]]", by_content, 1), "utf-8")

    def scanned(content: str, number: int) -> dict[str, Any]:
        source = {"id": "scanner:licences", "kind": "verified_observation", "ref": f"scan:{number}"}
        return told(content, f"2026-01-0{number}", source=source, subject="lib-zip")

    unchanged, changed = "lib-zip is under the MIT licence.", "lib-zip is under the GPL licence."
    with bench(says(unchanged, changed, "update"), policy_file=tmp_path / "policy.toml") as on:
        a, again, b = (on.one(scanned(*r)) for r in ((unchanged, 1), (unchanged, 2), (changed, 3)))
        assert outcomes([a, again, b]) == ["stored", "unchanged", "stored"]
        assert a.event_key == again.event_key == f"scanner:licences:{a.fact_id}"
        assert b.event_key == f"scanner:licences:{b.fact_id}"
        assert on.states() == {unchanged: "superseded", changed: "active"}
