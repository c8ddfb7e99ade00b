"""Settled pairs as labelled pairs, as training reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import Relation, RulingKind, SourceKind
from arbiter.interchange.review_files import export_settled
from arbiter.pipeline.review_exchange import settled_pairs
from arbiter.training.read_pairs import read_examples
from tests.exchange_cases import PROPOSED, REVIEWS, SAME, SIDES, UNJUDGED, asking
from tests.factories import make_fact, pair
from tests.stored import keep

TEA = make_fact("Ana drinks tea\u2028only.", at=40, subject="ana", claim_key="user.drink", value="tea")
COFFEE = make_fact("Ana drinks coffee only.", at=41, subject="ana", source="crm")
CHANGE = pair(TEA, COFFEE, "update", kind="correction", confidence=0.3, mutability="mutable")


def test_what_people_confirmed_is_read_as_examples(tmp_path: Path) -> None:
    """A relabel and a kept side give a label, a merge and a ruling on what was not judged give none."""
    with asking() as arbiter:
        keep(arbiter, [TEA, COFFEE], [CHANGE])
        kim = Answer(RulingKind.KEEP_B, "kim")
        (asked,) = (item.id for item in arbiter.review.items() if item.a == TEA.id)
        for review, answer in (
            (asked, kim),
            (REVIEWS[0], kim),
            (REVIEWS[3], Answer(RulingKind.RELABEL, "kim", relabel=Relation.UNRELATED)),
            (REVIEWS[1], Answer(RulingKind.NEITHER, "kim")),
            (SAME, Answer(RulingKind.MERGE, "kim", text=PROPOSED)),
            (UNJUDGED, Answer(RulingKind.KEEP_BOTH, "kim")),
        ):
            arbiter.review.answer(review, answer)
        path = tmp_path / "pairs.jsonl"
        path.write_text(
            "".join(export_settled(settled_pairs("default", arbiter.context), "training")), "utf-8"
        )
    examples = {example.pair.a.content: example for example in read_examples(path)}
    assert {content: example.relation.value for content, example in examples.items()} == {
        TEA.content: "update",
        SIDES[0][0].content: "contradiction",
        SIDES[3][0].content: "unrelated",
    }
    change = examples[TEA.content]
    assert (change.current, change.update_kind and change.update_kind.value) == ("b", "correction")
    assert (change.pair.a.subject, change.pair.a.claim_key, change.pair.a.value) == (
        "ana",
        "user.drink",
        "tea",
    )
    # Nobody confirmed how the attribute behaves.
    assert (change.mutability, change.stakes, change.stale_risk) == (None, None, None)
    assert change.pair.b.source.id == "crm"
    assert examples[SIDES[0][0].content].pair.b.source.kind is SourceKind.VERIFIED_OBSERVATION


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_no_rulings_make_no_rows(form: str) -> None:
    """A queue in which nobody ruled has nothing settled; a table has its header."""
    with asking() as arbiter:
        pairs = list(settled_pairs("default", arbiter.context))
    assert "".join(export_settled(pairs, "training")) == ""
    lines = "".join(export_settled(pairs, "csv" if form == "csv" else "jsonl")).splitlines()
    assert len(lines) == (1 if form == "csv" else 0)


def test_a_row_says_where_it_comes_from() -> None:
    """The id is that of the review, so that a label can be looked up and taken back."""
    with asking() as arbiter:
        arbiter.review.answer(REVIEWS[0], Answer(RulingKind.KEEP_A, "kim"))
        (line,) = export_settled(settled_pairs("default", arbiter.context), "training")
    row = json.loads(line)
    assert (row["id"], row["ruling"], row["label"], row["current"]) == (
        REVIEWS[0],
        "keep_a",
        "contradiction",
        None,
    )
