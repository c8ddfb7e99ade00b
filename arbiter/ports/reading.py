"""Reading facts, and finding them by what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.facts import Fact
    from arbiter.domain.outcomes import FactState
    from arbiter.ports.evidence import Vectors


class FactReader(Protocol):
    """Reads facts, and finds them by what they are about. Every method keeps to one namespace.

    Found facts are of every state: a superseded fact still places a late arrival.
    """

    def facts(self, namespace: str, ids: Iterable[str]) -> dict[str, Fact]:
        """Return the facts with these ids; unknown ids lack."""
        ...

    def last_seen(self, namespace: str, ids: Iterable[str]) -> dict[str, datetime]:
        """Return when the sightings with these ids were last seen; unknown ids lack."""
        ...

    def states(self, namespace: str, ids: Iterable[str]) -> dict[str, FactState]:
        """Return the derived states of facts; facts that arrived but were not settled yet lack."""
        ...

    def by_fingerprint(
        self, namespace: str, fingerprints: Iterable[str], *, limit: int
    ) -> dict[str, list[str]]:
        """Return for each fingerprint up to ``limit`` fact ids, newest first."""
        ...

    def by_reference(
        self, namespace: str, references: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """Return for each (source id, source reference) up to ``limit`` fact ids, newest first."""
        ...

    def by_subject(self, namespace: str, subjects: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each subject name up to ``limit`` fact ids, newest first.

        Subject names are those given to ``Writing.arrive``, compared as they are.
        """
        ...

    def by_claim_key(
        self, namespace: str, keys: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """Return for each (subject name, folded claim key) up to ``limit`` fact ids, newest first."""
        ...

    def by_entity(self, namespace: str, entities: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each named thing up to ``limit`` fact ids that name it, newest first."""
        ...

    def entities(self, namespace: str, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the named things of facts, as they arrived."""
        ...

    def subjects_of(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """Return the subject names of facts, as they arrived; facts without one lack."""
        ...

    def subjects(self, namespace: str) -> list[str]:
        """Return every subject name of the namespace, sorted."""
        ...

    def vectors(
        self, namespace: str, model_id: str, *, after: int
    ) -> Iterator[tuple[int, list[str], Vectors]]:
        """Yield (last position, fact ids, their vectors) in chunks, oldest first.

        Only vectors of this model that were added after a position; positions are those of the vectors
        and grow within a namespace.
        """
        ...

    def unembedded(self, namespace: str, model_id: str) -> list[str]:
        """Return the ids of facts that have no vector of this model; erased facts need none."""
        ...

    def verdicts(self, namespace: str, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], JudgedPair]:
        """Return the newest judgement of each unordered pair (smaller id first)."""
        ...
