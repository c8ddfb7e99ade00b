"""The cascade: cheap judges first, dearer ones only for what is left unsure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arbiter.domain.evidence import NOT_DECIDED, Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.ports import Judge

_NOBODY = Unjudged("no_judge", "no judge could tell", retryable=False)


class CascadeJudge:
    """Asks judges in order until one is sure.

    A verdict is sure when its confidence reaches ``least``, the policy's threshold for it. The answer is
    the first sure verdict, else what the last judge says, for dearer ones come later. A judge out of reach
    is asked again later, so its pair is held rather than put before a person with an unsure verdict; one that
    will never tell hides no verdict.
    """

    def __init__(self, judges: Sequence[Judge], least: Callable[[Verdict], float]) -> None:
        self._judges = tuple(judges)
        self._least = least

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
        return isinstance(judgement, Verdict) and judgement.confidence >= self._least(judgement)


def _better(known: Judgement, found: Judgement) -> Judgement:
    if isinstance(found, Verdict) or found.retryable:
        return found
    undecided = found.code == NOT_DECIDED and known is not _NOBODY
    return known if isinstance(known, Verdict) or undecided else found
