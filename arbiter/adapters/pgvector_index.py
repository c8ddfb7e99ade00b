"""Nearest vectors by pgvector, where the store keeps them: exact in small namespaces, HNSW in large ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import column, delete, func, select, table, text

from arbiter.adapters.sql_dialect import as_list, listed
from arbiter.adapters.sql_schema import vectors as rows
from arbiter.domain.canonical import digest
from arbiter.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_store import SqlStore
    from arbiter.ports import Embedder, Vectors

_LOG = logging.getLogger(__name__)

HNSW_FROM = 10_000
_DECIMALS = 6
_SPARE = 16
# What pgvector can index and how widely it can search.
_MOST_DIMENSIONS = 2000
_WIDEST = 1000
_NEAREST = """
SELECT asked.place, near.fact_id, near.similarity
FROM unnest(CAST(:queries AS vector[])) WITH ORDINALITY AS asked (query, place)
CROSS JOIN LATERAL (
    SELECT fact_id, -({vector} <#> asked.query) AS similarity FROM vectors
    WHERE namespace = :namespace AND model_id = :model_id
    ORDER BY {vector} <#> asked.query LIMIT :fetch
) AS near
"""
_EXACT = text(_NEAREST.format(vector="vector"))
_SIMILARITIES = text("""
SELECT wanted.place, vectors.fact_id, -(vectors.vector <#> asked.query) AS similarity
FROM unnest(CAST(:places AS bigint[]), CAST(:ids AS text[])) AS wanted (place, fact_id)
JOIN unnest(CAST(:queries AS vector[])) WITH ORDINALITY AS asked (query, place) USING (place)
JOIN vectors ON vectors.namespace = :namespace AND vectors.model_id = :model_id
    AND vectors.fact_id = wanted.fact_id
""")
# Only a plan made for this very namespace can use its graph.
_WIDEN = select(
    func.set_config("hnsw.ef_search", text(":width"), text("true")),
    func.set_config("plan_cache_mode", "force_custom_plan", text("true")),
)
_INDEXES = table("pg_index", column("indexrelid"), column("indisvalid"))
_GRAPH_IS_VALID = select(_INDEXES.c.indisvalid).where(
    _INDEXES.c.indexrelid == func.to_regclass(text(":name"))
)
_MINE, _RELEASE = (
    select(getattr(func, name)(func.hashtextextended(text(":name"), 0)))
    for name in ("pg_try_advisory_lock", "pg_advisory_unlock")
)
_DROP = "DROP INDEX CONCURRENTLY IF EXISTS {name}"
_BUILD = """
CREATE INDEX CONCURRENTLY {name} ON vectors
USING hnsw (CAST(vector AS vector({dimension})) vector_ip_ops) WITH (m = 16, ef_construction = 100)
WHERE namespace = {namespace} AND model_id = {model_id}
"""


class PgVectorIndex:
    """The vectors of one namespace and one model; safe in threads and in processes.

    It holds nothing itself: what the store has committed is found at once, by every worker. Up to
    ``hnsw_from`` vectors the search is exact and ties at the limit go by id. Above, it is approximate:
    whoever first searches a namespace of that size builds a graph for it, which the database then keeps in
    step; meanwhile others search exactly. Similarities are rounded to six decimals, as in ``FaissIndex``.

    Args:
        store: a store in PostgreSQL.
        namespace: the namespace whose facts are found.
        model_id: the model whose vectors are compared.
        dimension: numbers in a vector.
        hnsw_from: how many vectors the exact search serves.
    """

    def __init__(
        self, store: SqlStore, namespace: str, model_id: str, dimension: int, *, hnsw_from: int = HNSW_FROM
    ) -> None:
        self._store = store
        self._dimension = dimension
        self._hnsw_from = hnsw_from
        self._has_graph = False
        self._names = {"namespace": namespace, "model_id": model_id}
        self._held = (rows.c.namespace == namespace) & (rows.c.model_id == model_id)
        self._graph = f"ix_vectors_hnsw_{digest(namespace, model_id)}"
        self._approximate = text(_NEAREST.format(vector=f"CAST(vector AS vector({dimension}))"))

    def __len__(self) -> int:
        """Return how many ids it holds."""
        with self._store.reading() as connection:
            return int(connection.execute(select(func.count()).where(self._held)).scalar_one())

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors, float32, shape (ids, dimension), rows of length 1; known ids are left as they are."""
        with self._store.writing(self._names["namespace"]) as tx:
            tx.put_vectors(self._names["model_id"], ids, vectors)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget ids; unknown ones are ignored."""
        with self._store.writing(self._names["namespace"]), self._store.reading() as connection:
            gone = delete(rows).where(self._held, rows.c.fact_id.in_(listed("ids")))
            connection.execute(gone, {"ids": as_list(ids)})

    def search(self, queries: Vectors, *, limit: int, min_similarity: float) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id.

        Args:
            queries: float32, shape (queries, dimension), rows of length 1.
            limit: most hits for a query.
            min_similarity: least similarity of a hit, in [-1, 1].
        """
        found: list[list[tuple[str, float]]] = [[] for _ in queries]
        places, fetch = list(range(len(found))) if limit > 0 else [], limit + _SPARE
        graph = bool(places) and 2 * fetch <= _WIDEST and self._searches_graph()
        while places:
            with self._store.reading() as connection:
                near = self._near(connection, queries[places], fetch, graph=graph)
            again = []
            for place, hits in zip(places, near, strict=True):
                ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
                tied = len(ranked) == fetch and ranked[limit - 1][1] == ranked[-1][1]
                if tied and not graph:
                    # Which of the equals to return is for their ids to say.
                    again.append(place)
                else:
                    found[place] = [hit for hit in ranked[:limit] if hit[1] >= min_similarity]
            places, fetch = again, fetch * 4
        return found

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        found: list[dict[str, float]] = [{} for _ in ids]
        wanted = [(place, fact_id) for place, some in enumerate(ids, 1) for fact_id in some]
        if wanted:
            asked = {"places": [place for place, _ in wanted], "ids": [fact_id for _, fact_id in wanted]}
            parameters = {**self._names, **asked, "queries": list(queries)}
            with self._store.reading() as connection:
                for place, fact_id, similarity in connection.execute(_SIMILARITIES, parameters):
                    found[place - 1][fact_id] = round(similarity, _DECIMALS)
        return found

    def _near(
        self, connection: Connection, queries: Vectors, fetch: int, *, graph: bool
    ) -> list[list[tuple[str, float]]]:
        near: list[list[tuple[str, float]]] = [[] for _ in queries]
        if graph:
            connection.execute(_WIDEN, {"width": str(max(64, 2 * fetch))})
        parameters = {**self._names, "queries": list(queries), "fetch": fetch}
        statement = self._approximate if graph else _EXACT
        for place, fact_id, similarity in connection.execute(statement, parameters):
            near[place - 1].append((fact_id, round(similarity, _DECIMALS)))
        return near

    def _searches_graph(self) -> bool:
        """Is there a graph to be searched? Where the namespace has grown large, make one."""
        if self._has_graph or self._dimension > _MOST_DIMENSIONS:
            return self._has_graph
        enough = select(rows.c.position).where(self._held).limit(self._hnsw_from + 1).subquery()
        with self._store.reading() as connection:
            if connection.execute(select(func.count()).select_from(enough)).scalar_one() <= self._hnsw_from:
                return False
            self._has_graph = bool(connection.execute(_GRAPH_IS_VALID, {"name": self._graph}).scalar())
        if not self._has_graph:
            self._has_graph = self._build()
        return self._has_graph

    def _build(self) -> bool:
        """Build the graph beside all who read and write; False where that failed, or another one does so."""
        from psycopg.sql import SQL, Identifier, Literal

        lock = {"name": f"arbiter {self._graph}"}
        names: dict[str, Any] = {name: Literal(value) for name, value in self._names.items()}
        names |= {"name": Identifier(self._graph), "dimension": Literal(self._dimension)}
        with self._store.unattended() as connection:
            if not connection.execute(_MINE, lock).scalar():
                return False
            try:
                driver = connection.connection.driver_connection
                plain = connection.execution_options(no_parameters=True)
                # One that was not finished stays behind and helps nobody.
                for statement in (_DROP, _BUILD):
                    plain.exec_driver_sql(SQL(statement).format(**names).as_string(driver))
            except StoreError as error:
                # The exact search still serves, and not every caller shall wait for another try.
                self._hnsw_from *= 2
                _LOG.warning("no graph for a namespace with many vectors: %s", error.message)
                return False
            finally:
                connection.execute(_RELEASE, lock)
        return True


class PgVectorIndexes:
    """The indexes of a store in PostgreSQL: they hold what the store holds, so nothing is kept in step."""

    def __init__(self, store: SqlStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._known: dict[str, PgVectorIndex] = {}
        self._lock = Lock()

    def current(self, namespace: str) -> PgVectorIndex:
        """See ``VectorIndexes.current``."""
        with self._lock:
            if namespace not in self._known:
                self._known[namespace] = PgVectorIndex(
                    self._store, namespace, self._embedder.model_id, self._embedder.dimension
                )
            return self._known[namespace]

    def forget(self, namespace: str, fact_id: str) -> None:
        """See ``VectorIndexes.forget``; to erase a fact takes its vector out of the store."""

    def close(self) -> None:
        """See ``VectorIndexes.close``; what there is to write the database writes."""
