"""Guards: differences in code that forbid to call two texts the same, whatever a model thinks.

A guard never says what a pair *is*; it only says that one text asserts something which the other does
not. A value that stands on one side alone is a detail and no finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arbiter.domain.canonical import canonical
from arbiter.domain.evidence import GuardFinding
from arbiter.domain.facts import Record
from arbiter.judges.alignment import align, side
from arbiter.judges.name_guards import name_findings, swap_of
from arbiter.judges.proposals import invented
from arbiter.judges.reading import read
from arbiter.judges.script_guards import script_findings
from arbiter.judges.value_guards import loose_number_findings, value_findings
from arbiter.judges.word_guards import small_words, word_findings


class TextGuards:
    """Compares numbers, units, dates, times, identifiers, negation, names, quantifiers and qualifiers.

    ``canonical_name`` resolves aliases, so that a name and its abbreviation are no difference.
    """

    def __init__(self, canonical_name: Callable[[str], str] | None = None) -> None:
        self._canonical_name = canonical_name

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:
        """Return the differences that forbid to call the two the same; empty if there are none.

        The order of the two plays no part in what is found.
        """
        if canonical(a.content) == canonical(b.content):
            return ()
        if a.content <= b.content:
            return tuple(self._findings(a, b))
        return tuple(GuardFinding(found.guard, found.b, found.a) for found in self._findings(b, a))

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:
        """Return what a merged wording names that neither record does."""
        return invented(proposal, a.content, b.content)

    def forget(self) -> None:
        """Drop the texts that were remembered so that each is read once."""
        for remembered in (read, side, small_words):
            remembered.cache_clear()

    def _findings(self, a: Record, b: Record) -> Iterator[GuardFinding]:
        left, right, alignment = read(a.content), read(b.content), align(a.content, b.content)
        values = tuple(value_findings(left, right, a.observed_at.date(), b.observed_at.date()))
        yield from values or loose_number_findings(left, right, alignment)
        yield from word_findings(a.content, b.content, alignment, swap_of(alignment))
        yield from name_findings(alignment, self._canonical_name)
        yield from script_findings(alignment)
