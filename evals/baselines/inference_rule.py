"""A rule over natural language inference, as stores with an inference model use it.

What entails each other is the same; what entails the other and not the reverse says more; what contradicts
is a conflict; the rest has nothing to do with each other. Inference knows no time: a later state and a
contradiction look alike to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from arbiter.domain.evidence import Judgement, RecordPair, Side, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Probabilities = NDArray[np.float32]

_ENTAILMENT, _NEUTRAL, _CONTRADICTION = range(3)
# The thresholds that the stores ship which use such a model.
_ENTAILED = 0.85
_CONFLICTING = 0.5
_APART = 0.5


class Inference(Protocol):
    """A model of natural language inference, such as the first stage of the local judge."""

    @property
    def judge_id(self) -> str:
        """Name and digest."""
        ...

    def infer(self, texts: Sequence[tuple[str, str]]) -> Probabilities:
        """Return what the first text, taken as true, means for the second.

        Shape (pairs, 3): the probabilities of entailment, neutral and contradiction.
        """
        ...


class InferenceRule:
    """Asks a model in both directions and follows the rule."""

    def __init__(self, model: Inference) -> None:
        self._model = model

    @property
    def judge_id(self) -> str:
        """Name of the rule and the model."""
        return f"baseline/inference/{self._model.judge_id}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        if not pairs:
            return [], Spend()
        texts = [(pair.a.content, pair.b.content) for pair in pairs]
        forth = self._model.infer(texts).tolist()
        back = self._model.infer([(b, a) for a, b in texts]).tolist()
        judged = [self._judge(there, again) for there, again in zip(forth, back, strict=True)]
        return judged, Spend(local_pairs=2 * len(pairs))

    def _judge(self, forth: Sequence[float], back: Sequence[float]) -> Judgement:
        conflict = max(forth[_CONTRADICTION], back[_CONTRADICTION])
        if conflict >= _CONFLICTING:
            return self._verdict(Relation.CONTRADICTION, conflict)
        entailed = (forth[_ENTAILMENT] >= _ENTAILED, back[_ENTAILMENT] >= _ENTAILED)
        if all(entailed):
            return self._verdict(Relation.DUPLICATE, min(forth[_ENTAILMENT], back[_ENTAILMENT]))
        if entailed[0]:
            return self._verdict(Relation.UPDATE, forth[_ENTAILMENT], "a")
        if entailed[1]:
            return self._verdict(Relation.UPDATE, back[_ENTAILMENT], "b")
        apart = min(forth[_NEUTRAL], back[_NEUTRAL])
        if apart >= _APART:
            return self._verdict(Relation.UNRELATED, apart)
        return Unjudged("not_decided", "no probability is high enough", retryable=False, judge=self.judge_id)

    def _verdict(self, relation: Relation, confidence: float, current: Side | None = None) -> Verdict:
        return Verdict(
            relation,
            confidence,
            self.judge_id,
            current=current,
            update_kind=UpdateKind.REFINEMENT if current else None,
            reason="by entailment and contradiction in both directions",
        )
