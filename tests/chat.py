"""What chat models reply in tests, and a chat model that answers by a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from arbiter.adapters.prompts import Prompt
from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.judges.chat import Meter
from tests.factories import make_record

PROMPT = Prompt("relation.v9", "0123456789abcdef" * 4, "verdicts", "Judge.", "Pairs: $pairs")
CALL = Spend(llm_calls=1, prompt_tokens=50, completion_tokens=10, usd=0.5)


def item(pair: object = 1, relation: object = "duplicate", **fields: Any) -> dict[str, Any]:
    """Return a verdict as a model writes it, complete and valid unless said otherwise."""
    return {
        "pair": pair,
        "reasoning": "both say so",
        "attribute": "job",
        "relation": relation,
        "current": "b" if relation == "update" else None,
        "update_kind": "state_change" if relation == "update" else None,
        "stale_risk": None,
        "mutability": "mutable",
        "stakes": "normal",
        "merged_text": None,
        "confidence": 0.9,
    } | fields


def reply(*items: object) -> str:
    """Return a whole reply."""
    return json.dumps({"verdicts": items})


def labels(judgements: list[Judgement]) -> list[str]:
    """Return relation or code of each judgement."""
    return [j.relation.value if isinstance(j, Verdict) else j.code for j in judgements]


class Client:
    """A chat model that answers the pairs of a question by a function, and notes the questions."""

    model = "test/model"

    def __init__(self, answer: Callable[[list[dict[str, Any]]], str | Unjudged]) -> None:
        self.answer = answer
        self.asked: list[list[dict[str, Any]]] = []
        self.sent: list[tuple[str, int]] = []

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        meter: Meter,
    ) -> str | Unjudged:
        """Answer one question at the price of one call."""
        assert "verdicts" in str(schema)
        assert timeout_s > 0
        with meter(CALL) as settle:
            pairs = json.loads(user.removeprefix("Pairs: "))
            self.asked.append(pairs)
            self.sent.append((system, max_tokens))
            settle(CALL)
            return self.answer(pairs)


def pairs(number: int, text: str = "x") -> list[RecordPair]:
    """Return pairs that can be told apart by the texts of their sides."""
    return [RecordPair(make_record(f"{text} {n}"), make_record(f"y {n}", at=1)) for n in range(number)]


def all_unrelated(shown: list[dict[str, Any]]) -> str:
    """Answer every pair."""
    return reply(*(item(p["pair"], "unrelated") for p in shown))
