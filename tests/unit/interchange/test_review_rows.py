"""Review items as rows: what was found and noted, and what people ruled."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from arbiter.domain.review_answer import Answer
from arbiter.domain.review_queue import Comment
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.interchange.review_answers import ANSWER
from arbiter.interchange.review_files import ImportForm, SettledForm, export_settled, read_rulings
from arbiter.interchange.review_import import apply_rulings
from arbiter.interchange.review_rows import COLUMNS, comments_text, evidence_text, settled_row
from arbiter.pipeline.review_exchange import settled_pairs
from tests.exchange_cases import HOSTILE, PROPOSED, REVIEWS, SAME, UNJUDGED, asking
from tests.factories import day, pair

ANSWERS = (
    (SAME, Answer(RulingKind.MERGE, "kim", text=PROPOSED)),
    (REVIEWS[0], Answer(RulingKind.KEEP_B, "=kim", reason=HOSTILE[1])),
    (REVIEWS[1], Answer(RulingKind.RELABEL, "lee", relabel=Relation.UPDATE, reason=HOSTILE[3].strip())),
    (REVIEWS[2], Answer(RulingKind.NEITHER, "lee")),
    (UNJUDGED, Answer(RulingKind.KEEP_BOTH, "kim")),
)


@pytest.mark.parametrize(("out", "back"), [("jsonl", "jsonl"), ("csv", "csv")])
@pytest.mark.parametrize("rebuilt", [False, True])
def test_settled_pairs_go_out_and_come_back(out: SettledForm, back: ImportForm, *, rebuilt: bool) -> None:
    """Whatever the words, the rows read back as what holds already, also when the queue is made anew."""
    with asking() as arbiter:
        for review, answer in ANSWERS:
            arbiter.review.answer(review, answer)
        if rebuilt:
            arbiter.compile(from_scratch=True)
        text = "".join(export_settled(settled_pairs("default", arbiter.context), out))
    rulings = read_rulings(io.BytesIO(text.encode()), back)
    with asking() as arbiter:
        # The same questions in a store that knows nothing of the rulings.
        done = list(apply_rulings("default", [*rulings, *rulings], arbiter.context.store, arbiter.review))
        kept = {(r.reviewer, r.kind, r.relabel, r.reason) for r in arbiter.context.store.rulings("default")}
        assert PROPOSED in [view.fact.content for view in arbiter.facts()]
    statuses = [line.status.value for line in done]
    assert statuses == ["applied"] * len(ANSWERS) + ["already_settled"] * len(ANSWERS)
    assert kept == {(a.reviewer, a.kind, a.relabel, a.reason) for _, a in ANSWERS}


def test_a_settled_row_says_what_was_asked() -> None:
    """It has the columns of an open one; what the queue no longer knows is empty."""
    with asking() as arbiter:
        arbiter.review.answer(*ANSWERS[1])
        (found,) = settled_pairs("default", arbiter.context)
    row, again = settled_row(found), settled_row(replace(found, item=None))
    assert tuple(row) == tuple(again) == COLUMNS
    assert (row["review_id"], row["kind"], row["relation"]) == (REVIEWS[0], "unsure", "contradiction")
    assert [row[name] for name in ANSWER] == ["keep_b", "", "", "", "=kim", HOSTILE[1], ""]
    assert (again["kind"], again["relation"]) == (None, "contradiction")


def test_evidence_is_told_line_by_line() -> None:
    """A judgement says its relation, side and doubt, one that failed why; without one there is nothing."""
    with asking() as arbiter:
        view = arbiter.review.view(UNJUDGED)
    assert evidence_text(view.judgement, view.decisions).splitlines() == [
        "not judged: down (judge_unavailable)",
        "rule unjudged, hold: No judge could tell; the later one waits.",
    ]
    found = pair(view.a.fact, view.b.fact, "complementary", stale_risk="a", confidence=0.123).judgement
    assert evidence_text(found, ()) == "complementary, confidence 0.12, by test\nmakes A doubtful"
    assert evidence_text(None, ()) == ""


def test_very_many_comments_are_cut_to_the_newest() -> None:
    """A cell stays within what programs read; how many are left out is said."""
    noted = [Comment("rev_1", "kim", day(place), f"{place}" * 3_000) for place in range(10)]
    lines = comments_text(noted).splitlines()
    assert lines[0] == "(4 earlier ones)"
    assert [line.partition(": ")[2][0] for line in lines[1:]] == ["4", "5", "6", "7", "8", "9"]
    assert comments_text(noted[:1]) == f"kim, 2026-01-01T09:00:00+00:00: {'0' * 3_000}"
    assert comments_text([]) == ""
