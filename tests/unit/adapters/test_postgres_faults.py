"""What the store in PostgreSQL says when it cannot work, and how it goes on; and its schema."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from arbiter.adapters.migrate import migrate
from arbiter.adapters.sql_columns import metadata
from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sql_store import SqlStore
from arbiter.errors import ConfigurationError, SchemaVersionError, StoreError, StoreUnavailableError
from tests.contracts.fact_store_cases import (
    HERE,
    TickingClock,
    active,
    apply,
    facts_in,
    judge,
    judged,
    keep,
    settled,
)
from tests.factories import make_sighting
from tests.postgres_server import WAIT, PostgresServer


@pytest.fixture
def store(postgres_database: str) -> Iterator[SqlStore]:
    """Return an empty store."""
    made = SqlStore(postgres_database, TickingClock())
    yield made
    made.close()


def end_connections(url: str) -> None:
    """Let the server end every connection to a database."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def schema(url: str) -> set[tuple[object, ...]]:
    """Return the columns of every table, with their types and collations, the indexes and the constraints."""
    with psycopg.connect(url) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, udt_name, is_nullable, collation_name "
            "FROM information_schema.columns WHERE table_schema = 'public' "
            "AND table_name <> 'alembic_version'"
        ).fetchall()
        indexes = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
            "AND tablename <> 'alembic_version'"
        ).fetchall()
        constraints = connection.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE connamespace = 'public'::regnamespace AND conname NOT LIKE 'alembic%'"
        ).fetchall()
    return {*columns, *indexes, *constraints}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", r"the store nowhere on .* cannot be reached .*does not exist"),
        ("latin", "keeps texts in LATIN1, not in UTF8"),
    ],
)
def test_a_database_that_cannot_be_used_is_told(postgres: PostgresServer, name: str, told: str) -> None:
    """One that is not there, and one that cannot hold every text."""
    url = postgres.new()
    if name == "latin":
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP DATABASE IF EXISTS latin")
            connection.execute(
                "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc"
            )
    database = url.replace("/facts", "/")
    where = database[: database.index("/", 15)] + f"/{name}" + database[database.index("?") :]
    with pytest.raises((ConfigurationError, StoreUnavailableError), match=told):
        SqlStore(where, TickingClock())


def test_a_password_is_never_told() -> None:
    """A server that is not there is told by its name."""
    with pytest.raises(
        StoreUnavailableError, match=r"the store facts on 127\.0\.0\.1 cannot be reached"
    ) as caught:
        SqlStore("postgres://ada:secret@127.0.0.1:9/facts", TickingClock())
    assert "secret" not in caught.value.message


def test_a_newer_schema_is_refused(postgres: PostgresServer) -> None:
    """Nothing is read or written by a version that does not know it."""
    url = postgres.new()
    SqlStore(url, TickingClock()).close()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match="the store has schema 9999"):
        SqlStore(url, TickingClock())


def test_migrating_leads_to_the_tables(postgres: PostgresServer) -> None:
    """The migrated schema is the one that the tables describe: columns, collations, keys and indexes."""
    migrated, described = postgres.new(), postgres.new()
    with psycopg.connect(described, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    for url, make in ((migrated, migrate), (described, metadata.create_all)):
        engine = open_engine(url, WAIT)
        make(engine)
        engine.dispose()
    assert schema(migrated) == schema(described)
    assert ("vectors", "vector", "vector", "NO", None) in schema(migrated)
    assert ("facts", "id", "text", "NO", "C") in schema(migrated)


def test_a_connection_that_the_server_ended_is_made_again(store: SqlStore, postgres_database: str) -> None:
    """After the server came back the store works as before."""
    (fact,) = facts_in(store, 1)
    end_connections(postgres_database)
    assert list(store.fact_ids(HERE)) == [fact.id]


def test_a_writer_whose_connection_is_ended_keeps_nothing(store: SqlStore, postgres_database: str) -> None:
    """The transaction is gone as a whole, the caller is told, and the next one works."""

    def write() -> None:
        with store.writing(HERE) as tx:
            tx.arrive([make_sighting("Lost")], {}, {})
            end_connections(postgres_database)
            tx.arrive([make_sighting("Lost, too")], {}, {})

    with pytest.raises(StoreUnavailableError, match=r"stopping|cannot be reached"):
        write()
    kept = make_sighting("Kept")
    keep(store, kept)
    assert list(store.fact_ids(HERE)) == [kept.fact_id]


def test_old_versions_of_erased_rows_are_cleared_away(store: SqlStore) -> None:
    """After an erasure no dead row is left in the tables that hold texts."""
    a, b = (fact.id for fact in facts_in(store, 2))
    judge(store, judged(a, b, "update", reason="Because of a secret."))
    apply(store, settled(*active(a, b)))
    with store.writing(HERE) as tx:
        tx.erase(a)
    with store.reading() as connection:
        unscrubbed = "SELECT count(*) FROM erasures WHERE NOT scrubbed"
        assert connection.exec_driver_sql(unscrubbed).scalar() == 0
        vacuumed = "SELECT count(*) FROM pg_stat_user_tables WHERE vacuum_count > 0"
        assert connection.exec_driver_sql(vacuumed).scalar() == 11


@pytest.mark.parametrize(
    ("refuse", "told"),
    [
        ("CHECK (content <> 'Ana hides the xyzzy.')", 'violates check constraint "refused"'),
        ("CHECK (content::integer > 0)", "22P02"),
    ],
)
def test_an_error_shows_nothing_of_the_rows(
    store: SqlStore, postgres_database: str, refuse: str, told: str
) -> None:
    """The server tells of a row that it refuses in full; that would stand in the log of the service."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(f"ALTER TABLE sightings ADD CONSTRAINT refused {refuse}".encode())
        try:
            with pytest.raises(StoreError, match=told) as error:
                keep(store, make_sighting("Ana hides the xyzzy."))
        finally:
            connection.execute("ALTER TABLE sightings DROP CONSTRAINT refused")
    assert "xyzzy" not in error.value.message
