"""What any place for answers under an Idempotency-Key promises."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from arbiter.domain.answers import Answer, Claim, Digests, Known
from arbiter.domain.outcomes import FoundRelation, Reason, Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.receipts import receipt_json
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import HERE, RECORDED, keep
from tests.factories import make_sighting, verdict

SECRET = "xyzzy"
FIELDS: Digests = {"body": {"records": [{"content": "c0ffee", "source": "5eed"}]}, "path": "a"}
CLAIM = Claim(
    id="digest of caller and key",
    owner="first",
    fingerprint="whole",
    fields=FIELDS,
    at=RECORDED,
    locked_until=RECORDED + timedelta(seconds=15),
    keep_until=RECORDED + timedelta(hours=24),
)
DONE = Answer(207, '{"records":2,"note":"schön"}'.encode())


def later(claim: Claim, seconds: float, **fields: Any) -> Claim:
    """Return the same request sent again so many seconds later, by another owner unless said otherwise."""
    gone = timedelta(seconds=seconds)
    known = {"owner": "second"} | fields
    moved = replace(claim, at=claim.at + gone, locked_until=claim.locked_until + gone, **known)
    return replace(moved, keep_until=claim.keep_until + gone)


def answer_of(*receipts: Receipt) -> Answer:
    """Return an answer that holds these receipts."""
    return Answer(200, json.dumps({"receipts": [receipt_json(receipt) for receipt in receipts]}).encode())


def kept_answer(store: FactStore, claim: Claim) -> Answer:
    """Return the answer that a request sent again gets."""
    known = store.answers.claim(claim)
    assert known is not None
    assert known.answer is not None
    return known.answer


def kept_receipts(store: FactStore, claim: Claim) -> list[Any]:
    """Return the receipts of that answer."""
    found: list[Any] = json.loads(kept_answer(store, claim).body)["receipts"]
    return found


def test_the_first_request_is_carried_out_and_its_answer_kept(store: FactStore) -> None:
    """Whoever comes meanwhile learns that it is under way, whoever comes later gets the very same bytes."""
    assert store.answers.claim(CLAIM) is None
    assert store.answers.claim(later(CLAIM, 1)) == Known("whole", FIELDS, None)
    assert store.answers.finish(CLAIM, DONE, HERE)
    for seconds in (2, 60, 23 * 3600):
        assert store.answers.claim(later(CLAIM, seconds)) == Known("whole", FIELDS, DONE)


def test_another_request_under_the_key_learns_what_came_first(store: FactStore) -> None:
    """It gets the digests to compare with, while the first is under way, when it is abandoned, and after."""
    other = replace(CLAIM, fingerprint="other", fields="x", owner="second")
    store.answers.claim(CLAIM)
    assert store.answers.claim(other) == Known("whole", FIELDS, None)
    assert store.answers.claim(later(other, 3600)) == Known("whole", FIELDS, None)
    assert store.answers.finish(CLAIM, DONE, HERE)
    assert store.answers.claim(other) == Known("whole", FIELDS, DONE)


def test_other_ids_are_other_requests(store: FactStore) -> None:
    """Two callers, or two keys, know nothing of one another."""
    store.answers.claim(CLAIM)
    store.answers.finish(CLAIM, DONE, HERE)
    assert store.answers.claim(replace(CLAIM, id="another caller")) is None


def test_a_crashed_owner_is_replaced_when_its_time_is_up(store: FactStore) -> None:
    """Not before; and the one that was given up for gone can neither keep an answer nor undo anything."""
    store.answers.claim(CLAIM)
    second = later(CLAIM, 15)
    assert store.answers.claim(later(CLAIM, 14.9)) is not None
    assert store.answers.claim(second) is None
    assert not store.answers.renew(CLAIM, second.locked_until + timedelta(hours=1))
    assert not store.answers.finish(CLAIM, Answer(200, b'"of the first"'), HERE)
    store.answers.release(CLAIM)
    assert store.answers.claim(later(CLAIM, 20, owner="third")) == Known("whole", FIELDS, None)
    assert store.answers.finish(second, DONE, HERE)
    assert kept_answer(store, later(CLAIM, 21)) == DONE


def test_an_owner_at_work_keeps_its_place(store: FactStore) -> None:
    """Renewed, the lock holds beyond its first time."""
    store.answers.claim(CLAIM)
    assert store.answers.renew(CLAIM, CLAIM.at + timedelta(seconds=30))
    assert store.answers.claim(later(CLAIM, 29.9)) == Known("whole", FIELDS, None)
    assert store.answers.claim(later(CLAIM, 30)) is None


def test_a_request_that_came_to_nothing_is_forgotten(store: FactStore) -> None:
    """Released, it may be sent again, with another body too; an answer that is kept is not released."""
    store.answers.claim(CLAIM)
    store.answers.release(CLAIM)
    other = replace(CLAIM, fingerprint="other", owner="second")
    assert store.answers.claim(other) is None
    assert store.answers.finish(other, DONE, HERE)
    store.answers.release(other)
    assert not store.answers.finish(other, Answer(200, b"{}"), HERE)
    assert not store.answers.renew(other, other.keep_until)
    assert kept_answer(store, later(other, 1)) == DONE


def test_an_answer_is_kept_for_its_time(store: FactStore) -> None:
    """After it the key is free, for another request too, purged or not."""
    store.answers.claim(CLAIM)
    store.answers.finish(CLAIM, DONE, HERE)
    day_later = later(CLAIM, 24 * 3600, fingerprint="other")
    assert store.answers.claim(later(CLAIM, 24 * 3600 - 1)) is not None
    assert store.answers.claim(day_later) is None
    assert store.answers.claim(later(CLAIM, 24 * 3600 + 1)) == Known("other", FIELDS, None)


def test_purging_forgets_what_is_past_its_time_and_nothing_else(store: FactStore) -> None:
    """It says how many went: answers, and requests that nobody finished."""
    names = [f"request {number}" for number in range(520)]
    for number, name in enumerate(names):
        claim = replace(later(CLAIM, number), id=name)
        store.answers.claim(claim)
        if number % 2:
            store.answers.finish(claim, DONE, HERE)
    assert store.answers.purge(CLAIM.keep_until - timedelta(seconds=1)) == 0
    assert store.answers.purge(CLAIM.keep_until + timedelta(seconds=517)) == 518
    assert store.answers.claim(replace(CLAIM, id=names[517])) is None
    assert store.answers.claim(replace(CLAIM, id=names[518])) == Known("whole", FIELDS, None)
    assert kept_answer(store, replace(CLAIM, id=names[519])) == DONE


def test_whoever_comes_later_tidies_up(store: FactStore) -> None:
    """A claim forgets some of what is past its time, so that little is left where nobody purges."""
    for number in range(8):
        store.answers.claim(replace(later(CLAIM, number), id=f"request {number}"))
    store.answers.claim(replace(later(CLAIM, 24 * 3600 + 3), id="a day later"))
    assert store.answers.purge(CLAIM.keep_until + timedelta(seconds=7)) == 4


def test_erasing_a_fact_takes_what_quotes_it_out_of_answers(store: FactStore) -> None:
    """Its own receipt and those of others lose their quotes of it; what they say of third facts stays."""
    a, b = keep(store, make_sighting(f"Ada {SECRET}.", at=1), make_sighting("Bo lives in Rome.", at=2))
    found = verdict("update", reason=f"says {SECRET}", attribute=SECRET)
    own = Receipt(
        0, HERE, Outcome.STORED, stored=True, fact_id=a, event_key="1", reason=Reason("code", SECRET)
    )
    about = Receipt(
        1,
        HERE,
        Outcome.STORED,
        stored=True,
        fact_id=b,
        event_key="2",
        relations=(
            FoundRelation(a, "a", found),
            FoundRelation("fact_c", "a", verdict("update", reason="stays")),
        ),
    )
    store.answers.claim(CLAIM)
    store.answers.finish(CLAIM, answer_of(own, about), HERE)
    assert SECRET in repr(kept_receipts(store, later(CLAIM, 1)))
    with store.writing(HERE) as tx:
        tx.erase(a)
    receipts = kept_receipts(store, later(CLAIM, 2))
    assert SECRET not in repr(receipts)
    assert [receipt["receipt_id"] for receipt in receipts] == [own.id, about.id]
    assert receipts[0]["reason"] == {"code": "code", "message": "", "field": None}
    assert [(r["relation"], r["reason"]) for r in receipts[1]["relations"]] == [
        ("update", ""),
        ("update", "stays"),
    ]


def test_an_answer_that_comes_after_the_erasure_is_kept_without_the_quotes(store: FactStore) -> None:
    """A request under way while a fact is erased does not bring its words back."""
    (a,) = keep(store, make_sighting(f"Ada {SECRET}.", at=1))
    receipt = Receipt(
        0, HERE, Outcome.STORED, stored=True, fact_id=a, event_key="1", reason=Reason("code", SECRET)
    )
    store.answers.claim(CLAIM)
    with store.writing(HERE) as tx:
        tx.erase(a)
    store.answers.finish(CLAIM, answer_of(receipt), HERE)
    assert SECRET not in repr(kept_receipts(store, later(CLAIM, 1)))


@pytest.mark.parametrize(("gone", "reason"), [("other", SECRET), ("merged", ""), ("a", ""), ("b", "")])
def test_the_reason_of_a_ruling_goes_with_either_side(store: FactStore, gone: str, reason: str) -> None:
    """Whichever fact is erased, the one that a merge wrote included; a third one touches nothing."""
    names = ("a", "b", "merged", "other")
    facts = dict(zip(names, keep(store, *(make_sighting(f"Fact {name}.") for name in names)), strict=True))
    ruling = {name: facts[name] for name in names[:3]} | {"id": "rul_1", "reason": SECRET}
    body = json.dumps({"ruling": ruling, "changed": []}).encode()
    before, after = replace(CLAIM, id="before"), replace(CLAIM, id="after")
    store.answers.claim(before)
    store.answers.finish(before, Answer(200, body), HERE)
    store.answers.claim(after)
    with store.writing(HERE) as tx:
        tx.erase(facts[gone])
    store.answers.finish(after, Answer(200, body), HERE)
    for claim in (before, after):
        kept = json.loads(kept_answer(store, later(claim, 1)).body)
        assert kept == {"ruling": ruling | {"reason": reason}, "changed": []}


def deferred() -> Receipt:
    """Return a receipt that names subjects and no fact."""
    reason = Reason("ambiguous_subject", f"could be any of: {SECRET} Okafor, {SECRET} Smith", "subject")
    return Receipt(0, HERE, Outcome.DEFERRED, stored=False, event_key="1", reason=reason)


def test_names_of_subjects_go_with_any_erasure_of_the_namespace(store: FactStore) -> None:
    """A deferred receipt lists subjects whose facts it does not know; other namespaces do not touch it."""
    (here,) = keep(store, make_sighting("Ada sings.", at=1))
    (there,) = keep(store, make_sighting("Ada sings.", at=1, namespace="there"), namespace="there")
    store.answers.claim(CLAIM)
    store.answers.finish(CLAIM, answer_of(deferred()), HERE)
    with store.writing("there") as tx:
        tx.erase(there)
    assert kept_receipts(store, later(CLAIM, 1)) == [receipt_json(deferred())]
    with store.writing(HERE) as tx:
        tx.erase(here)
    (receipt,) = kept_receipts(store, later(CLAIM, 2))
    assert receipt["reason"] == {"code": "ambiguous_subject", "message": "", "field": "subject"}


def test_names_of_subjects_go_with_an_erasure_meanwhile(store: FactStore) -> None:
    """The same where the erasure comes between the claim and the answer; an earlier one touches nothing."""
    first, second = keep(store, make_sighting("Ada sings.", at=1), make_sighting("Bo sings.", at=1))
    with store.writing(HERE) as tx:
        tx.erase(first)
    before = later(CLAIM, 3600, id="after the first erasure")
    store.answers.claim(before)
    store.answers.finish(before, answer_of(deferred()), HERE)
    assert SECRET in repr(kept_receipts(store, later(before, 1)))
    store.answers.claim(CLAIM)
    with store.writing(HERE) as tx:
        tx.erase(second)
    store.answers.finish(CLAIM, answer_of(deferred()), HERE)
    assert SECRET not in repr(kept_receipts(store, later(CLAIM, 1)))
