"""Variants of labelled pairs whose label stays the same, drawn anew each epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Relation
from arbiter.training.examples import Example

_SWAPPED: Mapping[Relation, float] = {
    Relation.DUPLICATE: 0.3,
    Relation.UNRELATED: 0.3,
    Relation.COMPLEMENTARY: 0.15,
    Relation.CONTRADICTION: 0.15,
}
"""How often the statements change places; an update would often become something else."""

_OTHER_SUBJECT: Mapping[Relation, float] = {
    Relation.DUPLICATE: 0.05,
    Relation.UPDATE: 0.05,
    Relation.CONTRADICTION: 0.05,
    Relation.COMPLEMENTARY: 0.15,
    Relation.UNRELATED: 0.75,
}
"""How often callers file the two under different subjects, as a guess: names are spelled in many ways."""

_ATTRIBUTE_BY_PHENOMENON: Mapping[str, tuple[str, str]] = {
    "other_attribute": ("first", "second"),
    "list_member": ("first", "first"),
}


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How often what is changed. Each is a probability for one pair and epoch."""

    swap: bool = True
    subjects: float = 0.35
    attributes: float = 0.15
    bare: float = 0.1
    forget_names: float = 0.5

    def vary(self, example: Example, random: Random) -> Example:
        """Return a variant of the example with the same label."""
        if self.swap and random.random() < _SWAPPED.get(example.relation, 0.0):
            example = example.swapped()
        a, b = example.pair.a, example.pair.b
        if a.subject is not None or b.subject is not None:
            forget = random.random() < self.forget_names
            return example if not forget else replace(example, pair=RecordPair(_unnamed(a), _unnamed(b)))
        if random.random() < self.subjects:
            other = _differs(example, random)
            a, b = replace(a, subject="first"), replace(b, subject="second" if other else "first")
        if random.random() < self.attributes:
            first, second = _attributes(example)
            a, b = replace(a, claim_key=first), replace(b, claim_key=second)
        return replace(example, pair=RecordPair(a, b))

    def context(self, words: Sequence[str], random: Random) -> Sequence[str]:
        """Return what lies between the records, sometimes nothing: judging must work without it."""
        return () if random.random() < self.bare else words


NONE = Augmentation(swap=False, subjects=0.0, attributes=0.0, bare=0.0, forget_names=0.0)
"""Leaves examples as they are."""


def _unnamed(record: Record) -> Record:
    return replace(record, subject=None, claim_key=None)


def _differs(example: Example, random: Random) -> bool:
    if example.phenomenon == "same_subject_far_topic":
        return random.random() < 0.05
    return random.random() < _OTHER_SUBJECT[example.relation]


def _attributes(example: Example) -> tuple[str | None, str | None]:
    if example.relation in {Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION}:
        return "first", "first"
    return _ATTRIBUTE_BY_PHENOMENON.get(example.phenomenon, (None, None))
