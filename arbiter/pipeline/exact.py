"""Stage 1: who says what, by identity alone; no model, no search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arbiter.domain.facts import Record, Sighting, sighting_of
from arbiter.domain.outcomes import Reason
from arbiter.pipeline.context import Context


@dataclass(frozen=True, slots=True)
class Draft:
    """A record with the identities derived from it. ``subject`` is its name with aliases resolved.

    ``place`` is where it stands among the records at hand; no two have the same. ``record_index`` is what
    the caller knows it by.
    """

    place: int
    record_index: int
    sighting: Sighting
    subject: str | None

    @property
    def record(self) -> Record:
        """The record, completed by the claim-key registry."""
        return self.sighting.record


@dataclass(frozen=True, slots=True)
class Arrivals:
    """A batch sorted by identity: drafts of new sightings (one each), and the re-reads of known ones.

    ``touches`` maps a sighting id to the latest time at which it was seen, None if that is no later than
    before, and how many more times.
    """

    new: tuple[Draft, ...]
    touches: Mapping[str, tuple[datetime | None, int]]


def identify(
    records: Iterable[tuple[int, Record]], context: Context, indexes: Sequence[int] | None = None
) -> list[Draft]:
    """Derive fact, event and sighting of each record; each comes with its place.

    ``indexes`` gives for each place the index that the caller knows the record by; the place by default.
    """
    drafts = []
    for place, record in records:
        completed = context.claim_keys.complete(record)
        keys = context.policy.event_keys(completed.source.id)
        index = place if indexes is None else indexes[place]
        sighting = sighting_of(completed, keys, record_index=index)
        subject = context.claim_keys.canonical_name(completed.subject) if completed.subject else None
        drafts.append(Draft(place, index, sighting, subject))
    return drafts


def sort_arrivals(drafts: Sequence[Draft], known: Mapping[str, datetime]) -> Arrivals:
    """Tell new sightings from re-reads, of those in the store and of one another.

    ``known`` says when the store's were last seen. Of several readings of a new event the earliest becomes
    the sighting.
    """
    first: dict[str, Draft] = {}
    seen: dict[str, tuple[datetime, int]] = {}
    for draft in drafts:
        name, at = draft.sighting.id, draft.record.observed_at
        latest, count = seen.get(name, (at, 0))
        seen[name] = (max(latest, at), count + 1)
        if name not in known and (name not in first or at < first[name].record.observed_at):
            first[name] = draft
    new = tuple(
        replace(draft, sighting=replace(draft.sighting, last_seen=seen[name][0], seen_count=seen[name][1]))
        for name, draft in first.items()
    )
    touches = {
        name: (latest if latest > known[name] else None, count)
        for name, (latest, count) in seen.items()
        if name in known
    }
    return Arrivals(new, touches)


def ambiguous_subjects(drafts: Sequence[Draft], known: Sequence[str]) -> dict[int, Reason]:
    """Return for each record whose subject could be one of several known ones what to ask the caller.

    A subject is ambiguous when the store does not know it itself and its words are among those of two or
    more subjects of the store or the batch: "Dana" where there are "Dana Okafor" and "Dana Smith".
    """
    exact = set(known)
    by_word: dict[str, set[str]] = {}
    for name in exact | {draft.subject for draft in drafts if draft.subject}:
        for word in name.split():
            by_word.setdefault(word, set()).add(name)
    asked: dict[int, Reason] = {}
    for draft in drafts:
        if draft.subject is None or draft.subject in exact:
            continue
        could_be = set.intersection(*(by_word[word] for word in draft.subject.split())) - {draft.subject}
        if len(could_be) > 1:
            names = ", ".join(sorted(could_be))
            asked[draft.place] = Reason(
                "ambiguous_subject", f"the subject could be any of: {names}", "subject"
            )
    return asked
