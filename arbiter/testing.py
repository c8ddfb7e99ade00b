"""Public fakes of what finds and weighs evidence: no model, no file, the same answer every time.

They keep the promises of the ports, so a test that runs on them says something about the real thing;
what they know of language is next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from arbiter.domain.canonical import canonical, fold_name
from arbiter.domain.evidence import GuardFinding, Judgement, RecordPair, Spend, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Relation

if TYPE_CHECKING:
    from arbiter.ports import Vectors

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d_][\w-]*(?: [^\W\d_][\w-]*)*")
_DECIMALS = 6
_UNRELATED = Verdict(Relation.UNRELATED, 1.0, "table")


class WordEmbedder:
    """Embeds a text as the sum of fixed directions, one a word: the more words two share, the closer.

    Args:
        dimension: numbers in a vector; with fewer, words that are not shared look more alike.
    """

    def __init__(self, dimension: int = 256) -> None:
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """Name of the fake, with its dimension."""
        return f"words-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text: float32, shape (texts, dimension), rows of length 1."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            folded = canonical(text)
            for word in _WORD.findall(folded) or [folded]:
                vectors[row] += self._direction(word)
            vectors[row] /= np.linalg.norm(vectors[row])
        return vectors

    def _direction(self, word: str) -> Vectors:
        seed = int.from_bytes(sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self._dimension, dtype=np.float32)


class BruteForceIndex:
    """Compares every query with every vector; similarities are rounded to six decimals."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vectors] = {}

    def __len__(self) -> int:
        """Return how many ids it holds."""
        return len(self._vectors)

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors; known ids are left as they are."""
        for fact_id, vector in zip(ids, vectors, strict=True):
            self._vectors.setdefault(fact_id, vector.copy())

    def remove(self, ids: Iterable[str]) -> None:
        """Forget ids; unknown ones are ignored."""
        for fact_id in ids:
            self._vectors.pop(fact_id, None)

    def search(self, queries: Vectors, *, limit: int, min_similarity: float) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id."""
        everything = self.similarities(queries, [list(self._vectors)] * len(queries))
        return [
            sorted(
                (hit for hit in cosines.items() if hit[1] >= min_similarity),
                key=lambda hit: (-hit[1], hit[0]),
            )[: max(limit, 0)]
            for cosines in everything
        ]

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        return [
            {i: round(float(query @ self._vectors[i]), _DECIMALS) for i in wanted if i in self._vectors}
            for query, wanted in zip(queries, ids, strict=True)
        ]


class CapitalisedEntities:
    """Takes every run of capitalised words for a name, wherever it stands.

    Args:
        aliases: maps a folded name to the name it stands for.
    """

    def __init__(self, aliases: Callable[[str], str] = fold_name) -> None:
        self._aliases = aliases

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return for each text its names, folded by ``fold_name``, aliases resolved."""
        return [
            frozenset(self._aliases(fold_name(name)) for name in _runs(normalize("NFC", text)))
            for text in texts
        ]


def _runs(text: str) -> list[str]:
    runs: list[list[str]] = []
    open_run = False
    for words in _NAME.findall(text):
        open_run = False
        for word in words.split(" "):
            if not word[0].isupper():
                open_run = False
            elif open_run:
                runs[-1].append(word)
            else:
                runs.append([word])
                open_run = True
    return [" ".join(run) for run in runs]


class NoKeys:
    """A registry that knows no claim key and no alias."""

    def complete(self, record: Record) -> Record:
        """Return the record as it is."""
        return record

    def single_valued(self, claim_key: str) -> bool | None:  # noqa: ARG002
        """Return that nothing is known."""
        return None

    def canonical_name(self, name: str) -> str:
        """Return the folded name."""
        return fold_name(name)


class NoGuard:
    """A guard that finds no difference and remembers nothing."""

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def forget(self) -> None:
        """Do nothing."""


@dataclass
class TableJudge:
    """Knows the judgements of the pairs it was told, by their texts in either order.

    ``otherwise`` is the answer for any other pair; asking costs ``per_call`` and ``per_pair``; ``asked``
    notes the texts of every pair it was asked about. Sides in the table are those of the pair as judged.
    """

    table: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)
    otherwise: Judgement = _UNRELATED
    per_call: Spend = Spend()
    per_pair: Spend = Spend()
    asked: list[tuple[str, str]] = field(default_factory=list)
    judge_id: str = "table"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Answer from the table, in the order of the pairs."""
        texts = [(pair.a.content, pair.b.content) for pair in pairs]
        self.asked += texts
        answers = [self.table.get((a, b)) or self.table.get((b, a)) or self.otherwise for a, b in texts]
        return answers, sum([self.per_pair] * len(pairs), self.per_call)
