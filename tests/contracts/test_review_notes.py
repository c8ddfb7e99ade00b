"""What people write into a fact store: comments, and merges with the texts that they stand for."""

from __future__ import annotations

from dataclasses import replace

from arbiter.domain.evidence import JudgedPair, Unjudged
from arbiter.domain.outcomes import FactState
from arbiter.domain.review_queue import Comment
from arbiter.domain.settle import Cluster
from arbiter.domain.vocabulary import RulingKind, State, StateReason
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    active,
    apply,
    decision,
    facts_in,
    review,
    ruling,
    settled,
)
from tests.factories import day, pair

SECRET = "the password is swordfish"


def note(store: FactStore, *comments: Comment, namespace: str = HERE) -> None:
    """Append comments in one transaction."""
    with store.writing(namespace) as tx:
        for comment in comments:
            tx.commented(comment)


def cluster_of(store: FactStore, fact_id: str) -> Cluster:
    """Return the cluster of one fact."""
    with store.writing(HERE) as tx:
        return tx.cluster([fact_id])


def test_comments_are_kept_in_the_order_of_their_times(store: FactStore) -> None:
    """Each item has its own; a comment of a known id is left as it is."""
    early, late = Comment("rev_1", "ada", day(1), "<b>Look</b>"), Comment("rev_1", "bob", day(2), "“Why?”")
    other = Comment("rev_2", "ada", day(1), "No.")
    note(store, late, other)
    note(store, early, replace(early, text="changed"))
    assert store.comments(HERE, ["rev_2", "rev_1", "rev_3"]) == {"rev_1": [early, late], "rev_2": [other]}
    note(store, replace(other, text="There."), namespace="other")
    assert store.comments("other", ["rev_1", "rev_2"]) == {"rev_2": [replace(other, text="There.")]}
    assert store.comments(HERE, []) == {}


def test_a_comment_loses_its_text_with_either_fact(store: FactStore) -> None:
    """Whoever noted something may have quoted; other items keep their comments."""
    a, b, c = (fact.id for fact in facts_in(store, 3))
    first, second = review(a, b), review(a, c)
    apply(store, settled(*active(a, b, c), reviews=[first, second]))
    quoted, kept = Comment(first.id, "ada", day(1), SECRET), Comment(second.id, "ada", day(1), "Hm.")
    note(store, quoted, kept)
    with store.writing(HERE) as tx:
        tx.erase(b)
    found = store.comments(HERE, [first.id, second.id])
    assert found == {first.id: [replace(quoted, text="")], second.id: [kept]}


def test_a_merge_connects_its_text_with_both_sides(store: FactStore) -> None:
    """From any of the three the whole is found, over any number of merges."""
    a, b, text, c, last = (fact.id for fact in facts_in(store, 5))
    one = ruling(b, a, name="rul_1", at=1, kind=RulingKind.MERGE, merged=text, sighting="sight_1")
    two = ruling(text, c, name="rul_2", at=2, kind=RulingKind.MERGE, merged=last, sighting="sight_2")
    with store.writing(HERE) as tx:
        tx.ruled(one)
        tx.ruled(two)
    for fact_id in (a, b, text, c, last):
        cluster = cluster_of(store, fact_id)
        assert set(cluster.facts) == {a, b, text, c, last}
        assert cluster.rulings == (one, two)


def test_a_merge_is_in_the_history_of_its_text(store: FactStore) -> None:
    """The ruling that wrote it stands in the history of all three."""
    a, b, text = (fact.id for fact in facts_in(store, 3))
    with store.writing(HERE) as tx:
        tx.ruled(ruling(a, b, kind=RulingKind.MERGE, merged=text, sighting="sight_1", reason=SECRET))
    for fact_id in (a, b, text):
        (entry,) = [entry for entry in store.history(HERE, fact_id) if entry.kind == "ruling"]
        assert (entry.detail["ruling"], entry.detail["merged"]) == ("merge", text)
    with store.writing(HERE) as tx:
        tx.erase(text)
    assert [one.reason for one in store.rulings(HERE)] == [""]


def test_a_ruling_knows_what_had_been_found(store: FactStore) -> None:
    """The newest verdict before it, else the newest failure; what came later or elsewhere does not count."""
    a, b, c, d = facts_in(store, 4)
    failed = JudgedPair(a.id, b.id, Unjudged("judge_unavailable", "down", retryable=True))
    first, late = pair(b, a, "update", current="b"), pair(a, b, "duplicate")
    with store.writing(HERE) as tx:
        for number, judged in enumerate((failed, first, failed, late)):
            tx.ruled(ruling(a.id, b.id, name=f"rul_{number}", at=number))
            tx.judged([judged, pair(a, c, "unrelated")])
        tx.ruled(ruling(a.id, b.id, name="rul_last", at=9))
        tx.ruled(ruling(c.id, d.id, name="rul_other", at=9))
    names = [*(f"rul_{number}" for number in range(4)), "rul_last", "rul_other", "rul_unknown"]
    expected = {"rul_1": failed, "rul_2": first, "rul_3": first, "rul_last": late}
    assert store.judged_then(HERE, names) == expected
    assert store.judged_then("elsewhere", names) == {}
    with store.writing(HERE) as tx:
        assert tx.cluster([a.id]).rulings[0].id == "rul_0"
        assert store.judged_then(HERE, ["rul_2"]) == {"rul_2": first}


def test_what_retires_a_merged_text_rests_on_its_merge(store: FactStore) -> None:
    """The text is a fact of the merge's decisions, though no side of their pair."""
    a, b, text, later = (fact.id for fact in facts_in(store, 4))
    gone = FactState(a, State.SUPERSEDED, StateReason.RULING, text)
    merged = [decision(a, b, rule="ruling-merge", winner=text, loser=side) for side in (a, b)]
    apply(store, settled(gone, *active(b, text), decisions=merged))
    change = decision(text, later)
    apply(store, settled(gone, *active(b, text, later), decisions=[*merged, change]))
    assert store.later_decisions(HERE, merged[1].id) == [change]
