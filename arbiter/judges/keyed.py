"""The judge of registered attributes: same subject and claim key, values compared by their type, no model.

It decides only where code can be sure. Everything else is ``Unjudged`` with the code "not_decided", and
the next judge's affair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from arbiter.domain.canonical import canonical
from arbiter.domain.evidence import NOT_DECIDED, Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.judges.alignment import Side, side
from arbiter.judges.reading import read
from arbiter.judges.value_guards import is_denied
from arbiter.judges.values import same_value, stated_values
from arbiter.judges.word_guards import small_words
from arbiter.ports import ClaimKeys, Guard

# What is left to chance: nothing where a source replaces its own entry; a wrongly filled field or a
# registry entry that does not fit where both values are fields; a misread sentence where they are not.
# They are estimates: of 81 labelled pairs of the development streams that it decides, none is wrong, which
# bounds its errors at about 3.6 % with 95 % confidence and cannot tell the four numbers apart.
_NEW_VERSION = 1.0
_BOTH_FIELDS = 0.98
_READ_FROM_TEXT = 0.95
_ANOTHER_MEMBER = 0.99

# A sentence with one of these does not plainly state the present value.
_NOT_PLAIN = frozenset(
    {"former", "until", "ended", "except", "condition", "hedge", "plan", "least", "most", "undone"}
)
_OTHER_TENSE = re.compile(r"\b(?:will|shall|would|was|were|had|used to)\b")


class TypedClaimKeys(ClaimKeys, Protocol):
    """A registry that also knows the types of values and what attributes are called."""

    @property
    def digest(self) -> str:
        """What the registry says, as hex digits."""
        ...

    def value_type(self, claim_key: str) -> str | None:
        """Return the type of the attribute's values. None: not registered."""
        ...

    def spellings(self, claim_key: str) -> frozenset[str]:
        """Return the words of which the attribute's names consist, in lower case."""
        ...


@dataclass(frozen=True, slots=True)
class _Claim:
    """Two records about one attribute of one subject, with what each gives as its value."""

    pair: RecordPair
    key: str
    mutability: Mutability
    stakes: Stakes | None
    values: tuple[str, str]
    same: bool
    confidence: float


class KeyedJudge:
    """Judges pairs of one subject and one registered claim key by their values.

    ``same_moment`` is the time within which two sources that differ speak of the same moment.
    """

    def __init__(
        self, claim_keys: TypedClaimKeys, guard: Guard, *, same_moment: timedelta = timedelta(days=1)
    ) -> None:
        self._claim_keys = claim_keys
        self._guard = guard
        self._same_moment = same_moment

    @property
    def judge_id(self) -> str:
        """Version of the rules and digest of the registry."""
        return f"keyed/1@{self._claim_keys.digest}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge many pairs; what code cannot tell for sure is left to others."""
        return [self._judge(pair) for pair in pairs], Spend()

    def _judge(self, pair: RecordPair) -> Judgement:
        a, b = (self._claim_keys.complete(record) for record in (pair.a, pair.b))
        completed = RecordPair(a, b)
        if _is_new_version(completed):
            return self._verdict(
                completed,
                Relation.UPDATE,
                _NEW_VERSION,
                f"a new version of {b.source.ref}",
                UpdateKind.STATE_CHANGE,
            )
        claim = self._claim(completed)
        if claim is None:
            return self._undecided(
                "not one registered attribute of one subject with values that can be compared"
            )
        if claim.mutability is Mutability.EVENT:
            return self._judge_event(claim)
        if not self._claim_keys.single_valued(claim.key):
            return self._judge_member(claim)
        return self._judge_value(claim)

    def _claim(self, pair: RecordPair) -> _Claim | None:
        """Gather what is to be compared; None if subject, key or values do not allow it."""
        a, b = pair.a, pair.b
        if not a.subject or not b.subject or not a.claim_key or a.claim_key != b.claim_key:
            return None
        name = self._claim_keys.canonical_name
        value_type = self._claim_keys.value_type(a.claim_key)
        mutability = b.mutability or a.mutability
        if value_type is None or mutability is None or name(a.subject) != name(b.subject):
            return None
        values = stated_values(a, b, value_type, self._claim_keys.spellings(a.claim_key))
        if values is None:
            return None
        same = same_value(*values, value_type, (a.observed_at.date(), b.observed_at.date()), name)
        if same is None:
            return None
        confidence = _BOTH_FIELDS if a.value and b.value else _READ_FROM_TEXT
        return _Claim(pair, a.claim_key, mutability, _stakes(pair), values, same, confidence)

    def _judge_value(self, claim: _Claim) -> Judgement:
        a, b = claim.pair.a, claim.pair.b
        if claim.same:
            return self._judge_same(claim)
        gap = b.observed_at - a.observed_at
        if gap and ((a.source.id == b.source.id and _is_correction(b)) or _denies(b, claim.values[0])):
            return self._told(claim, Relation.UPDATE, "corrected", UpdateKind.CORRECTION)
        if not (_is_plain(a, claim.mutability) and _is_plain(b, claim.mutability)):
            return self._undecided("a text does not plainly state the present value")
        if claim.mutability is Mutability.STABLE and a.source.id != b.source.id:
            return self._undecided("it seldom changes, and another source says so")
        return self._judge_change(claim, gap)

    def _judge_change(self, claim: _Claim, gap: timedelta) -> Verdict:
        """Judge two plainly stated values: a later state, or two for one moment."""
        if _validities_apart(claim.pair):
            return self._told(claim, Relation.COMPLEMENTARY, "each valid in its own time")
        if claim.mutability is Mutability.IMMUTABLE:
            return self._told(claim, Relation.CONTRADICTION, "cannot change")
        one_source = claim.pair.a.source.id == claim.pair.b.source.id
        if gap and (one_source or gap >= self._same_moment):
            return self._told(claim, Relation.UPDATE, "changed", UpdateKind.STATE_CHANGE)
        return self._told(claim, Relation.CONTRADICTION, "two values for one moment")

    def _judge_member(self, claim: _Claim) -> Judgement:
        """Judge two values of an attribute that can have several."""
        if claim.same:
            return self._judge_same(claim)
        a, b = claim.pair.a, claim.pair.b
        if not (_is_plain(a, claim.mutability) and _is_plain(b, claim.mutability)) or _is_correction(b):
            return self._undecided("a text does not plainly state one more value")
        return self._told(
            claim, Relation.COMPLEMENTARY, "can have several values", confidence=_ANOTHER_MEMBER
        )

    def _judge_event(self, claim: _Claim) -> Judgement:
        """Judge two readings: another moment is another point of the series."""
        a, b = claim.pair.a, claim.pair.b
        gap = b.observed_at - a.observed_at
        if not gap:
            if claim.same:
                return self._judge_same(claim)
            return self._told(claim, Relation.CONTRADICTION, "two values for one moment")
        named = (
            read(a.content).dates or read(b.content).dates or read(a.content).times or read(b.content).times
        )
        if named or (a.source.id != b.source.id and gap < self._same_moment):
            return self._undecided("the moments of the two events are told in words")
        return self._told(claim, Relation.COMPLEMENTARY, "two points of a series")

    def _judge_same(self, claim: _Claim) -> Judgement:
        """Call equal values a duplicate, if neither text says anything else."""
        a, b = claim.pair.a, claim.pair.b
        spellings = self._claim_keys.spellings(claim.key)
        about = side(" ".join((*claim.values, a.subject or "", b.subject or "", *sorted(spellings))))
        if _carries_more(a, b, about) or _carries_more(b, a, about) or self._guard.compare(a, b):
            return self._undecided("the values are the same, but a text says more than the value")
        return self._told(claim, Relation.DUPLICATE, "the same value")

    def _told(
        self,
        claim: _Claim,
        relation: Relation,
        why: str,
        update_kind: UpdateKind | None = None,
        *,
        confidence: float | None = None,
    ) -> Verdict:
        reason = f"{claim.key}: {claim.values[0]!r} and {claim.values[1]!r}, {why}"
        return self._verdict(claim.pair, relation, confidence or claim.confidence, reason, update_kind)

    def _verdict(
        self,
        pair: RecordPair,
        relation: Relation,
        confidence: float,
        reason: str,
        update_kind: UpdateKind | None = None,
    ) -> Verdict:
        return Verdict(
            relation=relation,
            confidence=confidence,
            judge=self.judge_id,
            current="b" if relation is Relation.UPDATE else None,
            update_kind=update_kind,
            attribute=pair.b.claim_key or pair.a.claim_key,
            mutability=pair.b.mutability or pair.a.mutability,
            stakes=_stakes(pair),
            reason=reason,
        )

    def _undecided(self, reason: str) -> Unjudged:
        return Unjudged(NOT_DECIDED, reason, retryable=False, judge=self.judge_id)


def _is_new_version(pair: RecordPair) -> bool:
    """Did one source say something else, later, about the very thing that its own reference names?"""
    a, b = pair.a, pair.b
    return (
        a.source.id == b.source.id
        and a.source.ref is not None
        and a.source.ref == b.source.ref
        and a.observed_at < b.observed_at
        and canonical(a.content) != canonical(b.content)
    )


def _stakes(pair: RecordPair) -> Stakes | None:
    """Return the higher stakes of the two."""
    if Stakes.HIGH in (pair.a.stakes, pair.b.stakes):
        return Stakes.HIGH
    return pair.b.stakes or pair.a.stakes


def _is_correction(later: Record) -> bool:
    """Does the text say that what was said before was wrong?"""
    return "correction" in small_words(later.content).qualifiers


def _denies(record: Record, value: str) -> bool:
    """Does the text name the value right after "not", "instead of" or their like?"""
    reading = read(record.content)
    place = reading.text.casefold().find(value.casefold())
    return place >= 0 and is_denied(reading, place)


def _is_plain(record: Record, mutability: Mutability) -> bool:
    """Does the text state a value as it is now, without conditions, doubts, plans or memories?"""
    words = small_words(record.content)
    if words.negations or not _NOT_PLAIN.isdisjoint(words.qualifiers):
        return False
    lasting = mutability in (Mutability.IMMUTABLE, Mutability.EVENT)
    return lasting or _OTHER_TENSE.search(record.content.casefold()) is None


def _validities_apart(pair: RecordPair) -> bool:
    """Does one record say that its value held before the other one's began?"""
    a, b = pair.a, pair.b
    return any(
        first.valid_to is not None and then.valid_from is not None and first.valid_to <= then.valid_from
        for first, then in ((a, b), (b, a))
    )


def _carries_more(record: Record, other: Record, about: Side) -> bool:
    """Does a text hold content words or values that neither the other text nor the attribute accounts for?"""
    theirs = side(other.content)
    extra = (p for p in side(record.content).pieces if p.kind in {"word", "run"} and p.is_content)
    return any(not about.knows(p) and not theirs.knows(p) for p in extra) or (
        _value_count(record) > _value_count(other)
    )


def _value_count(record: Record) -> int:
    reading = read(record.content)
    return len(reading.quantities) + len(reading.dates) + len(reading.times) + len(reading.codes)
