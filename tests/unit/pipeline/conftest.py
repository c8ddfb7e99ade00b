"""A whole context on fakes and on SQL: judges that answer what a test says, words for an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.canonical import canonical, fold_name
from arbiter.domain.evidence import GuardFinding, Judgement, RecordPair, Spend, Unjudged
from arbiter.domain.facts import Record
from arbiter.errors import EmbeddingError
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes
from arbiter.ports import FactStore, Vectors
from arbiter.testing import BruteForceIndex, CapitalisedEntities, WordEmbedder
from arbiter.testing_store import MemoryStore
from tests.factories import day, verdict

_DOWN = Unjudged("judge_unavailable", "the judge is down", retryable=True)


@dataclass
class SaysWhatTheTestSays:
    """A judge with a table: two contents to the relation and fields of the verdict; unrelated otherwise."""

    table: Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    down: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    judge_id: str = "test"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Answer from the table, in either order of the contents."""
        self.asked += [(pair.a.content, pair.b.content) for pair in pairs]
        return [self._one(pair) for pair in pairs], Spend(local_pairs=len(pairs))

    def _one(self, pair: RecordPair) -> Judgement:
        if self.down:
            return _DOWN
        told = {tuple(sorted(map(canonical, key))): value for key, value in self.table.items()}
        key = tuple(sorted((canonical(pair.a.content), canonical(pair.b.content))))
        relation, fields = told.get(key, ("unrelated", {}))
        return verdict(relation, **fields)


class NoKeys:
    """A registry that knows no claim key and no alias."""

    def complete(self, record: Record) -> Record:
        """Leave the record as it is."""
        return record

    def single_valued(self, claim_key: str) -> bool | None:  # noqa: ARG002
        """Know nothing."""
        return None

    def canonical_name(self, name: str) -> str:
        """Fold the name."""
        return fold_name(name)


class NoGuard:
    """A guard that finds nothing."""

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:  # noqa: ARG002
        """Find nothing."""
        return ()

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:  # noqa: ARG002
        """Find nothing."""
        return ()

    def forget(self) -> None:
        """Remember nothing."""


@dataclass
class FailsOn:
    """An embedder that fails for texts with a given word, until it is mended."""

    word: str
    inner: WordEmbedder = field(default_factory=WordEmbedder)
    broken: bool = True

    @property
    def model_id(self) -> str:
        """The id of the embedder inside."""
        return self.inner.model_id

    @property
    def dimension(self) -> int:
        """The dimension of the embedder inside."""
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, or fail as a whole."""
        if self.broken and any(self.word in text for text in texts):
            raise EmbeddingError
        return self.inner.embed(texts)


STORES: dict[str, Callable[[Path], FactStore]] = {
    "memory": lambda _: MemoryStore(lambda: day(100)),
    "sqlite": lambda folder: SqlStore(folder / "facts.db", lambda: day(100)),
}


def context_on(store: FactStore, judge: SaysWhatTheTestSays) -> Context:
    """Return a context on a store: everything is judged that shares a subject or a name."""
    embedder = WordEmbedder()
    return Context(
        store=store,
        embedder=embedder,
        indexes=Indexes(store, embedder, BruteForceIndex),
        entities=CapitalisedEntities(),
        claim_keys=NoKeys(),
        judge=judge,
        guard=NoGuard(),
        policy=load_policy(),
        clock=lambda: day(100),
        limits=Limits(near=-1.0, nearer=0.99),
    )


@pytest.fixture
def judge() -> SaysWhatTheTestSays:
    """Return the judge of the context, to be told what to say."""
    return SaysWhatTheTestSays()


@pytest.fixture(params=STORES)
def context(request: pytest.FixtureRequest, tmp_path: Path, judge: SaysWhatTheTestSays) -> Iterator[Context]:
    """Return a context on each kind of store."""
    store = STORES[request.param](tmp_path)
    yield context_on(store, judge)
    store.close()


def with_embedder(context: Context, embedder: FailsOn) -> Context:
    """Return the context with another embedder."""
    indexes = Indexes(context.store, embedder, BruteForceIndex)
    return replace(context, embedder=embedder, indexes=indexes)
