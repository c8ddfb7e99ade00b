"""The language-model judge, against clients that answer by script."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from arbiter.domain.evidence import Spend, Unjudged, Verdict
from arbiter.judges.budget import CostLedger
from arbiter.judges.llm import MAX_PAIR_CHARS, LlmJudge
from arbiter.ports import Judge
from tests.chat import PROMPT, Client, all_unrelated, item, labels, pairs, reply


def test_many_pairs_make_few_calls_and_keep_their_order() -> None:
    """Ten pairs are three calls; each verdict lands on its own pair, and the cost is the sum."""

    def answer(shown: list[dict[str, Any]]) -> str:
        return reply(*(item(p["pair"], "unrelated", reasoning=p["a"]["text"]) for p in reversed(shown)))

    client = Client(answer)
    judge: Judge = LlmJudge(client, PROMPT, pairs_per_call=4)
    judged, spend = judge.judge(pairs(10))
    assert [j.reason for j in judged if isinstance(j, Verdict)] == [f"x {n}" for n in range(10)]
    assert sorted(len(asked) for asked in client.asked) == [2, 4, 4]
    assert sorted(client.sent) == [("Judge.", 900), ("Judge.", 1_700), ("Judge.", 1_700)]
    assert spend == Spend(3, 150, 30, 1.5)


def test_the_judge_is_named_by_model_prompt_and_digest() -> None:
    """The name stands in every verdict, so no answer is taken for that of another prompt."""
    judge = LlmJudge(Client(all_unrelated), PROMPT)
    assert judge.judge_id == "llm/test/model/relation.v9@0123456789ab"
    judged, _ = judge.judge(pairs(1))
    assert judged[0].judge == judge.judge_id


def test_nothing_to_judge_costs_nothing() -> None:
    """No pairs, no call."""
    client = Client(all_unrelated)
    assert LlmJudge(client, PROMPT).judge([]) == ([], Spend())
    assert client.asked == []


def test_only_unusable_pairs_are_asked_about_again() -> None:
    """Three of five pairs come back unusable; they are asked about in two parts, and one stays so."""

    def answer(shown: list[dict[str, Any]]) -> str:
        known = {"x 0", "x 3"} if len(shown) == 5 else {"x 1", "x 2"}
        return reply(*(item(p["pair"]) for p in shown if p["a"]["text"] in known))

    client = Client(answer)
    judged, spend = LlmJudge(client, PROMPT).judge(pairs(5))
    assert labels(judged) == ["duplicate"] * 4 + ["judge_reply"]
    asked = [[p["a"]["text"] for p in shown] for shown in client.asked]
    assert asked == [["x 0", "x 1", "x 2", "x 3", "x 4"], ["x 1", "x 2"], ["x 4"]]
    assert spend.llm_calls == 3


def test_a_client_without_an_answer_leaves_the_pairs_unjudged() -> None:
    """Its reason is passed on under the judge's name, and not asked again at once."""
    client = Client(lambda _: Unjudged("judge_unavailable", "down", retryable=True))
    judge = LlmJudge(client, PROMPT)
    judged, _ = judge.judge(pairs(2))
    assert judged == [Unjudged("judge_unavailable", "down", retryable=True, judge=judge.judge_id)] * 2
    assert len(client.asked) == 1


def test_a_client_that_raises_leaves_the_pairs_unjudged() -> None:
    """The message has the kind of the error only: its text may hold anything."""

    def answer(_: object) -> str:
        raise ZeroDivisionError("secret")

    judged, _ = LlmJudge(Client(answer), PROMPT).judge(pairs(2))
    assert labels(judged) == ["judge_failed"] * 2
    assert isinstance(judged[0], Unjudged)
    assert judged[0].message == "the client failed: ZeroDivisionError"


def test_the_ceiling_stops_the_calls() -> None:
    """Three calls fit under the ceiling; the other pairs stay unjudged and can be asked about later."""
    budget = CostLedger(max_usd=1.5)
    client = Client(all_unrelated)
    judged, spend = LlmJudge(client, PROMPT, budget=budget, pairs_per_call=1).judge(pairs(8))
    assert sorted(labels(judged)) == ["budget_exceeded"] * 5 + ["unrelated"] * 3
    assert (spend.usd, budget.spent.usd, len(client.asked)) == (1.5, 1.5, 3)
    assert all(j.retryable for j in judged if isinstance(j, Unjudged))


def test_a_hanging_call_does_not_hang_the_judge() -> None:
    """What has answered by then counts; a client that ignores its time limit is left behind."""
    release = threading.Event()

    def answer(shown: list[dict[str, Any]]) -> str:
        if shown[0]["a"]["text"] == "x 1":
            release.wait(timeout=30)
        return all_unrelated(shown)

    judge = LlmJudge(Client(answer), PROMPT, pairs_per_call=1, deadline_s=0.3)
    try:
        judged, _ = judge.judge(pairs(3))
    finally:
        release.set()
    assert labels(judged) == ["unrelated", "deadline", "unrelated"]
    assert isinstance(judged[1], Unjudged)
    assert judged[1].retryable


def test_concurrency_is_bounded_over_all_callers() -> None:
    """Two threads that share a judge have no more calls under way than it allows."""
    lock, under_way, most = threading.Lock(), 0, 0
    both = threading.Barrier(2, timeout=5)

    def answer(shown: list[dict[str, Any]]) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        both.wait()
        with lock:
            under_way -= 1
        return all_unrelated(shown)

    judge = LlmJudge(Client(answer), PROMPT, pairs_per_call=1, concurrency=2)
    callers = [threading.Thread(target=judge.judge, args=(pairs(4),)) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert most == 2


def test_a_pair_is_never_cut() -> None:
    """One that fits into no call is unjudged; a long one has a call to itself, whole."""
    client = Client(all_unrelated)
    huge, long = "h" * MAX_PAIR_CHARS, "l" * 20_000
    three = [*pairs(1), *pairs(1, huge), *pairs(1, long), *pairs(1)]
    judged, _ = LlmJudge(client, PROMPT).judge(three)
    assert labels(judged) == ["unrelated", "too_long", "unrelated", "unrelated"]
    assert isinstance(judged[1], Unjudged)
    assert not judged[1].retryable
    assert sorted([len(p["a"]["text"]) for p in asked] for asked in client.asked) == [[3], [3], [20_002]]


@pytest.mark.parametrize("relation", ["duplicate", "update", "contradiction", "complementary", "unrelated"])
def test_every_label_can_be_given(relation: str) -> None:
    """The five labels of the guide, and no other."""
    judged, _ = LlmJudge(Client(lambda _: reply(item(1, relation))), PROMPT).judge(pairs(1))
    assert labels(judged) == [relation]
