"""How SQLite finds what each statement asks for: by an index, never by walking through a namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import pytest
from sqlalchemy import CompoundSelect, Select, Update

from arbiter.adapters import (
    index_snapshots,
    sql_access,
    sql_answers,
    sql_apply,
    sql_arrive,
    sql_audit,
    sql_backlog,
    sql_cluster,
    sql_erase,
    sql_history,
    sql_lookup,
    sql_queue,
    sql_reading,
    sql_writing,
)
from arbiter.adapters.migrate import migrate
from arbiter.adapters.sql_engine import open_engine

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

Statement: TypeAlias = Select[tuple[object, ...]] | CompoundSelect[tuple[object, ...]] | Update

MODULES = (
    index_snapshots,
    sql_apply,
    sql_arrive,
    sql_audit,
    sql_backlog,
    sql_cluster,
    sql_erase,
    sql_history,
    sql_lookup,
    sql_queue,
    sql_reading,
    sql_writing,
)
# What these return may be everything in the namespace; the index is the one that they walk along.
WALKS = {
    "index_snapshots._LAST_CHANGE": "sqlite_autoindex_state_changes_1",
    # Asked when a graph is taken up or written, which reads the vectors anyway.
    "index_snapshots._EMBEDDED": "ix_vectors_fact",
    "index_snapshots._LAST_POSITION": "sqlite_autoindex_positions_1",
    "sql_audit._NAMESPACES": "sqlite_autoindex_positions_1",
    "sql_audit._FACT_IDS": "ix_facts_first_seen",
    "sql_audit._FACT_IDS_OF_STATE": "ix_facts_first_seen",
    "sql_audit._UNFINISHED": "ix_facts_unfinished",
    "sql_audit._RETRYABLE": "ix_pairs_retryable",
    # Only a compile asks, which goes through everything anyway.
    "sql_audit._UNJUDGED": "pairs",
    "sql_audit._OPEN_REVIEWS": "ix_reviews_open",
    "sql_audit._REVIEWS": "reviews",
    "sql_audit._RULINGS": "rulings",
    "sql_backlog._HELD": "ix_pairs_retryable",
    "sql_backlog._HELD_COUNT": "ix_pairs_retryable",
    "sql_backlog._HELD_COUNTS": "ix_pairs_retryable",
    "sql_backlog._UNFINISHED": "ix_facts_unfinished",
    "sql_backlog._UNFINISHED_COUNTS": "ix_facts_unfinished",
    "sql_backlog._ABANDONED": "ix_facts_unfinished",
    "sql_backlog._ABANDONED_AMONG": "ix_facts_unfinished",
    "sql_backlog._OPEN_REVIEWS": "ix_reviews_open",
    "sql_lookup._SUBJECTS": "ix_facts",
    "sql_queue._ITEMS": "reviews",
    "sql_queue._QUEUE": "reviews",
    "sql_queue._COUNTS": "reviews",
    "sql_reading._UNEMBEDDED": "ix_facts_first_seen",
}


def named(module: ModuleType) -> Iterator[tuple[str, Statement]]:
    """Yield the statements that a module holds ready, with their names."""
    for name, value in vars(module).items():
        if isinstance(value, (Select, CompoundSelect, Update)):
            yield f"{module.__name__.rpartition('.')[2]}.{name}", value


# What people merged is in an index of its own, which is short.
LOOKED_UP = r"\(namespace=\? AND \w+=\?|ix_rulings_merged"

STATEMENTS = {
    name: found
    for module in MODULES
    for name, found in named(module)
    # A list of ids is part of a statement, not one of its own.
    if name != "sql_cluster._OF_IDS"
}


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    """Return a connection to an empty store, its indexes made in the order in which every store has them.

    Which of two indexes SQLite takes that look equally good to it hangs on that order.
    """
    engine = open_engine(":memory:", timedelta(seconds=1))
    migrate(engine)
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def plan(statement: Statement, connection: Connection) -> list[str]:
    """Return how SQLite goes through tables for a statement, one line a table."""
    compiled = statement.compile(connection)
    values = {"keys": "[]", "ids": "[]"}
    parameters = tuple(
        values.get(name, compiled.params.get(name) or 1) for name in compiled.positiontup or ()
    )
    rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", parameters)
    steps = [row[3] for row in rows]
    return [
        step
        for step in steps
        if step.startswith(("SEARCH", "SCAN")) and "VIRTUAL TABLE" not in step and "anon" not in step
    ]


def test_the_statements_are_found() -> None:
    """The rule below is held against the statements that count, and its exceptions exist."""
    assert {"sql_reading._LAST_SEEN", "sql_writing._TOUCH", "sql_cluster._NEIGHBOURS"} <= STATEMENTS.keys()
    assert WALKS.keys() <= STATEMENTS.keys()


@pytest.mark.parametrize("name", sorted(STATEMENTS.keys() - WALKS.keys()))
def test_ids_and_names_are_looked_up(name: str, connection: Connection) -> None:
    """Every table is entered by namespace and what is asked for, so size does not matter.

    A range after the namespace is no such thing: it may be all of it.
    """
    steps = plan(STATEMENTS[name], connection)
    assert steps
    assert [step for step in steps if not re.search(LOOKED_UP, step)] == []


@pytest.mark.parametrize("name", WALKS)
def test_walks_go_along_the_index_made_for_them(name: str, connection: Connection) -> None:
    """What is read as a whole is read along one index."""
    assert WALKS[name] in plan(STATEMENTS[name], connection)[0]


def test_what_belongs_to_no_namespace_is_looked_up_too(connection: Connection) -> None:
    """Keys, sessions and kept answers are found by their ids; only the list of keys walks through them."""
    found = {**dict(named(sql_access)), **dict(named(sql_answers))}
    walks = {
        name
        for name, statement in found.items()
        if any(not step.startswith("SEARCH") for step in plan(statement, connection))
    }
    assert walks == {"sql_access._ALL"}
    assert {"sql_access._FIND", "sql_answers._QUOTING", "sql_answers._STALE"} <= found.keys()
