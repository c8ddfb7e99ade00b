"""Field cases of one stored record and one that arrives: relation, action, who is left, and every word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arbiter.domain.vocabulary import Action, Outcome, Relation, State
from arbiter.ports import Vectors
from tests.acceptance.bench import MODEL, bench, decision, judgement, relation, says
from tests.acceptance.field_cases import CASES, DEVIATES, Case, covers, record
from tests.acceptance.field_words import WORDS, Played

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

PAIRS = [case.id for case in CASES.values() if case.input["type"] == "pair"]

BY_CODE = {
    "corrected-source-blended",
    "decision-not-recorded",
    "punctuation-carries-meaning",
    "second-value-of-multivalued",
    "spec-conflict-plus-new-property",
    "state-change-called-history",
    "subject-spelling-hides-update",
    "synonymous-claim-keys",
}
"""The keyed judge is sure; the model is not asked."""

NOT_COMPARED = {
    "blank-fields-count-as-match",
    "instruction-inside-a-fact",
    "other-subject-same-words",  # these four: their subjects are two things
    "relatives-favourite",
    "shared-latin-fragment",
    "the-word-not-in-both",
}
"""No judge sees the pair: it is no candidate, or one that is dropped."""

CANDIDATE_STAYS = {
    "alias-of-organisation",  # a better source
    "older-paraphrase-ingested-late",  # the earlier wording
    "short-acronym-below-threshold",  # a better source
}
"""Duplicates of which the wording that arrives is the one that stays; else it is the stored one."""

RULES = {
    "confident-web-page-replaces-user-rule": "conflict-open",
    "opposition-without-not": "high-stakes-contradiction",
    "punctuation-carries-meaning": "high-stakes-contradiction",
    "birthplace-rewritten": "fixed-authority",
    "inference-retires-user-statement": "fixed-authority",
    "name-from-a-greeting": "stable-authority",
    "corrected-source-blended": "correction",
    "fused-fact-partly-changed": "complementary-doubt",
}
"""The rule that decides, where it is not the plain one of the action."""

PLAIN_RULES = {"reinforce": "duplicate", "supersede": "change", "review": "conflict-open"}
KEPT_BY_AUTHORITY = {"birthplace-rewritten", "inference-retires-user-statement", "name-from-a-greeting"}
NOT_SO = {
    ("birthplace-rewritten", "supersede"),
    ("older-paraphrase-ingested-late", "existing stays active"),
}
"""What does not hold of cases that deviate: the lesser source's record is superseded; the wordings change."""


class AtCosine:
    """An embedder that puts every text at one cosine from the first one it met."""

    model_id = "stub"
    dimension = 384

    def __init__(self, cosine: float) -> None:
        self._cosine = cosine
        self._first: str | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the first direction for the first text, one beside it for others."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            self._first = self._first or text
            cosine = 1.0 if text == self._first else self._cosine
            vectors[row, :2] = cosine, (1 - cosine**2) ** 0.5
        return vectors


@pytest.mark.parametrize("case_id", PAIRS)
@covers(*PAIRS)
def test_pair(case_id: str) -> None:
    """The pair gets its relation and action by its rule and judge, both stand as they should, words hold."""
    case = CASES[case_id]
    expected, existing, candidate = case.expected, *(record(case.input[s]) for s in ("existing", "candidate"))
    label = "complementary" if case_id == "fused-fact-partly-changed" else _labels(case)[0]
    keep = existing if expected.get("winner") == "existing" else candidate
    doubt = {"stale_risk": "a"} if label != _labels(case)[0] else {}
    answer = says(existing["content"], candidate["content"], label, keep["content"], **doubt)
    keys = {
        key: f'{{ cardinality = "single", mutability = "{m}" }}'
        for key, m in case.input.get("policy", {}).items()
    }
    aliases = {name: [alias] for alias, name in case.input.get("aliases", {}).items()}
    with bench(answer, keys=keys, aliases=aliases) as on:
        if "embedding_stub" in case.input:
            stub = case.input["embedding_stub"]
            on.arbiter = on.using(AtCosine(stub.get("cosine", stub.get("stage similarity"))))
        played = Played(case, on, on.one(existing), on.one(candidate))
        if played.existing.fact_id == played.candidate.fact_id:
            _is_one_fact(played)
        elif case_id in NOT_COMPARED:
            _was_not_compared(played)
        else:
            _was_judged(played, label)
        _words_hold(played)


def _labels(case: Case) -> list[str]:
    return case.expected.get("relation_any_of") or [case.expected["relation"]]


def _is_one_fact(played: Played) -> None:
    """Both say the same to the letter: one active fact, seen twice, and no judge was asked."""
    assert _labels(played.case) == [Relation.DUPLICATE]
    assert played.case.expected["action"] == Action.REINFORCE
    assert played.candidate.duplicate_of == played.existing.fact_id
    assert played.state(played.existing) == "active"
    fact = played.fact(played.existing)
    both_said_it = len(fact.sources) == 2
    assert played.candidate.outcome is (Outcome.MERGED if both_said_it else Outcome.UNCHANGED)
    assert (fact.seen_count, len(fact.sightings)) == (2, len(fact.sources))
    assert played.bench.asked() == []


def _was_not_compared(played: Played) -> None:
    """Nobody judged, both stay."""
    assert played.case.expected.get("action_any_of", ["keep_both"]).count("keep_both") == 1
    assert [found.dropped_by for found in played.candidate.candidates] in ([], ["subject"])
    assert (played.candidate.relations, played.candidate.decisions) == ((), ())
    assert played.states == ("active", "active")
    assert played.bench.asked() == []


def _was_judged(played: Played, label: str) -> None:
    case, on, existing, candidate = played.case, played.bench, played.existing, played.candidate
    assert relation(candidate, existing.fact_id) == label
    assert label in _labels(case) or case.id in DEVIATES
    made, judge = decision(candidate, existing.fact_id), judgement(candidate, existing.fact_id).judge
    texts = frozenset((played.fact(existing).content, played.fact(candidate).content))
    if case.id in BY_CODE:
        assert on.asked() == []
        assert judge.startswith("keyed/1@")
    else:
        assert on.asked() == [texts]
        assert judge.startswith(MODEL)
    action = _action(case)
    assert (made.action, made.rule) == (action, RULES.get(case.id, PLAIN_RULES.get(action, label)))
    assert played.states == _states(case, action)
    waiting = [{item.a, item.b} for item in on.arbiter.review.items()]
    asks = action is Action.REVIEW or case.id == "fused-fact-partly-changed"
    assert waiting == ([{existing.fact_id, candidate.fact_id}] if asks else [])
    assert candidate.stored


def _action(case: Case) -> Action:
    """Return what we do: the case's action in our words, or ours where it deviates."""
    if case.id in KEPT_BY_AUTHORITY:
        return Action.SUPERSEDE
    if case.id == "corrected-source-blended":
        return Action.TOMBSTONE
    if case.id == "fused-fact-partly-changed":
        return Action.KEEP_BOTH
    named = case.expected["action"]
    return Action.REVIEW if named == "flag_for_review" else Action(named)


def _states(case: Case, action: Action) -> tuple[str, str]:
    """Return where the existing and the candidate record stand in the end."""
    if action is Action.REVIEW:
        return "active contested", "active contested"
    if action is Action.KEEP_BOTH:
        return "active", "active"
    lost = "superseded update" if action is Action.SUPERSEDE else "tombstoned correction"
    candidate_wins = case.expected.get("winner") == "candidate"
    if action is Action.REINFORCE:
        lost, candidate_wins = "superseded duplicate", case.id in CANDIDATE_STAYS
    elif case.id in KEPT_BY_AUTHORITY:
        lost = "superseded authority"
    return (lost, "active") if candidate_wins else ("active", lost)


def _words_hold(played: Played) -> None:
    """Check every word of the case: labels and actions by value, sentences by their own check."""
    case, expected = played.case, played.case.expected
    receipt = expected.get("receipt", {}).get("must_have", [])
    actions = {made.action.value for made in played.candidate.decisions}
    labels = {relation(played.candidate, found.fact_id) for found in played.candidate.relations}
    for word in (*expected.get("must_not", []), *expected.get("invariants", []), *receipt):
        if (case.id, word) in NOT_SO:
            assert word in actions or word in WORDS
        elif word in set(Relation) | set(Action):
            assert word not in actions | labels
        else:
            assert WORDS[word](played), word
    assert expected.get("stage") in (None, "hash")
    if expected.get("stage") == "hash":
        assert played.existing.fact_id == played.candidate.fact_id


def test_a_model_that_calls_a_partial_change_an_update_still_loses_no_text() -> None:
    """Were the fused record called an update, it would be superseded as a whole, and stay readable."""
    case = CASES["fused-fact-partly-changed"]
    existing, candidate = (record(case.input[side]) for side in ("existing", "candidate"))
    with bench(says(existing["content"], candidate["content"], "update")) as on:
        on.add(existing, candidate)
        superseded = [v.fact.content for v in on.arbiter.facts(state=State.SUPERSEDED)]
    assert superseded == [existing["content"]]
