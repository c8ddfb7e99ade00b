"""A judge that counts."""

from __future__ import annotations

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged
from arbiter.testing import TableJudge
from evals.metering import Metered
from tests.factories import make_record, verdict


def test_it_answers_as_the_other_one_and_counts() -> None:
    """Cost, verdicts by kind of judge, and pairs without one by reason, over all calls."""
    known: dict[tuple[str, str], Judgement] = {
        ("A a.", "B b."): verdict("duplicate"),
        ("C c.", "D d."): Unjudged("down", "", retryable=True),
    }
    inner = TableJudge(known, per_call=Spend(llm_calls=1, usd=0.5), judge_id="inner/1")
    metered = Metered(inner)
    pairs = [
        RecordPair(make_record(a), make_record(b))
        for a, b in (("A a.", "B b."), ("C c.", "D d."), ("E e.", "F f."))
    ]
    assert metered.judge(pairs) == inner.judge(pairs)
    metered.judge(pairs[:1])
    assert metered.judge_id == "inner/1"
    assert metered.cost == Spend(llm_calls=2, usd=1.0)
    assert (metered.settled, metered.unjudged) == ({"test": 2, "table": 1}, {"down": 1})
