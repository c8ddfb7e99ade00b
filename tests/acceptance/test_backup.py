"""Backing up while the service is written to, and going on from a copy."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner

from arbiter import Arbiter
from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.cli import main
from arbiter.domain.vocabulary import Outcome, State
from arbiter.pipeline.compile import compile_namespace
from arbiter.pipeline.context import Context
from arbiter.settings import Settings
from arbiter.wiring import build
from tests.acceptance.calling import calling, lives, told
from tests.acceptance.test_http_crash import CITIES, Acknowledged
from tests.consistency import check_index, check_states, seen
from tests.http_server import serve_process

CLIENTS = 4
BACKUPS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a store in use and of its copies."""
    return tmp_path_factory.mktemp("backup")


@pytest.fixture(scope="module")
def copies(folder: Path) -> list[tuple[Path, set[str]]]:
    """Back up while clients write; return each copy with what was acknowledged when it began."""
    made: list[tuple[Path, set[str]]] = []
    acknowledged, over = Acknowledged(), Event()
    with serve_process(folder, "--judge", "none", min_similarity="0.99") as serve:
        with ThreadPoolExecutor(CLIENTS) as threads:
            writing = [threads.submit(write, serve.url, name, acknowledged, over) for name in "abcd"]
            try:
                for number in range(BACKUPS):
                    acknowledged.wait_for_more(40)
                    before, copy = set(acknowledged.receipts), folder / f"copy{number}.db"
                    backed_up(folder / "arbiter.db", copy)
                    made.append((copy, before))
            finally:
                over.set()
        assert [writer.result() for writer in writing] == [None] * CLIENTS
    made.append((folder / "arbiter.db", set(acknowledged.receipts)))
    return made


def write(url: str, name: str, acknowledged: Acknowledged, over: Event) -> None:
    """Tell where people move, and other things, until it is over."""
    with calling(url) as client:
        for number, city in ((n, city) for n in range(10_000) for city in CITIES):
            if over.is_set():
                return
            who = f"{name.upper()}na-{number}"
            records = [
                lives(city, CITIES.index(city) + 1, who, by=name),
                told(f"{who} wrote from {city}.", by=name),
            ]
            acknowledged.note(records, client.submit(records)["receipts"])


def backed_up(store: Path, copy: Path) -> None:
    """Run the command, as a job would."""
    result = CliRunner().invoke(main, ["doctor", "--db", str(store), "--backup", str(copy)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"backup: {copy}, " in result.stdout


@contextmanager
def opened(copy: Path) -> Iterator[Context]:
    """Open a copy as the service would, without a judge that reads."""
    context = build(Settings(database=str(copy), judge="none", min_similarity=0.99, embedding_threads=1))
    yield context
    context.store.close()


def test_everything_acknowledged_before_is_in_each_copy(copies: list[tuple[Path, set[str]]]) -> None:
    """Once, in a sound file whose states are those of a clean compile and in which all is found."""
    for copy, before in copies:
        assert integrity_faults(copy) == []
        with opened(copy) as context:
            # What was between its two commits when the copy was made is finished now.
            compile_namespace("default", context)
            there = check_states(context)
            check_index(context)
        texts = [fact.content for fact in there.facts.values()]
        assert len(set(texts)) == len(texts)
        assert before <= set(texts)
        assert {len(fact.sightings) for fact in there.facts.values()} == {1}
    assert [len(before) for _, before in copies] == sorted(len(before) for _, before in copies)


def test_a_store_goes_on_from_a_copy(folder: Path, copies: list[tuple[Path, set[str]]]) -> None:
    """Restored as the README says: the service stopped, the file put into its place, the doctor asked."""
    copy, before = copies[0]
    restored = folder / "restored"
    restored.mkdir()
    (restored / "arbiter.db").write_bytes(copy.read_bytes())
    doctor = CliRunner().invoke(
        main, ["doctor", "--db", str(restored / "arbiter.db"), "--judge", "none", "--repair"]
    )
    assert doctor.exit_code == 0, doctor.output
    with opened(restored / "arbiter.db") as context:
        assert before <= {fact.content for fact in seen(context).facts.values()}
        (receipt,) = Arbiter(context).submit([told("The backup was put back.")])
        assert (receipt.outcome, receipt.state) == (Outcome.STORED, State.ACTIVE)
        check_states(context)
