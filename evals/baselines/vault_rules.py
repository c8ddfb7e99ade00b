"""Context Vault's rules for statements of subject, predicate and object, from its own package.

They compare objects, know which predicates have one value at a time, and look at the validity windows. They
read no free text, so a pair without those three parts is left unjudged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind
from arbiter.errors import MissingExtraError

if TYPE_CHECKING:
    from arbiter.domain.facts import Record

_RELATIONS: Mapping[str, tuple[Relation, UpdateKind | None]] = {
    "DUPLICATE": (Relation.DUPLICATE, None),
    "TEMPORAL_SUPERSESSION": (Relation.UPDATE, UpdateKind.STATE_CHANGE),
    "REFINEMENT": (Relation.UPDATE, UpdateKind.REFINEMENT),
    "CONTRADICTION": (Relation.CONTRADICTION, None),
    "INDEPENDENT": (Relation.COMPLEMENTARY, None),
}
"""Its relations in our words. Independent statements about one subject are complementary by our guide."""


class VaultRules:
    """Asks the rule judge as the package wires it: normaliser, candidate filter, judge, floor of certainty.

    Raises:
        MissingExtraError: context-vault-ai is not installed.
    """

    def __init__(self) -> None:
        try:
            from context_vault.conflict.detector import ConflictDetector  # type: ignore[import-untyped]
            from context_vault.conflict.judge import HeuristicJudge  # type: ignore[import-untyped]
            from context_vault.models.claim import Claim  # type: ignore[import-untyped]
        except ImportError as error:
            raise MissingExtraError("context-vault-ai is missing: install arbiter[evals]") from error
        self._detector = ConflictDetector(HeuristicJudge())
        self._claim = Claim
        self.judge_id = f"baseline/context-vault@{version('context-vault-ai')}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        return [self._judge(pair) for pair in pairs], Spend()

    def _judge(self, pair: RecordPair) -> Judgement:
        stored, arriving = self._as_claim(pair.a), self._as_claim(pair.b)
        if stored is None or arriving is None:
            return self._unjudged("no_triple", "a side has no subject, claim key and value")
        found = self._detector.detect(arriving, [stored])
        named = str(found.chosen_relation.value)
        if named not in _RELATIONS:
            return self._unjudged("not_decided", "the rules leave it to a person")
        relation, kind = _RELATIONS[named]
        return Verdict(
            relation,
            1.0,
            self.judge_id,
            current="b" if kind else None,
            update_kind=kind,
            reason=found.verdicts[0].rationale if found.verdicts else "the candidate filter dropped the pair",
        )

    def _as_claim(self, record: Record) -> Any | None:  # noqa: ANN401  the package ships no types
        if not (record.subject and record.claim_key and record.value):
            return None
        return self._claim(
            subject=record.subject,
            predicate=record.claim_key,
            object=record.value,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            asserted_at=record.observed_at,
        )

    def _unjudged(self, code: str, message: str) -> Unjudged:
        return Unjudged(code, message, retryable=False, judge=self.judge_id)
