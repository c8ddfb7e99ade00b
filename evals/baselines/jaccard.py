"""Shared words with recency: two texts that share most of their words are one fact, and the later one counts.

Several stores ship this rule, with thresholds from 0.6 to 0.9.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from arbiter.domain.canonical import canonical
from arbiter.domain.evidence import Judgement, RecordPair, Spend, Verdict
from evals.baselines.answers import apart, replaced, same

_WORD = re.compile(r"\w+")


def jaccard(a: str, b: str) -> float:
    """Return the share of words that both texts have in the words that either has, in [0, 1]."""
    left, right = (frozenset(_WORD.findall(canonical(text))) for text in (a, b))
    return len(left & right) / len(left | right) if left | right else 1.0


class JaccardRecency:
    """Merges texts of the same words and lets the later one of two similar texts replace the earlier.

    Args:
        least: Jaccard index of the words from which on two texts are about one fact, in [0, 1].
    """

    def __init__(self, least: float = 0.6) -> None:
        self._least = least

    @property
    def judge_id(self) -> str:
        """Name and threshold."""
        return f"baseline/jaccard-recency@{self._least:g}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        return [self._verdict(jaccard(pair.a.content, pair.b.content)) for pair in pairs], Spend()

    def _verdict(self, shared: float) -> Verdict:
        if shared == 1.0:
            return same(self.judge_id)
        return replaced(self.judge_id) if shared >= self._least else apart(self.judge_id)
