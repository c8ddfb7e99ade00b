"""The judge that needs no judgement: two records with the same canonical content."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.domain.canonical import CANONICAL_VERSION, fingerprint
from arbiter.domain.evidence import NOT_DECIDED, Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import Mutability, Relation, Stakes


class ExactJudge:
    """Calls two records a duplicate if they say the same to the letter, of subjects that may be one."""

    judge_id = f"exact/{CANONICAL_VERSION}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge many pairs; what is not the same to the letter is left to others."""
        return [self._judge(pair) for pair in pairs], Spend()

    def _judge(self, pair: RecordPair) -> Judgement:
        a, b = pair.a, pair.b
        subjects_agree = a.subject_key is None or b.subject_key is None or a.subject_key == b.subject_key
        if not subjects_agree or fingerprint(a.content) != fingerprint(b.content):
            return self._undecided("the words or the subjects differ")
        if Mutability.EVENT in (a.mutability, b.mutability) and a.observed_at != b.observed_at:
            return self._undecided("the same words about two moments may be two events")
        return Verdict(
            relation=Relation.DUPLICATE,
            confidence=1.0,
            judge=self.judge_id,
            attribute=a.claim_key or b.claim_key,
            mutability=a.mutability or b.mutability,
            stakes=Stakes.HIGH if Stakes.HIGH in (a.stakes, b.stakes) else a.stakes or b.stakes,
            reason="the same words",
        )

    def _undecided(self, reason: str) -> Unjudged:
        return Unjudged(NOT_DECIDED, reason, retryable=False, judge=self.judge_id)
