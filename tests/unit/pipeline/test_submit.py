"""The way of a record: outcomes, receipts, and what the store holds afterwards."""

from __future__ import annotations

from dataclasses import replace

from arbiter.domain.evidence import NOT_DECIDED, Spend, Unjudged
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import State
from arbiter.pipeline.compile import Compiled, compile_namespace
from arbiter.pipeline.conclude import conclude
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.read import list_facts
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import AGENT, THIRD, day, make_record, verdict
from tests.first_commit import first_commit
from tests.unit.pipeline.conftest import DOWN, FailsOn, with_embedder

OLD = make_record("Rita lives in Bath.", subject="Rita")
NEW = make_record("Rita lives in York.", subject="Rita", at=9)


def told(receipts: list[Receipt]) -> list[tuple[str, bool]]:
    """Return (outcome, stored) of receipts."""
    return [(receipt.outcome.value, receipt.stored) for receipt in receipts]


def active(context: Context, namespace: str = "default") -> list[str]:
    """Return the contents of the active facts, oldest first."""
    return [view.fact.content for view in list_facts(namespace, State.ACTIVE, context)]


def test_a_new_record_is_stored_and_a_re_read_is_counted(context: Context) -> None:
    """First stored, then unchanged; one fact, seen twice by one source."""
    receipts = [
        submit([OLD], context)[0],
        submit([make_record(OLD.content, subject="Rita", at=5)], context)[0],
    ]
    assert told(receipts) == [("stored", True), ("unchanged", False)]
    assert receipts[1].reason is not None
    assert (receipts[1].reason.code, receipts[1].duplicate_of) == ("seen_before", receipts[0].fact_id)
    fact = context.store.facts("default", [receipts[0].fact_id or ""])[receipts[0].fact_id or ""]
    assert (fact.seen_count, fact.sources, fact.last_seen) == (2, ("chat:1",), day(5))


def test_forty_mornings_are_one_fact(context: Context) -> None:
    """A source read forty times in batches is one fact with a count of forty; a year later too."""
    mornings = [
        make_record("Starred acme/x", source="stars", at=n, metadata={"id": str(n)}) for n in range(40)
    ]
    first = submit(mornings[:25], context) + submit(mornings[25:], context)
    assert told(first) == [("stored", True)] + [("unchanged", False)] * 39
    later = submit([make_record("Starred acme/x", source="stars", at=365)], context)
    assert told(later) == [("unchanged", False)]
    fact_id = first[0].fact_id or ""
    assert context.store.facts("default", [fact_id])[fact_id].seen_count == 41


def test_another_source_and_another_confidence_class_are_recorded(context: Context) -> None:
    """Corroboration and a change of what is known are new sightings of the same fact."""
    first = submit([make_record("The lift is broken.", confidence=0.9)], context)[0]
    others = submit(
        [
            make_record("The lift is broken.", confidence=0.9, source="agent:2", kind=AGENT),
            make_record("The lift is broken.", confidence=0.4),
            make_record("The lift is broken.", confidence=0.9, causal_hint="after the storm"),
        ],
        context,
    )
    assert told(others) == [("merged", True)] * 3
    assert {receipt.fact_id for receipt in others} == {first.fact_id}
    fact = context.store.facts("default", [first.fact_id or ""])[first.fact_id or ""]
    assert (len(fact.sightings), fact.sources) == (4, ("agent:2", "chat:1"))


def test_an_update_supersedes_and_says_so(context: Context, judge: TableJudge) -> None:
    """The receipt names relation, rule, judge, winner and loser; only the new value is read."""
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    old, new = submit([OLD, NEW], context)
    assert new.supersedes == (old.fact_id,)
    decision = new.decisions[0]
    assert (decision.action, decision.rule, decision.judge) == ("supersede", "change", "test")
    assert (decision.winner, decision.loser) == (new.fact_id, old.fact_id)
    assert decision.scores["verdict_confidence"] == 0.95
    assert active(context) == [NEW.content]


def test_a_late_arrival_takes_its_place_in_time(context: Context, judge: TableJudge) -> None:
    """The older value that arrives later is stored as superseded at once."""
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    receipts = [submit([NEW], context)[0], submit([OLD], context)[0]]
    assert told(receipts) == [("stored", True), ("stored", True)]
    assert receipts[1].state is State.SUPERSEDED
    assert active(context) == [NEW.content]


def test_a_restatement_is_merged(context: Context, judge: TableJudge) -> None:
    """Other words, same claim: kept, linked, not read twice."""
    again = make_record("In Bath lives Rita.", subject="Rita", at=1)
    judge.table = {(OLD.content, again.content): verdict("duplicate")}
    first, second = submit([OLD, again], context)
    assert told([second]) == [("merged", True)]
    assert second.duplicate_of == first.fact_id
    assert active(context) == [OLD.content]


def test_high_stakes_contradictions_are_contested_and_asked(context: Context, judge: TableJudge) -> None:
    """Both stay visible and marked, and the receipts name the review item."""
    hazard = make_record("Allergic to penicillin.", subject="Rita")
    order = make_record("Prescribed amoxicillin.", subject="Rita", source="ward", kind=THIRD, at=1)
    judge.table = {(hazard.content, order.content): verdict("contradiction", stakes="high")}
    receipts = submit([hazard, order], context)
    assert [(r.state, r.contested) for r in receipts] == [(State.ACTIVE, True)] * 2
    item = context.store.reviews("default")[0]
    assert {receipt.review for receipt in receipts} == {(item.id,)}
    assert (item.kind, item.priority) == ("conflict", 152)


def test_a_judge_that_is_down_holds_and_a_compile_settles(context: Context, judge: TableJudge) -> None:
    """Unjudged is held and retryable; what was current stays; once the judge is back it is settled."""
    judge.otherwise = DOWN
    old, new = submit([OLD, NEW], context)
    assert told([old, new]) == [("stored", True), ("held", True)]
    assert (new.state, new.retryable, new.reason and new.reason.code) == (State.PENDING, True, "not_judged")
    assert active(context) == [OLD.content]
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    compiled = compile_namespace("default", context)
    assert (compiled.retried, compiled.created, compiled.changed) == (1, 1, 2)
    assert active(context) == [NEW.content]
    assert compile_namespace("default", context) == Compiled()


def test_a_compile_asks_the_judges_that_are_there_by_then(context: Context, judge: TableJudge) -> None:
    """A pair left to others waits until somebody is there to read it; asking in vain writes nothing."""
    judge.otherwise = Unjudged(NOT_DECIDED, "no judge reads", retryable=False)
    _, new = submit([OLD, NEW], context)
    assert (new.state, new.retryable) == (State.PENDING, False)
    assert compile_namespace("default", context) == Compiled()
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    compiled = compile_namespace("default", context)
    assert (compiled.retried, compiled.created, compiled.changed) == (1, 1, 2)
    assert active(context) == [NEW.content]
    assert compile_namespace("default", context) == Compiled()


def test_a_compile_asks_a_judge_that_had_failed_for_good(context: Context, judge: TableJudge) -> None:
    """A wrong key is not asked with again and again; once it is put right, a compile settles what waits."""
    judge.otherwise = Unjudged("judge_unavailable", "no such key", retryable=False)
    _, new = submit([OLD, NEW], context)
    assert (new.state, new.retryable) == (State.PENDING, False)
    assert compile_namespace("default", context) == Compiled()
    judge.otherwise = Unjudged("judge_unavailable", "busy", retryable=True)
    assert compile_namespace("default", context) == Compiled(retried=1, held=1)
    assert context.store.retryable("default") != []
    judge.otherwise = verdict("update")
    compile_namespace("default", context)
    assert active(context) == [NEW.content]


def test_a_verdict_is_not_asked_for_twice(context: Context, judge: TableJudge) -> None:
    """A second scan of the same records costs no judge call."""
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    submit([OLD, NEW], context)
    asked = list(judge.asked)
    submit([OLD, NEW], context)
    compile_namespace("default", context)
    assert judge.asked == asked == [(OLD.content, NEW.content)]


def test_receipts_add_up_to_what_was_spent(context: Context, judge: TableJudge) -> None:
    """A known fact that is read again after a new one does not swallow the cost of judging the two."""
    judge.per_pair, judge.per_call = Spend(local_pairs=1), Spend(llm_calls=1)
    submit([OLD], context)
    new, again = submit([NEW, OLD], context)
    assert judge.asked == [(OLD.content, NEW.content)]
    assert (new.cost, again.cost) == (Spend(llm_calls=1, local_pairs=1), Spend())


def test_namespaces_never_meet(context: Context, judge: TableJudge) -> None:
    """The same text in two namespaces is two facts, and no pair crosses."""
    there = make_record(OLD.content, subject="Rita", namespace="b")
    here, other = submit([OLD, there], context)
    assert told([here, other]) == [("stored", True)] * 2
    assert here.fact_id != other.fact_id
    assert judge.asked == []
    assert active(context) == active(context, "b") == [OLD.content]


def test_without_an_embedding_a_record_waits_and_is_caught_up(context: Context) -> None:
    """One text that cannot be embedded harms no other; it is pending, not zero, and resumed later."""
    embedder = FailsOn("mites")
    broken = with_embedder(context, embedder)
    records = [make_record(f"Hive {name}.", subject=name) for name in ("A swarmed", "B has mites", "C hums")]
    receipts = submit(records, broken)
    assert told(receipts) == [("stored", True), ("held", True), ("stored", True)]
    assert (receipts[1].retryable, receipts[1].reason and receipts[1].reason.code) == (
        True,
        "embedding_failed",
    )
    assert context.store.unembedded("default", embedder.model_id) == [receipts[1].fact_id]
    embedder.broken = False
    assert compile_namespace("default", broken).resumed == 1
    assert sorted(active(broken)) == [record.content for record in records]


def test_two_writers_always_see_one_another(context: Context, judge: TableJudge) -> None:
    """Both arrive before either looks: the pair is judged, and only the later value is current."""
    judge.table = {(OLD.content, NEW.content): verdict("update")}
    arrivals = [first_commit(identify([(0, record)], context), context) for record in (OLD, NEW)]
    assert active(context) == []
    for arrived in arrivals:
        findings = investigate("default", arrived.fresh, context)
        assert [len(found) for found in findings.candidates.values()] == [1]
        conclude("default", arrived, findings, context)
    assert active(context) == [NEW.content]


def test_two_writers_of_one_record_make_one_fact(context: Context) -> None:
    """The second to arrive finds the first one's sighting and only counts."""
    drafts = identify([(0, OLD)], context)
    first, second = (first_commit(drafts, context) for _ in range(2))
    assert (len(first.fresh.ids), len(second.fresh.ids)) == (1, 0)
    receipts = [
        conclude("default", a, investigate("default", a.fresh, context), context)[0] for a in (first, second)
    ]
    assert told(receipts) == [("stored", True), ("unchanged", False)]


def test_back_to_the_first_value_is_no_silent_repeat(context: Context, judge: TableJudge) -> None:
    """09:15, 09:45, 09:15 again: the third write changes what is current and says stored."""
    one, two = "Stand-up is at 09:15.", "Stand-up has moved to 09:45."
    judge.table = {(one, two): verdict("update")}
    records = [make_record(text, subject="stand-up", at=n) for n, text in ((0, one), (30, two), (60, one))]
    receipts = [submit([record], context)[0] for record in records]
    assert told(receipts) == [("stored", True)] * 3
    assert active(context) == [one]
    elsewhere = [replace(record, namespace="b") for record in records]
    assert told(submit(elsewhere, context)) == [("stored", True)] * 3
    assert active(context, "b") == [one]
    assert told(submit([replace(elsewhere[0], observed_at=day(70))], context)) == [("unchanged", False)]


def test_ambiguous_subjects_can_be_deferred(context: Context) -> None:
    """With the setting, a subject that could be two known ones is sent back with both names."""
    asking = with_limits(context)
    known = [make_record(f"{name} joined.", subject=name) for name in ("Dana Okafor", "Dana Smith")]
    leave = make_record("Dana is on leave.", subject="Dana", at=1)
    together = submit([leave, *known], asking)
    assert told(together) == [("deferred", False), ("stored", True), ("stored", True)]
    receipt = submit([leave], asking)[0]
    assert told([receipt]) == [("deferred", False)]
    assert receipt.reason is not None
    assert receipt.reason.message == "the subject could be any of: dana okafor, dana smith"
    assert receipt.reason.field == "subject"
    assert len(active(asking)) == 2


def with_limits(context: Context) -> Context:
    """Return the context, asking about ambiguous subjects."""
    return replace(context, limits=replace(context.limits, defer_ambiguous_subjects=True))


def test_callers_that_are_arbitrated_together_keep_their_indexes(context: Context) -> None:
    """Two of them know different records by the same index; every receipt is that of its record."""
    receipts = submit([OLD, NEW, OLD], context, [0, 0, 7])
    assert [receipt.record_index for receipt in receipts] == [0, 0, 7]
    assert receipts[0].fact_id == receipts[2].fact_id != receipts[1].fact_id
    assert [receipt.outcome.value for receipt in receipts] == ["stored", "stored", "unchanged"]
