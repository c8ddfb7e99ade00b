"""The models of answers have every field of the JSON that they stand for: none is lost on the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import ArbiterError, RetryLaterError
from arbiter.interchange.fact_json import fact_json
from arbiter.interchange.policy_json import flip_json, policy_json, state_json
from arbiter.interchange.receipts import decision_json, receipt_json, verdict_json
from arbiter.interchange.review_view_json import (
    comment_json,
    queue_counts_json,
    queued_json,
    review_view_json,
    ruled_json,
)
from arbiter.pipeline.compile import Flip
from arbiter.web.models.decisions import DecisionOut
from arbiter.web.models.facts import FactOut
from arbiter.web.models.policy import FlipOut, PolicyOut
from arbiter.web.models.records import ReceiptOut
from arbiter.web.models.reviews import CommentOut, CountsOut, QueuedOut, ReviewOut, RuledOut
from arbiter.web.models.shared import StateOut
from arbiter.web.models.verdicts import VerdictOut
from arbiter.web.problems import problem_of
from tests.factories import make_fact, verdict
from tests.unit.web.conftest import Room
from tests.unit.web.test_reviews import FARO, OTHER, PORTO

if TYPE_CHECKING:
    from pydantic import BaseModel


def fields(value: Any) -> Any:
    """Return a value with its texts and numbers left out: what is left are the names of its fields."""
    if isinstance(value, dict):
        return {name: fields(inner) for name, inner in value.items()}
    return [fields(inner) for inner in value] if isinstance(value, list | tuple) else None


@pytest.fixture
def answers(room: Room) -> dict[type[BaseModel], Any]:
    """Return JSON as arbiter writes it, by the model that it goes out through."""
    arbiter, at = room.server.arbiter, room.namespace
    receipts = arbiter.submit([room.record(PORTO), room.record(FARO, day=2, source=OTHER)])
    now = arbiter.context.clock()
    (view,) = arbiter.review.page(namespace=at).items
    comment = arbiter.review.comment(view.queued.item.id, "Hm.", author="kim", namespace=at)
    counted = queue_counts_json(arbiter.review.counts(namespace=at), now)
    review = arbiter.review.view(view.queued.item.id, namespace=at)
    claimed = arbiter.review.claim(view.queued.item.id, reviewer="kim", namespace=at)
    ruled = arbiter.review.answer(view.queued.item.id, Answer(RulingKind.KEEP_A, "kim"), namespace=at)
    (known, *_) = arbiter.facts(namespace=at)
    flip = Flip(at, known.fact.id, PORTO, known.state, known.state, receipts[1].decisions)
    return {
        ReceiptOut: receipt_json(receipts[1]),
        VerdictOut: {**verdict_json("1", verdict("update")), "error": None},
        DecisionOut: decision_json(receipts[1].decisions[0]),
        FactOut: fact_json(make_fact(PORTO), known.state),
        StateOut: state_json(known.state),
        FlipOut: flip_json(flip),
        PolicyOut: policy_json(arbiter.context.policy),
        ReviewOut: {**review_view_json(review)},
        QueuedOut: queued_json(claimed, now),
        CommentOut: comment_json(comment),
        CountsOut: counted,
        RuledOut: ruled_json(ruled),
    }


def test_no_field_is_lost(answers: dict[type[BaseModel], Any]) -> None:
    """What comes out of a model has the same fields, however deep, as what went in."""
    for model, told in answers.items():
        dumped = model.model_validate(told).model_dump(mode="json")
        assert (model, fields(dumped)) == (model, fields(told))


def test_every_error_is_a_problem() -> None:
    """Whichever error it is, it has a status from 400 up; what is wrong on our side names no file."""
    kinds: list[type[ArbiterError]] = [ArbiterError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    found = {kind.code: problem_of(kind("in /srv/facts.db")) for kind in kinds}
    assert all(400 <= problem.status <= 503 for problem in found.values())
    assert (found["not_found"].status, found["store_unavailable"].status) == (404, 503)
    told = {code for code, problem in found.items() if problem.status >= 500 and "/srv" in problem.detail}
    assert told <= {kind.code for kind in kinds if issubclass(kind, RetryLaterError)}
