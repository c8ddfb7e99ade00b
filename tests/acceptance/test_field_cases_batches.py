"""Field cases of batches, sweeps over what is stored, and single bad requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.errors import StoreError
from arbiter.scan import scan
from tests.acceptance.bench import Unsteady, bench, models, outcomes, says
from tests.acceptance.databases import refusing
from tests.acceptance.field_cases import CASES, covers, record, records, told
from tests.scanning import write_lines

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


@covers("no-comparable-tokens", "empty-content")
def test_what_says_nothing_is_refused() -> None:
    """Signs alone, blanks and nothing at all make no claim; the field is named and the rest stored."""
    signs, blanks = CASES["no-comparable-tokens"].input, CASES["empty-content"].input["requests"]
    with bench() as on:
        receipts = on.add(*records(signs), *(record(request["record"]) for request in blanks))
        assert outcomes(receipts) == ["refused", "refused", "stored", "refused", "refused"]
        refused = [receipt.reason for receipt in receipts if receipt.reason]
        assert [(reason.code, reason.field) for reason in refused] == [("invalid_record", "content")] * 4
        assert refused[0].message == ("content: has neither a letter nor a digit, so it makes no claim")
        assert on.states() == {"The kiosk key hangs by the door.": "active"}
        assert on.asked() == []


@covers("text-over-model-limit")
def test_a_text_over_the_limit_is_refused_with_the_limit() -> None:
    """Nothing of it is stored."""
    (request,) = CASES["text-over-model-limit"].input["requests"]
    with bench() as on:
        receipt = on.one(record(request["record"]))
        assert (receipt.outcome, receipt.stored) == ("refused", False)
        assert receipt.reason is not None
        assert receipt.reason.field == "content"
        assert "8000 characters" in receipt.reason.message
        assert on.states() == {}


@covers("batch-one-bad-item")
def test_one_bad_record_leaves_the_others_alone() -> None:
    """The unknown kind of source is named; three are stored."""
    with bench() as on:
        receipts = on.add(*records(CASES["batch-one-bad-item"].input))
        assert outcomes(receipts) == ["stored", "stored", "refused", "stored"]
        assert receipts[2].reason is not None
        assert receipts[2].reason.field == "source.kind"
        assert len(on.active()) == 3


@covers("embedding-fails-for-one-item")
def test_one_text_that_cannot_be_embedded_is_held() -> None:
    """It is kept with the reason; the others of its batch are stored."""
    told = records(CASES["embedding-fails-for-one-item"].input)
    with bench() as on:
        on.arbiter = on.using(Unsteady(models().embedder, lambda text: text == told[1]["content"]))
        receipts = on.add(*told)
        assert outcomes(receipts) == ["stored", "held", "stored"]
        assert receipts[1].reason is not None
        assert (receipts[1].reason.code, receipts[1].retryable) == ("embedding_failed", True)
        assert on.states()[told[1]["content"]] == "pending"


@covers("receipt-for-a-record-not-written")
def test_a_store_that_refuses_one_record_gives_no_receipt() -> None:
    """The batch is refused as a whole, with an error of ours and no row left; sent again it is stored."""
    told = records(CASES["receipt-for-a-record-not-written"].input)
    with bench() as on:
        with refusing(on.database, "Pier 2 is dark."):
            with pytest.raises(StoreError, match="refused"):
                on.add(*told)
            assert on.states() == {}
            assert outcomes([on.one(told[0])]) == ["stored"]
        receipts = on.add(*told)
        assert outcomes(receipts) == ["unchanged", "stored"]
        assert {on.arbiter.fact(r.fact_id or "").fact.content for r in receipts} == set(on.states())


@covers("repeat-inside-one-batch")
def test_a_repeat_within_a_batch_is_found() -> None:
    """The third record is the first one again."""
    with bench() as on:
        receipts = on.add(*records(CASES["repeat-inside-one-batch"].input))
        assert outcomes(receipts) == ["stored", "stored", "unchanged"]
        assert receipts[2].duplicate_of == receipts[0].fact_id
        assert sorted(on.states().values()) == ["active", "active"]


@covers("supersession-cycle-in-batch")
def test_records_cannot_ask_for_a_circle() -> None:
    """What a record names as superseded is no field of a record; nothing is written."""
    case = CASES["supersession-cycle-in-batch"]
    told = [{**record(raw), "supersedes": raw["supersedes"]} for raw in case.input["records"]]
    with bench() as on:
        receipts = on.add(*told)
        assert outcomes(receipts) == ["refused", "refused"]
        assert {receipt.reason.field for receipt in receipts if receipt.reason} == {"supersedes"}
        assert on.states() == {}


@covers("non-latin-hash-to-empty")
def test_four_scripts_are_four_facts() -> None:
    """No text is reduced to nothing."""
    with bench() as on:
        on.add(*records(CASES["non-latin-hash-to-empty"].input))
        facts = [view.fact for view in on.arbiter.facts()]
        assert len(facts) == len({fact.fingerprint for fact in facts}) == 4
        assert all(made.action == "keep_both" for fact in facts for made in on.decisions(fact.id))


@covers("merge-before-conflict-check")
def test_a_sweep_finds_the_conflict_and_merges_nothing() -> None:
    """Two meeting places for one moment from equal sources: both stay, contested, in their own words."""
    told = records(CASES["merge-before-conflict-check"].input)
    with bench(says(told[0]["content"], told[1]["content"], "contradiction")) as on:
        a, b = on.seed(*told, judged=False)
        assert on.arbiter.compile().resumed == 2
        (made,) = on.decisions(a)
        assert (made.relation, made.action, made.rule) == ("contradiction", "review", "conflict-open")
        assert on.states() == {record["content"]: "active contested" for record in told}
        assert [{item.a, item.b} for item in on.arbiter.review.items()] == [{a, b}]


@covers("keeper-deleted-later")
def test_what_is_merged_away_has_a_partner_that_stays() -> None:
    """The middle one duplicates both its neighbours and is merged into one of them; both others stay."""
    one, middle, other = records(CASES["keeper-deleted-later"].input)
    texts = [one["content"], middle["content"], other["content"]]
    duplicates = [says(a, b, "duplicate", current="b") for a, b in (texts[:2], texts[1:])]
    with bench(*duplicates) as on:
        ids = on.seed(one, middle, other, judged=False)
        on.arbiter.compile()
        assert on.states() == {texts[0]: "active", texts[1]: "superseded", texts[2]: "active"}
        assert on.views()[texts[1]].state.successor == ids[0]


@covers("sweep-merges-tenants")
def test_a_sweep_keeps_to_one_tenant() -> None:
    """The same words in two namespaces: both stay, and nothing was compared, decided or asked."""
    with bench() as on:
        a, b = on.seed(*records(CASES["sweep-merges-tenants"].input), judged=False)
        swept = on.arbiter.compile()
        assert (swept.resumed, swept.created, on.asked()) == (2, 0, [])
        assert on.states("a") == on.states("b") == {"Invoices are due in 30 days.": "active"}
        assert on.decisions(a, "a") == on.decisions(b, "b") == []
        assert [entry.kind for entry in on.arbiter.history(a, namespace="a")] == ["sighting", "state"]


@covers("same-record-listed-twice")
def test_a_record_is_never_its_own_duplicate() -> None:
    """Listed twice it is one fact, and no pair has it on both sides."""
    with bench() as on:
        a, again, b = on.add(*records(CASES["same-record-listed-twice"].input))
        assert (a.fact_id, again.outcome) == (again.fact_id, "unchanged")
        assert on.states() == {
            "The flag is raised at sunrise.": "active",
            "Coal is delivered in autumn.": "active",
        }
        pairs = {made.key for fact_id in (a.fact_id, b.fact_id) for made in on.decisions(fact_id or "")}
        assert all(low != high for low, high in pairs)


@covers("two-successors-for-one-record")
def test_a_chain_has_one_head_and_no_fork() -> None:
    """Three prices: each is superseded by the next, and each pair is decided once."""
    one, two, three = records(CASES["two-successors-for-one-record"].input)
    with bench() as on:
        a, b, c = on.seed(one, two, three, judged=False)
        on.arbiter.compile()
        views = on.views()
        assert [views[told["content"]].state.successor for told in (one, two, three)] == [b, c, None]
        assert on.active() == {"Water is 1.25 per m3."}
        made = {made.id: made for fact_id in (a, b, c) for made in on.decisions(fact_id)}.values()
        assert sorted(decided.key for decided in made) == sorted(
            map(tuple, map(sorted, [(a, b), (b, c), (a, c)]))
        )
        assert {(decided.relation, decided.action) for decided in made} == {("update", "supersede")}


@covers("cluster-counts")
def test_copies_and_participants_are_counted_apart(tmp_path: Path) -> None:
    """Three wordings of one statement are one cluster of three, two of them redundant."""
    case = CASES["cluster-counts"]
    texts = case.input["records"]
    duplicates = [
        says(texts[int(one)], texts[int(other)], "duplicate")
        for one, _, other in map(str.partition, case.input["gold_pairs"], "---")
        if other
    ]
    lines = [told(text, f"2026-01-0{number}", subject="chapel") for number, text in enumerate(texts, start=1)]
    with bench(*duplicates) as on:
        summary = scan(on.arbiter, [write_lines(tmp_path / "told.jsonl", lines)], tmp_path / "out")
    assert {
        "records_in_a_duplicate_cluster": summary.records_in_duplicate_clusters,
        "redundant_copies": summary.redundant_copies,
        "clusters": summary.duplicate_clusters,
    } == case.expected["metrics"]
    assert (summary.unique_facts, summary.relations["duplicate"]) == (2, 3)
