"""Judges watched at work: time, failures and cost of each, and nothing changed about what they say."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families as families
from prometheus_client.registry import CollectorRegistry

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.judges.cascade import CascadeJudge
from arbiter.judges.llm import LlmJudge
from arbiter.ports import Judge
from arbiter.testing import TableJudge
from arbiter.web.metrics import Metrics
from arbiter.web.observed import ObservedClient, ObservedJudge, ObservedJudges
from arbiter.web.traces import NoTraces
from tests.chat import PROMPT, Client, all_unrelated, labels, pairs, reply
from tests.factories import verdict

UNDECIDED = Unjudged("not_decided", "not mine", retryable=False)
DOWN = Unjudged("judge_unavailable", "down", retryable=True)


def told(metrics: Metrics) -> dict[str, float]:
    """Return the samples about judges, as they are written."""
    text = metrics.exposed("", CollectorRegistry())[0].decode()
    found = {}
    for family in families(text):
        for sample in family.samples:
            words = [sample.name.removeprefix("arbiter_"), *(v for _, v in sorted(sample.labels.items()))]
            if sample.name.startswith("arbiter_") and "le" not in sample.labels and sample.value:
                found[" ".join(words)] = sample.value
    return {name: value for name, value in found.items() if "_created" not in name}


def test_each_judge_has_its_own_numbers() -> None:
    """A cascade: who was asked about how many pairs, who failed at what, and what was found in the end."""
    metrics = Metrics()
    a, b, c = pairs(3)
    cheap = TableJudge({(a.a.content, a.b.content): verdict("update")}, UNDECIDED, judge_id="cheap")
    table = {(b.a.content, b.b.content): verdict("duplicate")}
    dear = TableJudge(table, DOWN, per_pair=Spend(local_pairs=1), judge_id="dear")
    judges: list[Judge] = [ObservedJudge(judge, metrics, NoTraces()) for judge in (cheap, dear)]
    cascade = ObservedJudges(CascadeJudge(judges, lambda _: 0.5), metrics)
    found, spend = cascade.judge([a, b, c])
    assert labels(found) == ["update", "duplicate", "judge_unavailable"]
    assert (spend, cascade.judge_id) == (Spend(local_pairs=2), "cheap > dear")
    numbers = told(metrics)
    assert numbers.pop("judge_duration_seconds_sum cheap") > 0
    assert numbers.pop("judge_duration_seconds_sum dear") > 0
    assert numbers == {
        "judge_duration_seconds_count cheap": 1,
        "judge_duration_seconds_count dear": 1,
        "judge_pairs_total cheap": 3,
        "judge_pairs_total dear": 2,
        "judge_failures_total judge_unavailable dear": 1,
        "local_pairs_total": 2,
        "relations_total update": 1,
        "relations_total duplicate": 1,
        "relations_total unjudged": 1,
    }


def test_the_cost_of_a_language_model_is_counted() -> None:
    """Calls, tokens both ways, and dollars, under the name of the judge; a call that failed costs too."""
    metrics = Metrics()
    client = Client(all_unrelated)
    judge = ObservedJudge(LlmJudge(ObservedClient(client, NoTraces()), PROMPT), metrics, NoTraces())
    found, spend = judge.judge(pairs(2))
    client.answer = lambda _: reply()
    failed, more = judge.judge(pairs(1))
    name = "llm/test/model/relation.v9@0123456789ab"
    assert (labels(found), labels(failed)) == (["unrelated"] * 2, ["judge_reply"])
    assert (spend + more, judge.judge_id) == (Spend(3, 150, 30, 1.5), name)
    numbers = told(metrics)
    assert {key: value for key, value in numbers.items() if "duration" not in key} == {
        f"judge_pairs_total {name}": 3,
        f"judge_failures_total judge_reply {name}": 1,
        f"llm_calls_total {name}": 3,
        f"llm_tokens_total prompt {name}": 150,
        f"llm_tokens_total completion {name}": 30,
        f"cost_usd_total {name}": 1.5,
    }
