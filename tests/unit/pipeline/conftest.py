"""A whole context on fakes and on SQL: judges that answer what a test says, words for an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import Unjudged
from arbiter.errors import EmbeddingError
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes
from arbiter.ports import Clock, Embedder, FactStore, Judge, Vectors
from arbiter.testing import (
    BruteForceIndex,
    CapitalisedEntities,
    NoGuard,
    NoKeys,
    TableJudge,
    WordEmbedder,
)
from arbiter.testing_store import MemoryStore
from tests.factories import day

DOWN = Unjudged("judge_unavailable", "the judge is down", retryable=True)


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


STORES: dict[str, Callable[[Clock, str | Path], FactStore]] = {
    "memory": lambda clock, _: MemoryStore(clock),
    "sqlite": lambda clock, file: SqlStore(file, clock),
    "postgresql": lambda clock, url: SqlStore(url, clock),
}


@pytest.fixture(params=STORES)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Clock], FactStore]:
    """Return what makes an empty store of each kind with a clock."""
    on_server = request.param == "postgresql"
    place = request.getfixturevalue("postgres_database") if on_server else tmp_path / "facts.db"
    return lambda clock: STORES[request.param](clock, place)


def context_on(store: FactStore, judge: Judge) -> Context:
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
        limits=Limits(near=-1.0, nearer=0.99, crowd=1000),
    )


@pytest.fixture
def judge() -> TableJudge:
    """Return the judge of the context, to be told what to say."""
    return TableJudge()


@pytest.fixture
def context(make_store: Callable[[Clock], FactStore], judge: TableJudge) -> Iterator[Context]:
    """Return a context on each kind of store."""
    store = make_store(lambda: day(100))
    yield context_on(store, judge)
    store.close()


def with_embedder(context: Context, embedder: Embedder) -> Context:
    """Return the context with another embedder."""
    indexes = Indexes(context.store, embedder, BruteForceIndex)
    return replace(context, embedder=embedder, indexes=indexes)
