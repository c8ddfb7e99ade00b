"""One open transaction on a namespace in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from arbiter.domain.evidence import JudgedPair, Unjudged, Verdict
from arbiter.domain.facts import Sighting
from arbiter.domain.outcomes import Decision, FactState, Receipt, ReviewItem, Ruling
from arbiter.domain.review_queue import Comment, ReviewStatus, ReviewWork
from arbiter.domain.settle import Cluster, Settlement
from arbiter.domain.vocabulary import Relation
from arbiter.errors import NotFoundError
from arbiter.interchange import erasure
from arbiter.interchange.receipts import receipt_json
from arbiter.testing_store.space import Asked, Period, Space

if TYPE_CHECKING:
    from arbiter.ports import Clock, Vectors

_APART = (Relation.UNRELATED, Relation.COMPLEMENTARY)


class MemoryWriting:
    """Implements ``Writing`` on a copy of the namespace, which replaces it when all went well."""

    def __init__(self, space: Space, clock: Clock) -> None:
        self._space = space
        self._now = clock()

    def _place(self) -> tuple[int, datetime]:
        self._space.position += 1
        return self._space.position, self._now

    def arrive(
        self,
        sightings: Sequence[Sighting],
        subjects: Mapping[str, str],
        entities: Mapping[str, frozenset[str]],
    ) -> None:
        """See ``Writing.arrive``."""
        space = self._space
        for sighting in sightings:
            if sighting.id in space.sightings:
                continue
            fact_id = sighting.fact_id
            kept = erasure.erased_sighting(sighting) if fact_id in space.erased else sighting
            space.sightings[sighting.id] = (*self._place(), kept)
            if fact_id not in space.told:
                space.entities[fact_id] = entities.get(fact_id, frozenset())
                space.subjects |= {fact_id: subjects[fact_id]} if fact_id in subjects else {}
            space.told[fact_id] = (*space.told.get(fact_id, ()), sighting.id)

    def touch(self, touches: Mapping[str, tuple[datetime | None, int]]) -> None:
        """See ``Writing.touch``."""
        for sighting_id, (latest, more) in touches.items():
            if sighting_id in self._space.sightings:
                position, at, known = self._space.sightings[sighting_id]
                last = max(known.last_seen, latest or known.last_seen)
                seen = replace(known, last_seen=last, seen_count=known.seen_count + more)
                self._space.sightings[sighting_id] = (position, at, seen)

    def put_vectors(self, model_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """See ``Writing.put_vectors``."""
        for fact_id, vector in zip(ids, vectors, strict=True):
            if fact_id not in self._space.erased:
                self._space.vectors.setdefault((model_id, fact_id), (self._place()[0], vector.copy()))

    def judged(self, pairs: Sequence[JudgedPair]) -> None:
        """See ``Writing.judged``."""
        for pair in pairs:
            gone = {pair.a, pair.b} & self._space.erased.keys()
            self._space.judgements.append((*self._place(), _erased_pair(pair) if gone else pair))

    def finish(self, ids: Iterable[str]) -> None:
        """See ``Writing.finish``."""
        self._space.finished |= set(ids)

    def ruled(self, ruling: Ruling) -> None:
        """See ``Writing.ruled``."""
        self._space.rulings.setdefault(ruling.id, (*self._place(), ruling))

    def works(self, work: ReviewWork) -> None:
        """See ``Writing.works``."""
        self._space.work[work.review_id] = work

    def commented(self, comment: Comment) -> None:
        """See ``Writing.commented``."""
        self._space.comments.setdefault(comment.id, comment)

    def cluster(self, ids: Iterable[str]) -> Cluster:
        """See ``Writing.cluster``."""
        pairs = self._space.counting()
        rulings = sorted((r for _, _, r in self._space.rulings.values()), key=lambda r: (r.at, r.id))
        edges: set[Collection[str]] = {ruling.facts for ruling in rulings}
        edges |= {key for key, pair in pairs.items() if _connects(pair)}
        members = set(ids)
        while grown := {side for edge in edges if members.intersection(edge) for side in edge} - members:
            members |= grown
        members &= self._space.told.keys()
        found = {
            key: pair
            for key, pair in pairs.items()
            if members >= set(key)
            or (isinstance(pair.judgement, Unjudged) and pair.b in members and pair.a in self._space.told)
        }
        fringe = frozenset(pair.a for pair in found.values()) - members
        return Cluster(
            facts={fact_id: self._space.fact(fact_id) for fact_id in sorted(members | fringe)},
            pairs=tuple(found[key] for key in sorted(found)),
            rulings=tuple(ruling for ruling in rulings if members >= set(ruling.key)),
            unfinished=frozenset(members - self._space.finished),
            fringe=fringe,
        )

    def apply(self, settlement: Settlement) -> list[FactState]:
        """See ``Writing.apply``."""
        space = self._space
        self._apply_decisions(settlement)
        self._apply_reviews(settlement)
        last = {state.fact_id: state for *_, state in space.changes}
        changed = [s for _, s in sorted(settlement.states.items()) if last.get(s.fact_id) != s]
        for state in changed:
            old = last.get(state.fact_id)
            space.changes.append((*self._place(), old.state.value if old else None, state))
        space.states |= settlement.states
        return changed

    def _apply_reviews(self, settlement: Settlement) -> None:
        known, now = self._space.reviews, self._now
        wanted = {item.id: (item, ReviewStatus.OPEN) for item in settlement.reviews}
        wanted |= {item.id: (item, ReviewStatus.SET_ASIDE) for item in settlement.aside}
        for name, asked in list(known.items()):
            gone = asked.status is not ReviewStatus.CLOSED and name not in wanted
            if gone and _settled(asked.item, settlement):
                known[name] = replace(asked, status=ReviewStatus.CLOSED, closed_at=now)
        for name, (item, status) in wanted.items():
            asked = known.get(name) or Asked(item, ReviewStatus.CLOSED, now)
            if asked.status is status:
                known[name] = replace(asked, item=item)
            elif status is ReviewStatus.OPEN:
                known[name] = Asked(item, status, now)
            else:
                opened_at = asked.opened_at if asked.status is ReviewStatus.OPEN else now
                known[name] = Asked(item, status, opened_at, now)

    def _apply_decisions(self, settlement: Settlement) -> None:
        space, wanted = self._space, {decision.id: decision for decision in settlement.decisions}
        present = space.in_force()
        for decision_id, sequence in present.items():
            period = space.decisions[sequence]
            if decision_id not in wanted and _settled(period.decision, settlement):
                space.decisions[sequence] = replace(period, ended=self._place())
        for decision_id, decision in wanted.items():
            if decision_id in present:
                sequence = present[decision_id]
                space.decisions[sequence] = replace(space.decisions[sequence], decision=decision)
            else:
                sequence, at = self._place()
                space.decisions[sequence] = Period(decision, at)

    def receipts(self, receipts: Sequence[Receipt]) -> None:
        """See ``Writing.receipts``; the newest receipt of an id stays."""
        for receipt in receipts:
            body = receipt_json(receipt)
            for fact_id in self._space.erased:
                body = erasure.erased_receipt(body, fact_id)
            self._space.receipts[receipt.id] = body
            self._space.received[receipt.id] = self._now

    def erase(self, fact_id: str) -> None:
        """See ``Writing.erase``."""
        space = self._space
        if fact_id not in space.told:
            raise NotFoundError(f"there is no fact {fact_id}")
        if fact_id in space.erased:
            return
        space.erased[fact_id] = (*self._place(), space.fact(fact_id).fingerprint)
        space.subjects.pop(fact_id, None)
        space.entities[fact_id] = frozenset()
        space.vectors = {key: found for key, found in space.vectors.items() if key[1] != fact_id}
        for sighting_id in space.told[fact_id]:
            place, at, sighting = space.sightings[sighting_id]
            space.sightings[sighting_id] = (place, at, erasure.erased_sighting(sighting))
        space.judgements = [
            (position, at, _erased_pair(pair) if fact_id in pair.key else pair)
            for position, at, pair in space.judgements
        ]
        for ruling_id, (position, at, ruling) in list(space.rulings.items()):
            if fact_id in ruling.facts:
                space.rulings[ruling_id] = (position, at, erasure.erased_ruling(ruling))
        for review_id, asked in list(space.reviews.items()):
            if fact_id in asked.item.key:
                space.reviews[review_id] = replace(asked, item=erasure.erased_review(asked.item))
                space.comments |= {
                    comment.id: replace(comment, text="")
                    for comment in space.comments.values()
                    if comment.review_id == review_id
                }
        space.receipts = {
            receipt_id: erasure.erased_receipt(body, fact_id) for receipt_id, body in space.receipts.items()
        }


def _erased_pair(pair: JudgedPair) -> JudgedPair:
    return replace(pair, judgement=erasure.erased_judgement(pair.judgement))


def _connects(pair: JudgedPair) -> bool:
    return isinstance(pair.judgement, Verdict) and pair.judgement.relation not in _APART


def _settled(about: Decision | ReviewItem, settlement: Settlement) -> bool:
    """Did the settlement judge of this pair, so that its silence means no? See ``Writing.apply``."""
    inside = {about.a, about.b} & settlement.states.keys()
    if about.relation is None:
        return about.b in inside
    return len(inside) == 2 or (len(inside) == 1 and about.relation not in _APART)
