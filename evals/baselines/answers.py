"""The three answers that a store without a judge can give."""

from __future__ import annotations

from arbiter.domain.evidence import Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind


def same(judge: str) -> Verdict:
    """Return that the store merges the two."""
    return Verdict(Relation.DUPLICATE, 1.0, judge, reason="the rule calls them the same")


def replaced(judge: str) -> Verdict:
    """Return that the later one takes the place of the earlier one."""
    return Verdict(
        Relation.UPDATE,
        1.0,
        judge,
        current="b",
        update_kind=UpdateKind.STATE_CHANGE,
        reason="the rule takes the later one of two that are alike",
    )


def apart(judge: str) -> Verdict:
    """Return that the store adds the later one as something new."""
    return Verdict(Relation.UNRELATED, 1.0, judge, reason="the rule sees nothing in common")
