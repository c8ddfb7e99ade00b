"""``arbiter doctor --repair``, and what is said where nothing can be repaired."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

import pytest

from arbiter.adapters.sql_schema import REVISIONS
from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.api import Arbiter
from arbiter.settings import Settings
from tests.consistency import check_states
from tests.unit.cli.conftest import Desk

if TYPE_CHECKING:
    from click.testing import Result


def wrong(result: Result) -> dict[str, str]:
    """Return what a run of the doctor found wrong."""
    assert result.exit_code == 1
    checks = [json.loads(line) for line in result.stdout.splitlines()]
    return {check["check"]: check["detail"] for check in checks if check["status"] == "wrong"}


def sound(desk: Desk) -> None:
    """See that the store is sound to the last fact."""
    assert integrity_faults(desk.path) == []
    with Arbiter.open(desk.path, Settings(judge="none")) as arbiter:
        check_states(arbiter.context)


def change(path: Path, *statements: str) -> None:
    """Change a file behind the store's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def empty_index(path: Path, name: str) -> None:
    """Leave an index without the rows that it should have."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (whole,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", [name]).fetchone()
        connection.execute(f"DROP INDEX {name}")
        connection.execute(f"{whole} WHERE 0")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", [whole, name])


@pytest.mark.parametrize("name", ["ix_facts_subject", "ix_facts_first_seen", "ix_sightings_fact"])
def test_an_index_of_the_file_is_built_again(desk: Desk, name: str) -> None:
    """Rows that only its table has left are found, and are back in it."""
    stands = desk.states()
    empty_index(desk.path, name)
    told = wrong(desk.run("doctor", "--json"))["integrity"]
    assert f"missing from index {name}" in told
    assert told.endswith("run `arbiter doctor --repair`; if that does not help, put a backup in its place")
    repaired = desk.run("doctor", "--repair")
    assert repaired.exit_code == 0
    assert repaired.stderr.startswith("the indexes of the file were built again\n")
    assert desk.states() == stands
    sound(desk)


@pytest.mark.parametrize(
    ("count", "statement"),
    [
        (1, "UPDATE vectors SET vector = substr(vector, 1, 102) WHERE position = 7"),
        (6, "UPDATE vectors SET vector = substr(vector, 1, 102)"),
    ],
)
def test_damaged_vectors_are_made_again(desk: Desk, count: int, statement: str) -> None:
    """One or all: a search says what to do, and after it everything is found."""
    change(desk.path, statement)
    told = "a vector in the store is damaged; `arbiter doctor --repair` makes it again"
    searched = desk.run("search", "tea")
    assert (searched.exit_code, searched.stderr) == (1, f"Error: store_unavailable: {told}\n")
    assert wrong(desk.run("doctor", "--json")) == {
        "damaged vectors": f"{count} vectors are damaged; run `arbiter doctor --repair`",
        "index": told,
    }
    repaired = desk.run("doctor", "--repair")
    assert (repaired.exit_code, repaired.stderr.splitlines()[0]) == (
        0,
        f"{count} damaged vectors are made again",
    )
    assert desk.run("search", "tea").exit_code == 0
    assert wrong_vectors(desk) == 0


def wrong_vectors(desk: Desk) -> int:
    """Return how many vectors have another length than the first."""
    with closing(sqlite3.connect(desk.path)) as connection:
        (lengths,) = connection.execute("SELECT count(DISTINCT length(vector)) FROM vectors").fetchone()
    return int(lengths) - 1


def test_vectors_that_all_lack_numbers_are_told(desk: Desk) -> None:
    """They are as good as those of another model, though they say that they are of this one."""
    change(desk.path, "UPDATE vectors SET vector = substr(vector, 1, 400)")
    searched = desk.run("search", "tea")
    assert searched.exit_code == 1
    assert "a vector in the store is damaged" in searched.stderr
    assert desk.run("doctor", "--repair").exit_code == 0


def table_page(path: Path, table: str) -> int:
    """Return where the first page of a table lies in the file."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table]).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return (int(root) - 1) * int(size)


def test_a_damaged_table_is_not_made_worse(desk: Desk, tmp_path: Path) -> None:
    """Nothing is repaired, nothing is written, and what is said leads to the backup, which helps."""
    backup, stands = tmp_path / "backup.db", desk.states()
    assert desk.run("doctor", "--backup", str(backup)).exit_code == 0
    with desk.path.open("r+b") as file:
        file.seek(table_page(desk.path, "sightings"))
        file.write(b"\xff" * 4096)
    before = desk.path.read_bytes()
    listed = desk.run("facts", "list")
    assert listed.exit_code == 1
    assert f"{desk.path} is damaged; run `arbiter doctor --repair`, or else put a backup" in listed.stderr
    repaired = desk.run("doctor", "--repair", "--json")
    assert repaired.stderr == "nothing repaired: more than the indexes of the file is damaged\n"
    assert "put a backup in its place" in wrong(repaired)["integrity"]
    assert desk.path.read_bytes() == before
    restore(backup, desk.path)
    assert desk.states() == stands
    assert desk.run("doctor").exit_code == 0


def restore(backup: Path, path: Path) -> None:
    """Put a backup in the place of a file, as the README says."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    copyfile(backup, path)


@pytest.mark.parametrize("part", [0.5, 0.02])
def test_a_truncated_file_is_told(desk: Desk, tmp_path: Path, part: float) -> None:
    """Of which half is gone, or all but the first page: no fact is invented, and the backup helps."""
    backup, stands = tmp_path / "backup.db", desk.states()
    assert desk.run("doctor", "--backup", str(backup)).exit_code == 0
    content = desk.path.read_bytes()
    desk.path.write_bytes(content[: int(len(content) * part)])
    assert "put a backup in its place" in wrong(desk.run("doctor", "--json"))["integrity"]
    assert desk.run("doctor", "--repair").exit_code == 1
    other = desk.run("doctor", "--backup", str(tmp_path / "another.db"))
    assert (other.exit_code, (tmp_path / "another.db").exists()) == (1, False)
    restore(backup, desk.path)
    assert desk.states() == stands


def test_a_newer_store_is_told_and_can_be_backed_up(desk: Desk, tmp_path: Path) -> None:
    """It is left to the version that wrote it; to copy it does no harm."""
    change(desk.path, "UPDATE alembic_version SET version_num = '9999'")
    told = f"the store has schema 9999, newer than {REVISIONS[-1]}; upgrade arbiter to open it"
    assert wrong(desk.run("doctor", "--json")) == {"store": told}
    for flag in ("--repair", "--re-embed"):
        result = desk.run("doctor", flag)
        assert (result.exit_code, result.stderr) == (1, f"Error: schema_version: {told}\n")
    assert desk.run("doctor", "--backup", str(tmp_path / "copy.db")).exit_code == 0


def test_what_the_log_has_is_no_loss(desk: Desk) -> None:
    """Views that were emptied come back from the log."""
    stands = desk.states()
    change(desk.path, "DELETE FROM states", "DELETE FROM pairs", "DELETE FROM facts")
    assert desk.run("compile", "--from-scratch").exit_code == 0
    assert desk.states() == stands
    sound(desk)
