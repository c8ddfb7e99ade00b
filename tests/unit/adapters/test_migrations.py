"""Migrations lead to the schema of the tables, from nothing, from an older file, and only when needed."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from arbiter.adapters.migrate import SCRIPTS, migrate
from arbiter.adapters.sql_columns import metadata
from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sql_schema import REVISIONS
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import HERE, TickingClock, facts_in

ROOT = Path(__file__).parents[3]
NEXT = f"{len(REVISIONS) + 1:04}"
ONE_MORE = '''
"""One more schema."""
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{known}"


def upgrade() -> None:
    op.add_column("facts", sa.Column("colour", sa.Text()))
    {more}
'''


def schema(path: Path) -> dict[str, set[tuple[object, ...]]]:
    """Return the columns of each table, and for each index its columns, order, uniqueness and condition."""
    connection = sqlite3.connect(path)
    found: dict[str, set[tuple[object, ...]]] = {}
    made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    for kind, name, table, sql in made:
        if table == "alembic_version":
            continue
        if kind == "table":
            columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
            keys = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            found[name] = {*(column[1:] for column in columns), *keys, ("WITHOUT ROWID" in sql,)}
        else:
            columns = connection.execute(f"PRAGMA index_xinfo({name})").fetchall()
            condition = (sql or "").partition(" WHERE ")[2]
            found[name] = {(table, "UNIQUE" in (sql or ""), condition), *(column[:5] for column in columns)}
    connection.close()
    return found


def one_more_revision(folder: Path, *, more: str = "") -> Path:
    """Return a copy of the migrations with one more."""
    scripts = folder / "migrations"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    script = ONE_MORE.format(revision=NEXT, known=REVISIONS[-1], more=more)
    (scripts / "versions" / f"v{NEXT}_more.py").write_text(script, encoding="utf-8")
    return scripts


def test_migrating_leads_to_the_tables(tmp_path: Path) -> None:
    """The migrated schema is the one that the tables describe, down to every index and condition."""
    migrated, described = tmp_path / "migrated.db", tmp_path / "described.db"
    for path, make in ((migrated, migrate), (described, metadata.create_all)):
        engine = open_engine(str(path), timedelta(seconds=5))
        make(engine)
        engine.dispose()
    assert schema(migrated) == schema(described)
    assert "ix_facts_unfinished" in schema(migrated)


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """A file of an older version keeps its facts and gets what is new."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock())
    (fact,) = facts_in(store, 1)
    store.close()
    engine = open_engine(str(path), timedelta(seconds=5))
    migrate(engine, one_more_revision(tmp_path), (*REVISIONS, NEXT))
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT id, colour FROM facts").all()
        assert [tuple(row) for row in rows] == [(fact.id, None)]
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == NEXT
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """Half a migration is taken back as a whole, and the file opens as before."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock())
    (fact,) = facts_in(store, 1)
    store.close()
    before = schema(path)
    engine = open_engine(str(path), timedelta(seconds=5))
    scripts = one_more_revision(tmp_path, more="raise ArithmeticError")
    with pytest.raises(ArithmeticError):
        migrate(engine, scripts, (*REVISIONS, NEXT))
    engine.dispose()
    assert schema(path) == before
    again = SqlStore(path, TickingClock())
    assert list(again.fact_ids(HERE)) == [fact.id]
    again.close()


def test_every_revision_is_known() -> None:
    """The list of revisions is that of the migrations, in order."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    found = ScriptDirectory.from_config(config).walk_revisions()
    assert tuple(script.revision for script in found)[::-1] == REVISIONS


def test_opening_a_current_file_does_not_load_alembic(tmp_path: Path) -> None:
    """Only a file that needs a migration pays for the tool."""
    path = tmp_path / "facts.db"
    SqlStore(path, TickingClock()).close()
    script = """
import sys
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import TickingClock
SqlStore(sys.argv[1], TickingClock()).close()
print("alembic" in sys.modules)
"""
    for name, loads in ((path, "False"), (tmp_path / "new.db", "True")):
        run = subprocess.run(
            [sys.executable, "-c", script, str(name)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == loads
