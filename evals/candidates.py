"""Candidates: does each pair that matters come before the judges, and how many others come with it?

One store holds the records of all streams and of the development pairs, and before them as many facts that
have nothing to do with them as are asked for. Records go the real way; only the judge is played, by one that
calls every pair unrelated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from arbiter.api import Arbiter
from arbiter.domain.evidence import Candidate
from arbiter.domain.vocabulary import Relation
from arbiter.errors import ConfigurationError
from arbiter.pipeline.arrive import arrive
from arbiter.pipeline.batches import batches
from arbiter.pipeline.exact import identify
from arbiter.pipeline.prepare import prepare
from arbiter.testing import TableJudge
from evals.distractors import distractors
from evals.pair_rows import read_pairs
from evals.streams import load_streams
from evals.suite_files import FOLDER

if TYPE_CHECKING:
    from arbiter.domain.facts import Record
    from arbiter.pipeline.context import Context
    from arbiter.ports import Judge

SEED = 1
SAME_FACT = "same_fact"
"""Two records that are one fact by identity: they need not be found."""

NOT_RETRIEVED = "not_retrieved"
JUDGED = "judged"

_TITLE = "-distractors"
_NAMESPACE = "retrieval"
_MATTER = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION)
_LOADED = 500
_SUBMITTED = 7


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pair that must come before the judges: two of the records, by their place."""

    id: str
    group: str
    relation: Relation
    a: int
    b: int


@dataclass(frozen=True, slots=True)
class PairFate:
    """What became of one wanted pair.

    ``fate`` is ``judged``, ``same_fact``, ``not_retrieved``, or the rule by which a candidate was dropped;
    ``similarity`` is the cosine, None where the two were not compared.
    """

    id: str
    group: str
    relation: Relation
    fate: str
    similarity: float | None

    @property
    def complete(self) -> bool:
        """Did it come before the judges, or was there no need to?"""
        return self.fate in (JUDGED, SAME_FACT)

    @property
    def retrieved(self) -> bool:
        """Was it among the candidates at least?"""
        return self.fate != NOT_RETRIEVED


@dataclass(frozen=True, slots=True)
class CandidateScore:
    """How complete the candidates are, and what they cost.

    ``facts`` is the number of different facts submitted, ``candidates`` what was retrieved for them in all,
    ``judged`` the number of pairs that came before the judges; ``seconds`` were spent on submitting.
    """

    suite: str
    distractors: int
    seed: int
    pairs: tuple[PairFate, ...]
    facts: int
    candidates: int
    judged: int
    seconds: float

    def completeness(self, relation: Relation | None = None) -> float:
        """Return the share of the pairs (of one relation) that came before the judges, in [0, 1]."""
        wanted = [pair for pair in self.pairs if relation in (None, pair.relation)]
        return sum(pair.complete for pair in wanted) / len(wanted)

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types, every pair included."""
        return {
            "suite": self.suite,
            "distractors": self.distractors,
            "seed": self.seed,
            "wanted": len(self.pairs),
            "completeness": round(self.completeness(), 4),
            "by_relation": {
                relation.value: round(self.completeness(relation), 4)
                for relation in _MATTER
                if any(pair.relation is relation for pair in self.pairs)
            },
            "retrieved": round(sum(pair.retrieved for pair in self.pairs) / len(self.pairs), 4),
            "facts": self.facts,
            "candidates_per_fact": round(self.candidates / self.facts, 2),
            "judged_per_fact": round(self.judged / self.facts, 2),
            "seconds": round(self.seconds, 1),
            "pairs": [asdict(pair) for pair in self.pairs],
        }


def title(distractors: int) -> str:
    """Return what stands in a judge's place where candidates are scored."""
    return f"{distractors}{_TITLE}"


def distractors_of(title: str) -> int:
    """Return the number of distractors that a title names.

    Raises:
        ConfigurationError: it is no such title.
    """
    number = title.removesuffix(_TITLE)
    if number == title or not (number.isascii() and number.isdigit()):
        raise ConfigurationError(f"{title!r} stands in a judge's place; for candidates it is 0{_TITLE}, say")
    return int(number)


def find_pairs(
    suite: str,
    records: Sequence[Record],
    wanted: Sequence[Wanted],
    around: Callable[[Judge], Context],
    count: int = 0,
) -> CandidateScore:
    """Submit records after so many distractors, and return what became of the wanted pairs.

    Args:
        suite: name of the suite.
        records: what is submitted, in its order of arrival; all go into one namespace.
        wanted: the pairs that should come before the judges.
        around: gives a context with a judge and a store that is empty.
        count: distractors that are in the store before.
    """
    with Arbiter(around(TableJudge())) as arbiter:
        _load(distractors(count, SEED), arbiter.context)
        begun = time.perf_counter()
        receipts = [
            receipt
            for batch in batches(records, _SUBMITTED)
            for receipt in arbiter.submit([replace(record, namespace=_NAMESPACE) for record in batch])
        ]
        seconds = time.perf_counter() - begun
    ids = [str(receipt.fact_id) for receipt in receipts]
    found: dict[frozenset[str], Candidate] = {}
    for fact_id, receipt in zip(ids, receipts, strict=True):
        for candidate in receipt.candidates:
            key = frozenset((fact_id, candidate.fact_id))
            # Each side of a pair may find the other; to be judged once is enough.
            if key not in found or candidate.dropped_by is None:
                found[key] = candidate
    return CandidateScore(
        suite=suite,
        distractors=count,
        seed=SEED,
        pairs=tuple(_fate(pair, ids, found) for pair in wanted),
        facts=len(set(ids)),
        candidates=sum(len(receipt.candidates) for receipt in receipts),
        judged=sum(candidate.dropped_by is None for candidate in found.values()),
        seconds=seconds,
    )


def retrieval_suite() -> tuple[list[Record], list[Wanted]]:
    """Return the records of all streams and development pairs, and the pairs among them that matter."""
    records: list[Record] = []
    wanted: list[Wanted] = []
    for stream in load_streams():
        places = {rid: len(records) + place for place, rid in enumerate(stream.records)}
        records += stream.records.values()
        wanted += [
            Wanted(
                id=f"{stream.id}:{pair['a']}-{pair['b']}",
                group=stream.id,
                relation=Relation(pair["relation"]),
                a=places[pair["a"]],
                b=places[pair["b"]],
            )
            for pair in stream.expected["pairs"]
        ]
    for pair in read_pairs(FOLDER / "gold_dev.jsonl"):
        wanted.append(Wanted(pair.id, pair.group, pair.example.relation, len(records), len(records) + 1))
        records += (pair.example.pair.a, pair.example.pair.b)
    return records, [pair for pair in wanted if pair.relation in _MATTER]


def _load(facts: Iterable[Record], context: Context) -> None:
    """Put facts into the store as if each had been looked at long ago, and found to be like no other."""
    for batch in batches(facts, _LOADED):
        told = [replace(record, namespace=_NAMESPACE) for record in batch]
        arrived = arrive(prepare([(_NAMESPACE, identify(enumerate(told), context))], context)[0], context)
        with context.store.writing(_NAMESPACE) as tx:
            tx.finish(arrived.fresh.ids)


def _fate(pair: Wanted, ids: Sequence[str], found: Mapping[frozenset[str], Candidate]) -> PairFate:
    a, b = ids[pair.a], ids[pair.b]
    if a == b:
        return PairFate(pair.id, pair.group, pair.relation, SAME_FACT, None)
    candidate = found.get(frozenset((a, b)))
    if candidate is None:
        return PairFate(pair.id, pair.group, pair.relation, NOT_RETRIEVED, None)
    return PairFate(pair.id, pair.group, pair.relation, candidate.dropped_by or JUDGED, candidate.similarity)
