"""Reading facts from a namespace in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import FactState
from arbiter.testing_store.space import Space

if TYPE_CHECKING:
    from arbiter.ports import Vectors

Key = TypeVar("Key", bound=Hashable)
_CHUNK = 256


class MemoryReader(ABC):
    """Implements ``FactReader``; whoever inherits says which state of a namespace is seen."""

    @abstractmethod
    def _space(self, namespace: str) -> Space:
        """Return what a namespace holds now; it is not to be changed."""

    def facts(self, namespace: str, ids: Iterable[str]) -> dict[str, Fact]:
        """See ``FactReader.facts``."""
        space = self._space(namespace)
        return {fact_id: space.fact(fact_id) for fact_id in ids if fact_id in space.told}

    def last_seen(self, namespace: str, ids: Iterable[str]) -> dict[str, datetime]:
        """See ``FactReader.last_seen``."""
        known = self._space(namespace).sightings
        return {sighting_id: known[sighting_id][2].last_seen for sighting_id in ids if sighting_id in known}

    def states(self, namespace: str, ids: Iterable[str]) -> dict[str, FactState]:
        """See ``FactReader.states``."""
        known = self._space(namespace).states
        return {fact_id: known[fact_id] for fact_id in ids if fact_id in known}

    def by_fingerprint(
        self, namespace: str, fingerprints: Iterable[str], *, limit: int
    ) -> dict[str, list[str]]:
        """See ``FactReader.by_fingerprint``."""
        return self._newest(namespace, fingerprints, lambda fact: {fact.fingerprint}, limit)

    def by_reference(
        self, namespace: str, references: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """See ``FactReader.by_reference``."""

        def told(fact: Fact) -> set[tuple[str, str]]:
            return {(s.source.id, s.source.ref) for s in fact.sightings if s.source.ref is not None}

        return self._newest(namespace, references, told, limit)

    def by_subject(self, namespace: str, subjects: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """See ``FactReader.by_subject``."""
        names = self._space(namespace).subjects
        return self._newest(
            namespace, subjects, lambda fact: {names[fact.id]} if fact.id in names else set(), limit
        )

    def by_claim_key(
        self, namespace: str, keys: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """See ``FactReader.by_claim_key``."""
        names = self._space(namespace).subjects

        def claims(fact: Fact) -> set[tuple[str, str]]:
            key = fact.attribute_key
            return {(names[fact.id], key)} if fact.id in names and key is not None else set()

        return self._newest(namespace, keys, claims, limit)

    def by_entity(self, namespace: str, entities: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """See ``FactReader.by_entity``."""
        named = self._space(namespace).entities
        return self._newest(namespace, entities, lambda fact: named[fact.id], limit)

    def entities(self, namespace: str, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """See ``FactReader.entities``."""
        named = self._space(namespace).entities
        return {fact_id: named[fact_id] for fact_id in ids if named.get(fact_id)}

    def subjects_of(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """See ``FactReader.subjects_of``."""
        names = self._space(namespace).subjects
        return {fact_id: names[fact_id] for fact_id in ids if fact_id in names}

    def subjects(self, namespace: str) -> list[str]:
        """See ``FactReader.subjects``."""
        return sorted(set(self._space(namespace).subjects.values()))

    def vectors(
        self, namespace: str, model_id: str, *, after: int
    ) -> Iterator[tuple[int, list[str], Vectors]]:
        """See ``FactReader.vectors``."""
        rows = sorted(
            (position, fact_id, vector)
            for (model, fact_id), (position, vector) in self._space(namespace).vectors.items()
            if model == model_id and position > after
        )
        for start in range(0, len(rows), _CHUNK):
            positions, ids, vectors = zip(*rows[start : start + _CHUNK], strict=True)
            yield positions[-1], list(ids), np.stack(vectors)

    def unembedded(self, namespace: str, model_id: str) -> list[str]:
        """See ``FactReader.unembedded``."""
        space = self._space(namespace)
        return [
            fact.id for fact in space.facts() if not fact.erased and (model_id, fact.id) not in space.vectors
        ]

    def verdicts(self, namespace: str, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], JudgedPair]:
        """See ``FactReader.verdicts``."""
        known = self._space(namespace).counting()
        return {key: known[key] for key in keys if key in known}

    def _newest(
        self, namespace: str, keys: Iterable[Key], about: Callable[[Fact], Iterable[Key]], limit: int
    ) -> dict[Key, list[str]]:
        wanted = set(keys)
        found: defaultdict[Key, list[str]] = defaultdict(list)
        for fact in reversed(self._space(namespace).facts()):
            for key in wanted.intersection(about(fact)):
                found[key].append(fact.id)
        return {key: ids[:limit] for key, ids in found.items()}
