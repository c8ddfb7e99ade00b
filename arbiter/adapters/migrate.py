"""Bringing a store to the schema of this version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import column, inspect, select, table

from arbiter.adapters.sql_engine import for_writing, is_shared, take_turn
from arbiter.adapters.sql_schema import REVISIONS
from arbiter.errors import SchemaVersionError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

SCRIPTS = Path(__file__).with_name("migrations")
_VERSIONS = table("alembic_version", column("version_num"))


def migrate(engine: Engine, scripts: Path = SCRIPTS, revisions: Sequence[str] = REVISIONS) -> None:
    """Make the schema, or bring it to the newest revision; a store that has it is only looked at.

    ``revisions`` are those of ``scripts``, oldest first.

    Raises:
        SchemaVersionError: the store has a schema that this version does not know.
        StoreUnavailableError: the store cannot be opened or changed.
    """
    with engine.connect() as connection:
        if schema_version(connection, revisions) == revisions[-1]:
            return
    with for_writing(engine.connect()) as connection, connection.begin():
        take_turn(connection, "migration")
        # Another process may have done it while this one waited for the lock.
        if schema_version(connection, revisions) != revisions[-1]:
            _upgrade(connection, scripts)
    if not is_shared(engine):
        # Connections learn the database's types when they are made, and there may be new ones.
        engine.dispose()


def schema_version(connection: Connection, revisions: Sequence[str] = REVISIONS) -> str | None:
    """Return the revision of the store, None for an empty one.

    Raises:
        SchemaVersionError: it is none that this version knows.
    """
    if not inspect(connection).has_table(_VERSIONS.name):
        return None
    found = connection.execute(select(_VERSIONS.c.version_num)).scalar()
    if found is not None and found not in revisions:
        raise SchemaVersionError(
            f"the store has schema {found}, newer than {revisions[-1]}; upgrade arbiter to open it"
        )
    return str(found) if found is not None else None


def _upgrade(connection: Connection, scripts: Path) -> None:
    # Alembic is only worth its import where there is something to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
