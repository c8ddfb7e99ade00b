"""Stage 3: which candidates are worth a judge. What is dropped stays in the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arbiter.domain.evidence import Candidate
from arbiter.pipeline.context import Limits
from arbiter.pipeline.retrieve import certain, rank, shares


def screen(candidates: Sequence[Candidate], limits: Limits) -> list[Candidate]:
    """Mark the candidates that no judge need see, each with the rule that dropped it.

    What callers say is about two different subjects can be neither the same nor in conflict, however alike
    it reads. Of the others, pairs that share a subject or a named thing need less similarity than strangers:
    they must stand out among all that is about the same thing, unless that is too little to tell. Of those
    that remain the closest are judged, up to the limit; of those about a namesake only the very closest.
    """
    screened = []
    judged = related = namesakes = 0
    for candidate in sorted(candidates, key=rank):
        sure = certain(candidate)
        related += shares(candidate) and not sure
        dropped = None if sure else _dropped(candidate, limits, related=related, namesakes=namesakes)
        if dropped is None and judged >= limits.judged_pairs:
            dropped = "limit"
        judged += dropped is None
        namesakes += candidate.namesake and dropped is None
        screened.append(replace(candidate, dropped_by=dropped) if dropped else candidate)
    return screened


def _dropped(candidate: Candidate, limits: Limits, *, related: int, namesakes: int) -> str | None:
    """Return the rule that drops a candidate which no road makes certain, if there is one.

    ``related`` counts it and the nearer ones that share something, ``namesakes`` those judged before it.
    """
    if candidate.apart:
        return "subject"
    if candidate.stands_out_from is not None:
        dropped = _like_the_rest(candidate, limits)
    elif shares(candidate) and related <= limits.nearest_related:
        dropped = None
    else:
        dropped = _too_far(candidate, limits)
    if dropped is None and candidate.namesake and namesakes >= limits.namesakes:
        return "namesake"
    return dropped


def _too_far(candidate: Candidate, limits: Limits) -> str | None:
    if candidate.similarity is None:
        return "not-compared"
    if candidate.similarity < (limits.near if shares(candidate) else limits.nearer):
        return "similarity"
    return None


def _like_the_rest(candidate: Candidate, limits: Limits) -> str | None:
    """Drop what does not stand out, unless it is near enough for strangers: all may be one claim."""
    similarity, bound = candidate.similarity, candidate.stands_out_from
    if similarity is None or bound is None:
        return _too_far(candidate, limits)
    return "crowd" if similarity < max(limits.near, min(bound, limits.nearer)) else None
