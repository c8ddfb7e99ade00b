"""A real stack for a test: a store with its index, the packaged embedder, spaCy, keyed judge and guards.

The store is SQLite with FAISS or PostgreSQL with pgvector, as ``databases.SERVER`` says.

Only the language model is played: by a server on loopback that knows what a test expects of two texts. It
is asked through litellm like any other, and only about the pairs that the stack brings before it. The
clock stands still until a test sets it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import litellm  # noqa: F401, TID253  here, so that its import does not count against a deadline

from arbiter import Arbiter, Settings
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.canonical import canonical
from arbiter.domain.evidence import Judgement, Unjudged
from arbiter.domain.outcomes import Decision, Receipt
from arbiter.domain.settle import settle
from arbiter.errors import EmbeddingError
from arbiter.interchange.record_in import parse_record
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from arbiter.pipeline.read import FactView
from arbiter.ports import Embedder, Vectors
from arbiter.wiring import build, build_indexes
from tests.acceptance.databases import empty_database
from tests.chat import item, reply
from tests.first_commit import first_commit
from tests.scripted_server import Answer, Request, Script, ScriptedServer, scripted_server

NOW = datetime(2027, 1, 1, tzinfo=UTC)
MODEL = "llm/openai/scripted/relation.v2@"


@dataclass
class Clock:
    """Stands still, and can be set."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def set(self, at: str) -> None:
        """Make it this time."""
        self.now = datetime.fromisoformat(at)


@dataclass(frozen=True)
class Says:
    """What the model says of two texts; ``keep`` is the text that an update keeps."""

    texts: tuple[str, str]
    relation: str
    keep: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> frozenset[str]:
        """The two texts, in any order and spelling."""
        return frozenset(map(canonical, self.texts))

    def item(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the verdict as the model writes it about the pair that it was shown."""
        kept = self.keep is not None and canonical(self.keep) == canonical(shown["a"]["text"])
        current = {"current": "a" if kept else "b"} if self.relation == "update" else {}
        return item(shown["pair"], self.relation, **{"confidence": 0.95, **current, **self.fields})


def says(one: str, other: str, relation: str, keep: str | None = None, **fields: Any) -> Says:
    """Tell the model what to say of two texts."""
    return Says((one, other), relation, keep, fields)


@dataclass
class Bench:
    """One store with everything around it, for the length of a test."""

    arbiter: Arbiter
    database: str
    clock: Clock
    server: ScriptedServer
    answers: dict[frozenset[str], Says]

    def add(self, *records: Mapping[str, Any]) -> list[Receipt]:
        """Submit records in one batch and return their receipts."""
        return self.arbiter.submit(records)

    def one(self, record: Mapping[str, Any]) -> Receipt:
        """Submit a record and return its receipt."""
        (receipt,) = self.arbiter.submit([record])
        return receipt

    def seed(self, *records: Mapping[str, Any], judged: bool = True) -> list[str]:
        """Put records into the store as if they had been there long ago, and return their fact ids.

        ``judged``: somebody looked at each and found no other to compare it with. Otherwise nobody has
        looked yet, as after a crash between the two commits.
        """
        context = self.arbiter.context
        drafts = identify(enumerate(parse_record(record, self.clock()) for record in records), context)
        ids = [draft.sighting.fact_id for draft in drafts]
        for namespace in {draft.record.namespace for draft in drafts}:
            own = [draft for draft in drafts if draft.record.namespace == namespace]
            arrived = first_commit(own, context, namespace)
            if judged:
                with context.store.writing(namespace) as tx:
                    tx.finish(arrived.fresh.ids)
                    tx.apply(settle(tx.cluster(arrived.fresh.ids), context.policy))
        return ids

    def views(self, namespace: str = "default") -> dict[str, FactView]:
        """Return every fact by what it says."""
        found = list(self.arbiter.facts(namespace=namespace, state=None))
        assert len({view.fact.content for view in found}) == len(found)
        return {view.fact.content: view for view in found}

    def states(self, namespace: str = "default") -> dict[str, str]:
        """Return where each fact stands: its state, and a mark if it is contested."""
        return {
            content: view.state.state.value + (" contested" if view.state.contested else "")
            for content, view in self.views(namespace).items()
        }

    def active(self, namespace: str = "default") -> set[str]:
        """Return what the active facts say."""
        return {view.fact.content for view in self.arbiter.facts(namespace=namespace)}

    def decisions(self, fact_id: str, namespace: str = "default") -> list[Decision]:
        """Return the decisions in force about a fact."""
        return self.arbiter.context.store.decisions(namespace, [fact_id])

    def asked(self) -> list[frozenset[str]]:
        """Return the two texts of every pair that the model was asked about, in order."""
        return [
            frozenset((p["a"]["text"], p["b"]["text"]))
            for request in self.server.requests
            for p in request.pairs
        ]

    def using(self, embedder: Embedder | None = None, **parts: Any) -> Arbiter:
        """Return an arbiter on the same store with other parts; an embedder gets an index of its own."""
        context = replace(self.arbiter.context, **parts)
        return Arbiter(_embedding(context, embedder) if embedder else context)


class Unsteady:
    """An embedder that fails for some texts, as long as ``fails`` says so of one of them."""

    def __init__(self, inner: Embedder, fails: Callable[[str], bool]) -> None:
        self.fails = fails
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self._inner = inner

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, or fail as a whole."""
        if any(map(self.fails, texts)):
            raise EmbeddingError
        return self._inner.embed(texts)


def outcomes(receipts: Iterable[Receipt]) -> list[str]:
    """Return what became of each record."""
    return [receipt.outcome.value for receipt in receipts]


def judgement(receipt: Receipt, fact_id: str | None) -> Judgement:
    """Return what was found about the receipt's fact and another one."""
    (found,) = (found.judgement for found in receipt.relations if found.fact_id == fact_id)
    return found


def relation(receipt: Receipt, fact_id: str | None) -> str:
    """Return the relation to another fact, or the code of the reason why nobody could tell."""
    found = judgement(receipt, fact_id)
    return found.code if isinstance(found, Unjudged) else found.relation.value


def decision(receipt: Receipt, fact_id: str | None) -> Decision:
    """Return what was decided between the receipt's fact and another one."""
    (made,) = (made for made in receipt.decisions if {made.a, made.b} == {receipt.fact_id, fact_id})
    return made


@functools.cache
def models() -> Context:
    """Load the embedder and the pipeline once for all tests; they remember nothing of what they read."""
    return build(Settings(database=":memory:", judge="none", embedding_threads=1))


@contextmanager
def bench(
    *answers: Says,
    script: Script | None = None,
    keys: Mapping[str, str] | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
    **settings: Any,
) -> Iterator[Bench]:
    """Set up an empty store whose model gives these answers, and calls everything else unrelated.

    ``keys`` are entries of a registry of claim keys, ``aliases`` names with their other spellings;
    ``script`` is what the server does in place of giving answers.
    """
    known = {said.key: said for said in answers}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        server = stack.enter_context(scripted_server(script or functools.partial(_answer, known)))
        database = stack.enter_context(empty_database(folder))
        chosen: dict[str, Any] = {
            "llm_model": "openai/scripted",
            "llm_api_base": server.api_base,
            "llm_api_key": "none",
            "llm_max_attempts": 1,
            "local_judge": "none",  # what is tested here does not hang on its weights
            "claim_key_files": _file(folder / "keys.toml", "keys", keys or {}),
            "alias_files": _file(
                folder / "names.toml", "names", {n: json.dumps(other) for n, other in (aliases or {}).items()}
            ),
            **settings,
        }
        opened = stack.enter_context(Arbiter.open(database, Settings(**chosen)))
        clock = Clock()
        store = SqlStore(database, clock)
        stack.callback(store.close)
        entities = opened.context.entities if aliases else models().entities
        context = replace(opened.context, store=store, entities=entities, clock=clock)
        yield Bench(Arbiter(_embedding(context, models().embedder)), database, clock, server, known)


def _embedding(context: Context, embedder: Embedder) -> Context:
    store = context.store
    assert isinstance(store, SqlStore)
    return replace(context, embedder=embedder, indexes=build_indexes(store, embedder))


def _answer(known: Mapping[frozenset[str], Says], request: Request) -> Answer:
    found = []
    for shown in request.pairs:
        texts = (shown["a"]["text"], shown["b"]["text"])
        found.append(known.get(frozenset(map(canonical, texts)), Says(texts, "unrelated")).item(shown))
    return Answer(reply(*found))


def _file(path: Path, table: str, entries: Mapping[str, str]) -> tuple[Path, ...]:
    """Write a table of TOML, each value as it is to stand there; no entries, no file."""
    if not entries:
        return ()
    lines = [f"[{table}]", *(f"{json.dumps(name)} = {value}" for name, value in entries.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return (path,)
