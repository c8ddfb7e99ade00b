"""``arbiter doctor --backup``."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from arbiter.adapters.sqlite_backup import back_up
from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.errors import ConfigurationError, StoreUnavailableError
from tests.unit.cli.conftest import Desk


def left_in(folder: Path) -> list[str]:
    """Return what lies in a folder beside the store itself."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("facts.db"))


def test_the_copy_is_the_store(desk: Desk, tmp_path: Path) -> None:
    """It is told how much is in the copy, nothing else is checked, and the copy answers like the store."""
    copy = tmp_path / "copy.db"
    desk.path.chmod(0o640)
    result = desk.run("doctor", "--backup", str(copy))
    size = copy.stat().st_size / 1e6
    assert result.exit_code == 0
    assert result.stdout == (
        f"ok    backup: {copy}, {size:.1f} MB, 6 facts; its pages, indexes and keys are sound\n"
    )
    assert oct(copy.stat().st_mode) == oct(0o100640)
    assert left_in(tmp_path) == ["copy.db"]
    assert Desk(copy).states() == desk.states()


def test_machines_are_told_too(desk: Desk, tmp_path: Path) -> None:
    """One object says that there is a copy."""
    result = desk.run("doctor", "--backup", str(tmp_path / "copy.db"), "--json")
    told = json.loads(result.stdout)
    assert (told["check"], told["status"]) == ("backup", "ok")


def test_a_backup_can_come_before_a_repair(desk: Desk, tmp_path: Path) -> None:
    """With --repair the store is copied first and looked at afterwards."""
    result = desk.run("doctor", "--backup", str(tmp_path / "copy.db"), "--repair", "--json")
    checks = [json.loads(line)["check"] for line in result.stdout.splitlines()]
    assert (checks[0], checks[-1]) == ("backup", "reviews")


def test_nothing_is_replaced(desk: Desk, tmp_path: Path) -> None:
    """A file of that name stays as it is, the store itself and a link into nowhere too."""
    old, dangling = tmp_path / "old.db", tmp_path / "dangling.db"
    old.write_text("yesterday's")
    dangling.symlink_to(tmp_path / "nowhere.db")
    for target in (old, dangling, desk.path):
        result = desk.run("doctor", "--backup", str(target))
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{target} is there already; a backup replaces nothing" in result.stderr
    assert old.read_text() == "yesterday's"
    assert left_in(tmp_path) == ["dangling.db", "old.db"]


def test_what_came_there_meanwhile_stays(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two backups to one name at once the first that is done has it."""
    copy, chmod = tmp_path / "copy.db", Path.chmod

    def slow(path: Path, mode: int) -> None:
        chmod(path, mode)
        copy.write_text("the other one's")

    monkeypatch.setattr(Path, "chmod", slow)
    with pytest.raises(ConfigurationError, match="is there already"):
        back_up(desk.path, copy)
    assert copy.read_text() == "the other one's"
    assert left_in(tmp_path) == ["copy.db"]


def test_a_file_system_without_links_will_do(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the copy is renamed."""

    def no_links(_: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(target))

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    made = back_up(desk.path, tmp_path / "copy.db")
    assert (made.facts, made.size) == (6, (tmp_path / "copy.db").stat().st_size)
    assert integrity_faults(tmp_path / "copy.db", alone=True) == []
    assert left_in(tmp_path) == ["copy.db"]


def test_a_copy_that_cannot_be_given_away_is_its_makers_alone(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever could read the store by its group is not the maker's group."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    desk.path.chmod(0o660)
    monkeypatch.setattr(os, "chown", refuse)
    back_up(desk.path, tmp_path / "copy.db")
    assert oct((tmp_path / "copy.db").stat().st_mode) == oct(0o100600)


@pytest.mark.parametrize("folder", ["nowhere", "facts.db"])
def test_a_folder_that_cannot_be_written_is_told(desk: Desk, tmp_path: Path, folder: str) -> None:
    """Before anything is copied."""
    result = desk.run("doctor", "--backup", str(tmp_path / folder / "copy.db"))
    assert result.exit_code == 2
    assert f"nothing can be written to {tmp_path / folder}: " in result.stderr


def test_a_damaged_store_makes_no_backup(desk: Desk, tmp_path: Path) -> None:
    """What is wrong is told, and no copy is left that somebody would rely on."""
    content = bytearray(desk.path.read_bytes())
    content[20_000:24_000] = b"\xff" * 4_000
    desk.path.write_bytes(content)
    result = desk.run("doctor", "--backup", str(tmp_path / "copy.db"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"the copy is not kept, since {desk.path} is not sound: " in result.stderr
    assert "run `arbiter doctor --repair`, or else put an earlier backup in its place" in result.stderr
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [(None, "is not a database"), ("CREATE TABLE notes (text)", "is a database, but no store of arbiter")],
)
def test_what_is_no_store_is_not_backed_up(
    empty: Desk, tmp_path: Path, statement: str | None, told: str
) -> None:
    """Neither some other file nor some other database."""
    if statement is None:
        empty.path.write_text("no database, but long enough to be taken for one" * 100)
    else:
        with closing(sqlite3.connect(empty.path)) as other:
            other.execute(statement)
    result = empty.run("doctor", "--backup", str(tmp_path / "copy.db"))
    assert result.exit_code == 1
    assert told in result.stderr
    assert left_in(tmp_path) == []


def test_what_is_not_there_is_not_backed_up(empty: Desk, tmp_path: Path) -> None:
    """A wrong path is a mistake, and makes no store."""
    result = empty.run("doctor", "--backup", str(tmp_path / "copy.db"))
    assert (result.exit_code, result.stderr) == (
        2,
        f"Error: configuration: there is no store at {empty.path}\n",
    )
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("database", ["postgresql://ada:secret@db/facts", ":memory:"])
def test_another_database_is_told_how_to_be_backed_up(desk: Desk, tmp_path: Path, database: str) -> None:
    """A server has its own way; it is not even asked."""
    result = desk.run("doctor", "--db", database, "--backup", str(tmp_path / "copy.db"))
    assert result.exit_code == 2
    assert "one on a PostgreSQL server is backed up by pg_dump" in result.stderr
    assert "secret" not in result.stderr


def test_a_store_that_nobody_can_read_is_told(desk: Desk, tmp_path: Path) -> None:
    """Another process that keeps the file for itself is waited for, but not for ever."""
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailableError, match=r"facts\.db is locked by another writer"):
            back_up(desk.path, tmp_path / "copy.db", wait_s=0)
        other.execute("ROLLBACK")
    assert left_in(tmp_path) == []


def test_a_full_disk_leaves_nothing(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy is named as what could not be written, not the store."""
    connect = sqlite3.connect

    def small(*given: object, **named: object) -> sqlite3.Connection:
        made: sqlite3.Connection = connect(*given, **named)  # type: ignore[call-overload]
        if given == (given[0],) and not named:
            made.execute("PRAGMA max_page_count = 3")
        return made

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(StoreUnavailableError, match=r"the copy of .* cannot grow: the disk is full"):
        back_up(desk.path, tmp_path / "copy.db")
    assert left_in(tmp_path) == []


def test_writers_go_on_meanwhile(desk: Desk, tmp_path: Path) -> None:
    """Who has a transaction open, or commits while it is copied, neither waits nor makes it begin again."""
    over = Event()

    def write() -> None:
        with closing(sqlite3.connect(desk.path, isolation_level=None, timeout=60)) as other:
            number = 0
            while not over.is_set():
                number += 1
                other.execute("INSERT INTO positions VALUES (?, 1)", [f"space {number}"])

    writer = Thread(target=write)
    writer.start()
    try:
        made = [back_up(desk.path, tmp_path / f"copy{number}.db") for number in range(5)]
    finally:
        over.set()
        writer.join()
    assert [backup.facts for backup in made] == [6] * 5
    assert [integrity_faults(tmp_path / f"copy{number}.db", alone=True) for number in range(5)] == [[]] * 5
