"""The cascade: cheap judges first, dearer ones only for what is left unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.ports import Judge

_NOBODY = Unjudged("no_judge", "no judge could tell", retryable=False)


class CascadeJudge:
    """Asks judges in order until one is sure.

    A verdict is sure when its confidence reaches the policy's threshold for its relation. The answer is
    the first sure verdict, else the surest verdict met, else the last reason why nobody could tell: a
    later judge's failure never hides an earlier one's verdict.
    """

    def __init__(self, judges: Sequence[Judge], sure: Mapping[str, float]) -> None:
        self._judges = tuple(judges)
        self._sure = dict(sure)

    @property
    def judge_id(self) -> str:
        """The ids of the judges, in order."""
        return " > ".join(judge.judge_id for judge in self._judges)

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        answers: list[Judgement] = [_NOBODY] * len(pairs)
        spend = Spend()
        open_places = list(range(len(pairs)))
        for judge in self._judges:
            if not open_places:
                break
            found, cost = judge.judge([pairs[place] for place in open_places])
            spend += cost
            for place, judgement in zip(open_places, found, strict=True):
                answers[place] = _better(answers[place], judgement)
            open_places = [place for place in open_places if not self._is_sure(answers[place])]
        return answers, spend

    def _is_sure(self, judgement: Judgement) -> bool:
        return isinstance(judgement, Verdict) and judgement.confidence >= self._sure.get(
            judgement.relation, 0.0
        )


def _better(known: Judgement, found: Judgement) -> Judgement:
    if isinstance(found, Unjudged):
        undecided = found.code == "not_decided" and isinstance(known, Unjudged)
        return known if isinstance(known, Verdict) or (undecided and known is not _NOBODY) else found
    if isinstance(known, Unjudged) or found.confidence >= known.confidence:
        return found
    return known
