"""Erasing a fact: no word of it is left, everything that is no word stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arbiter.domain.evidence import GuardFinding, JudgedPair, Unjudged
from arbiter.domain.facts import Sighting, fact_of
from arbiter.domain.outcomes import FoundRelation, Reason, Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.errors import NotFoundError
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    active,
    apply,
    decision,
    judge,
    judged,
    keep,
    review,
    ruling,
    settled,
)
from tests.factories import day, make_sighting

SECRET = "xyzzy"
QUOTE = (GuardFinding("number", f"{SECRET} 5", f"{SECRET} 6"),)


def secret_sighting() -> Sighting:
    """Return a sighting that has the secret in each of its words."""
    return make_sighting(
        f"Ada {SECRET} here.",
        at=1,
        ref="r",
        subject=SECRET,
        claim_key=SECRET,
        value=SECRET,
        causal_hint=SECRET,
        tags=(SECRET,),
        metadata={SECRET: [SECRET]},
    )


def erased_pair(store: FactStore) -> tuple[str, str]:
    """Fill the store with a fact full of a secret, another one without, and erase the first."""
    told = secret_sighting()
    other = make_sighting("Bo lives in Rome.", at=2)
    a, b = keep(
        store, told, other, subjects={told.fact_id: SECRET}, entities={told.fact_id: frozenset({SECRET})}
    )
    said = judged(a, b, "update", reason=f"{SECRET}!", attribute=SECRET, merged_text=SECRET, guards=QUOTE)
    judge(store, JudgedPair(a, b, Unjudged("code", f"{SECRET}?", retryable=True, guards=QUOTE)), said)
    with store.writing(HERE) as tx:
        tx.put_vectors("m", [a, b], np.ones((2, 2), dtype=np.float32))
        tx.ruled(ruling(a, b, reason=SECRET))
        tx.apply(settled(*active(a, b), decisions=[decision(a, b)], reviews=[review(a, b, proposal=SECRET)]))
        tx.receipts(receipts(a, b))
        tx.erase(a)
    return a, b


def receipts(a: str, b: str) -> list[Receipt]:
    """Return a receipt of each of two facts, both full of the secret."""
    found = judged(a, b, "update", reason=SECRET, attribute=SECRET, guards=QUOTE).judgement
    held = Unjudged("code", SECRET, retryable=True)
    return [
        Receipt(
            0,
            HERE,
            Outcome.STORED,
            stored=True,
            fact_id=a,
            event_key="1",
            reason=Reason("code", SECRET),
            relations=(FoundRelation(b, "b", found), FoundRelation("fact_c", "b", held)),
        ),
        Receipt(
            1,
            HERE,
            Outcome.STORED,
            stored=True,
            fact_id=b,
            event_key="2",
            reason=Reason("code", "kept"),
            relations=(
                FoundRelation(a, "a", found),
                FoundRelation("fact_c", "a", replace(held, message="kept")),
            ),
        ),
    ]


def test_the_words_are_gone_and_the_fact_stays(store: FactStore) -> None:
    """What is left of the fact: its ids, fingerprint, source, times and counts."""
    before = secret_sighting()
    a, b = erased_pair(store)
    facts = store.facts(HERE, [a, b])
    assert SECRET not in repr(facts[a])
    assert facts[a].erased
    assert not facts[b].erased
    assert (facts[a].content, facts[a].subject, facts[a].value, facts[a].tags) == ("", None, None, ())
    assert facts[a].fingerprint == fact_of([before]).fingerprint
    assert store.by_fingerprint(HERE, [facts[a].fingerprint], limit=3) == {facts[a].fingerprint: [a]}
    (sighting,) = facts[a].sightings
    assert (sighting.id, sighting.event_key) == (before.id, before.event_key)
    assert (sighting.source, sighting.first_seen) == (before.source, day(1))
    assert store.by_reference(HERE, [("chat:1", "r")], limit=3) == {("chat:1", "r"): [a]}


def test_nobody_finds_it_by_its_words(store: FactStore) -> None:
    """Subject, claim key, entities and vectors are gone; the other fact's stay."""
    a, b = erased_pair(store)
    assert store.subjects(HERE) == []
    assert store.subjects_of(HERE, [a, b]) == {}
    assert store.by_subject(HERE, [SECRET], limit=3) == {}
    assert store.by_claim_key(HERE, [(SECRET, SECRET)], limit=3) == {}
    assert store.by_entity(HERE, [SECRET], limit=3) == {}
    assert store.entities(HERE, [a]) == {}
    assert [ids for _, ids, _ in store.vectors(HERE, "m", after=0)] == [[b]]
    assert store.unembedded(HERE, "m") == []
    assert store.unembedded(HERE, "other") == [b]


def test_what_quoted_it_is_blank_and_its_labels_stay(store: FactStore) -> None:
    """Judgements, rulings, questions and receipts keep what they decided and lose what they cited."""
    a, b = erased_pair(store)
    low, high = sorted((a, b))
    with store.writing(HERE) as tx:
        cluster = tx.cluster([b])
    blank = (GuardFinding("number", "", ""),)
    assert cluster.pairs == (judged(a, b, "update", guards=blank),)
    assert store.verdicts(HERE, [(low, high)]) == {(low, high): cluster.pairs[0]}
    assert store.rulings(HERE) == [ruling(a, b)]
    assert store.reviews(HERE) == [review(a, b)]
    assert store.decisions(HERE, [a]) == [decision(a, b)]
    assert store.states(HERE, [a]) == {a: active(a)[0]}
    told = receipts(a, b)
    own, others = (store.receipt(HERE, receipt.id) for receipt in told)
    assert SECRET not in repr((own, others))
    assert own["reason"] == {"code": "code", "message": "", "field": None}
    assert others["reason"] == {"code": "code", "message": "kept", "field": None}
    assert [found["relation"] for found in others["relations"]] == ["update", None]  # type: ignore[attr-defined]
    assert others["relations"][1]["unjudged"]["message"] == "kept"  # type: ignore[index]
    assert others["relations"][0]["guards"] == [  # type: ignore[index]
        {"guard": "number", "this": "", "other": ""}
    ]


def test_the_history_tells_of_the_erasure(store: FactStore) -> None:
    """Everything that happened is still listed, without the words."""
    a, b = erased_pair(store)
    kinds = ["sighting", "judgement", "judgement", "ruling", "decision", "state", "erasure"]
    assert [entry.kind for entry in store.history(HERE, a)] == kinds
    assert SECRET not in repr(store.history(HERE, a))
    assert SECRET not in repr(store.history(HERE, b))


def test_an_erased_fact_does_not_come_back(store: FactStore) -> None:
    """What is said, found or told about it later is kept without its words."""
    a, b = erased_pair(store)
    again = make_sighting(f"ada {SECRET} here", at=5, source="s2", subject=SECRET)
    assert again.fact_id == a
    keep(store, again, subjects={a: SECRET}, entities={a: frozenset({SECRET})})
    judge(store, judged(b, a, "duplicate", reason=SECRET))
    with store.writing(HERE) as tx:
        tx.put_vectors("m", [a], np.ones((1, 2), dtype=np.float32))
        tx.receipts(receipts(a, b))
        tx.erase(a)
    fact = store.facts(HERE, [a])[a]
    assert (fact.erased, fact.content, len(fact.sightings)) == (True, "", 2)
    assert SECRET not in repr((fact, store.history(HERE, a), store.receipt(HERE, receipts(a, b)[0].id)))
    assert store.subjects(HERE) == []
    assert [ids for _, ids, _ in store.vectors(HERE, "m", after=0)] == [[b]]
    assert [entry.kind for entry in store.history(HERE, a)].count("erasure") == 1


def test_only_known_facts_can_be_erased(store: FactStore) -> None:
    """An unknown id is an error, and nothing happens."""
    with pytest.raises(NotFoundError, match="fact_unknown"), store.writing(HERE) as tx:
        tx.erase("fact_unknown")
    assert apply(store, settled()) == []
