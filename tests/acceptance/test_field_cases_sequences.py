"""Field cases that take several steps: the same again, another process, another model, another tenant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from arbiter.adapters.faiss_index import FaissIndex
from arbiter.domain.claims import Claim, confidence
from arbiter.domain.facts import Fact
from arbiter.domain.vocabulary import Mutability, Outcome, State
from arbiter.errors import NotFoundError
from arbiter.interchange.record_in import record_json
from arbiter.pipeline.index import Indexes
from arbiter.ports import Vectors
from tests.acceptance.bench import Bench, Unsteady, bench, decision, models, outcomes, relation, says
from tests.acceptance.field_cases import CASES, covers, record, records

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


@covers("zero-vector-on-embedder-outage")
def test_a_record_that_could_not_be_embedded_is_held_and_compared_later() -> None:
    """It waits, retryable, without a vector; the next compile embeds it, and its duplicate finds it."""
    case = CASES["zero-vector-on-embedder-outage"]
    first, second = record(case.steps[0]["records"][0]), record(case.steps[2]["records"][0])
    with bench(says(first["content"], second["content"], "duplicate")) as on:
        embedder = Unsteady(models().embedder, lambda _: True)
        on.arbiter = on.using(embedder)
        held = on.one(first)
        assert (held.outcome, held.state, held.retryable) == (Outcome.HELD, State.PENDING, True)
        assert held.reason is not None
        assert held.reason.code == "embedding_failed"
        assert held.fact_id is not None
        assert on.arbiter.context.store.unembedded("default", embedder.model_id) == [held.fact_id]
        embedder.fails = lambda _: False
        assert on.arbiter.compile().resumed == 1
        assert on.arbiter.context.store.unembedded("default", embedder.model_id) == []
        found = on.one(second)
    assert (relation(found, held.fact_id), found.outcome) == ("duplicate", Outcome.MERGED)
    assert (found.duplicate_of, decision(found, held.fact_id).action) == (held.fact_id, "reinforce")
    (candidate,) = found.candidates
    assert candidate.similarity is not None
    assert 0.5 < candidate.similarity < 1


class Turned:
    """The packaged model under another name, its vectors turned so that two names never agree."""

    dimension = 384

    def __init__(self, model_id: str, by: int) -> None:
        self.model_id = model_id
        self._by = by

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, and turn."""
        return np.roll(models().embedder.embed(texts), self._by, axis=1)


@pytest.mark.parametrize("compiled", ["before", "after"])
@covers("model-swapped-same-dimension")
def test_vectors_of_two_models_are_never_compared(compiled: str) -> None:
    """Until a compile has embedded it again the old fact is not compared; then its duplicate meets it."""
    case = CASES["model-swapped-same-dimension"]
    first, second = record(case.steps[0]["records"][0]), record(case.steps[2]["records"][0])
    with bench(says(first["content"], second["content"], "duplicate")) as on:
        (old,) = on.using(Turned("emb-a", 0)).submit([first])
        on.arbiter = on.using(Turned("emb-b", 7))
        if compiled == "before":
            on.arbiter.compile()
        new = on.one(second)
        (candidate,) = new.candidates
        if compiled == "before":
            alike = models().embedder.embed([first["content"], second["content"]])
            assert candidate.similarity == pytest.approx(float(alike[0] @ alike[1]), abs=1e-5)
        else:
            assert (candidate.similarity, candidate.retrieved_by) == (None, ("entity", "subject"))
            on.arbiter.compile()
        views = on.views()
        assert views[first["content"]].state.state is State.ACTIVE
        merged = views[second["content"]].state
    assert (merged.state, merged.reason, merged.successor) == ("superseded", "duplicate", old.fact_id)


@covers("own-echo-counted-as-support")
def test_an_agents_echo_is_no_support() -> None:
    """Five times by one agent is one sighting of one source, and worth as much as once."""
    told = records(CASES["own-echo-counted-as-support"].steps[0])
    with bench() as on, bench() as once:
        assert outcomes(on.add(*told)) == ["stored", *["unchanged"] * 4]
        once.add(told[0])
        (view,), (single,) = on.arbiter.facts(), once.arbiter.facts()
        assert (view.fact.seen_count, view.fact.sources, len(view.fact.sightings)) == (
            5,
            ("agent:planner",),
            1,
        )
        assert worth(view.fact, on) == worth(single.fact, on)


def worth(fact: Fact, on: Bench) -> float:
    """Return a fact's confidence by the policy."""
    claim = Claim(fact, (fact,))
    return confidence(claim, fact.first_seen, Mutability.STABLE, on.arbiter.context.policy)


@covers("supersede-itself")
def test_a_record_cannot_supersede_itself() -> None:
    """A record that names what it supersedes is refused; said again, it is counted and stays."""
    first, again = (record(step["records"][0]) for step in CASES["supersede-itself"].steps)
    with bench() as on:
        stored = on.one(first)
        refused = on.one({**again, "supersedes": stored.fact_id})
        assert (refused.outcome, refused.stored) == (Outcome.REFUSED, False)
        assert refused.reason is not None
        assert refused.reason.field == "supersedes"
        unchanged = on.one(again)
        assert (unchanged.outcome, unchanged.duplicate_of) == (Outcome.UNCHANGED, stored.fact_id)
        (view,) = on.arbiter.facts(state=None)
    assert (view.state.state, view.state.successor, view.fact.seen_count) == (State.ACTIVE, None, 2)


@covers("roundtrip-own-export")
def test_to_import_what_was_exported_is_no_news() -> None:
    """Sightings written out, times in another zone, fresh ids beside them: two re-reads, nothing new."""
    case = CASES["roundtrip-own-export"]
    with bench() as on:
        stored = on.add(*records(case.steps[0]))
        views = on.arbiter.facts(state=None)
        exported = json.dumps([record_json(s.record) for view in views for s in view.fact.sightings])
        again = json.loads(exported)
        for number, told in enumerate(again):
            moment = datetime.fromisoformat(told["observed_at"]).astimezone(timezone(timedelta(hours=5)))
            told |= {"observed_at": moment.isoformat(), "metadata": {"id": f"new-{number}"}}
        imported = on.add(*again)
        assert outcomes(imported) == ["unchanged", "unchanged"]
        assert {r.duplicate_of for r in imported} == {r.fact_id for r in stored}
        assert len(list(on.arbiter.facts())) == 2


@covers("resume-partial-import")
def test_an_import_begun_again_adds_the_remainder() -> None:
    """Four rows are known, two are new, and bays that differ by a digit stay six facts."""
    first, second = CASES["resume-partial-import"].steps
    with bench() as on:
        assert outcomes(on.add(*records(first))) == ["stored"] * 4
        assert outcomes(on.add(*records(second))) == ["unchanged"] * 4 + ["stored"] * 2
        assert on.active() == {f"Bay {n} holds size {n} pallets." for n in range(1, 7)}
        assert set(on.states().values()) == {"active"}


class Rejecting(FaissIndex):
    """An index that can be told to take in nothing."""

    broken = False

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add, or fail."""
        if self.broken:
            raise RuntimeError("the index is read-only")
        super().add(ids, vectors)


@covers("index-update-fails-after-supersede")
def test_an_index_that_fails_decides_nothing() -> None:
    """The request fails and no state changes; the record is in the log, and mended it supersedes the old."""
    old, new = (record(step["records"][0]) for step in CASES["index-update-fails-after-supersede"].steps[:2])
    query = CASES["index-update-fails-after-supersede"].steps[2]["query"]
    with bench(says(old["content"], new["content"], "update")) as on:
        index = Rejecting(384)
        context = on.arbiter.context
        on.arbiter = on.using(indexes=Indexes(context.store, context.embedder, lambda: index))
        on.one(old)
        index.broken = True
        with pytest.raises(RuntimeError, match="read-only"):
            on.one(new)
        assert on.states() == {old["content"]: "active", new["content"]: "pending"}
        with pytest.raises(RuntimeError, match="read-only"):
            on.arbiter.search(query)
        index.broken = False
        assert on.arbiter.compile().resumed == 1
        assert [hit.fact.content for hit in on.arbiter.search(query)] == [new["content"]]
    assert index.search(context.embedder.embed([old["content"]]), limit=1, min_similarity=0.99) != [[]]


@covers("hash-unique-across-users")
def test_the_same_words_of_two_tenants_are_two_facts() -> None:
    """Each has its own, and neither hears of the other's id."""
    steps = CASES["hash-unique-across-users"].steps
    with bench() as on:
        a, b = (on.one(record(step["records"][0])) for step in steps)
        assert outcomes([a, b]) == ["stored", "stored"]
        assert [len(list(on.arbiter.facts(namespace=name))) for name in ("clinic-a", "clinic-b")] == [1, 1]
        assert a.fact_id is not None
        assert a.fact_id not in repr(b)


@covers("foreign-id-then-forget")
def test_one_tenants_id_is_nothing_to_another() -> None:
    """To forget one's own record leaves the other tenant's; to forget the other's is not possible."""
    steps = CASES["foreign-id-then-forget"].steps
    with bench() as on:
        a, b = (on.one(record(step["records"][0])) for step in steps[:2])
        assert a.fact_id is not None
        assert b.fact_id is not None
        assert a.fact_id != b.fact_id
        on.arbiter.erase(b.fact_id, namespace="b")
        with pytest.raises(NotFoundError):
            on.arbiter.erase(a.fact_id, namespace="b")
        assert on.active("a") == {"The safe is serviced every spring."}
        assert on.active("b") == set()
