"""A scan on a Ray cluster of two workers: the same result as in one process, also where workers die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from arbiter.adapters import ray_cluster
from arbiter.adapters.ray_cluster import RayCluster
from arbiter.api import Arbiter
from arbiter.errors import InvalidRecordError, ServiceError, UnreachableError
from arbiter.interchange.record_in import record_json
from arbiter.scan import Engine, ProcessEngine, RayEngine, scan
from arbiter.settings import Settings
from tests.mortal import DEATHS, FOLDER, MortalCluster, die
from tests.processes import ROOT
from tests.scan_outcome import Outcome, outcome
from tests.scanning import write_lines
from tests.streams import load_streams

BATCH = 30
STREAMS, LENGTH = 3, 16


@pytest.fixture(scope="module")
def deaths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which workers that die leave a note."""
    return tmp_path_factory.mktemp("deaths")


@pytest.fixture(scope="module")
def cluster(deaths: Path) -> Iterator[RayCluster]:
    """Run a cluster of this machine alone with two workers."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'tests'}")
        environment.setenv(FOLDER, str(deaths))
        environment.setenv("RAY_AUTH_TOKEN", "ab" * 16)
        # Ray sets these by itself, for those who join, and leaves them.
        for name in ("RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED", "RAY_CLIENT_MODE"):
            environment.setenv(name, "")
            environment.delenv(name)
        with RayCluster(cores=2) as started:
            yield started


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of three streams, each in a namespace, mixed, with a fault and a re-read."""
    streams = [
        [
            record_json(replace(stream.records[name], namespace=stream.id))
            for name in [*stream.records][:LENGTH]
        ]
        for stream in load_streams()[:STREAMS]
    ]
    mixed: list[object] = list(chain(*zip(*streams, strict=True)))
    return write_lines(tmp_path_factory.mktemp("dump") / "dump.jsonl", [*mixed, "{", mixed[0]])


@pytest.fixture(scope="module")
def alone(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return what comes of a scan in one process."""
    folder = tmp_path_factory.mktemp("alone")
    return scanned(dump, folder, ProcessEngine(), str(folder / "facts.db"))


def scanned(dump: Path, folder: Path, engine: Engine, database: str) -> Outcome:
    """Scan a file into a store with an engine."""
    with engine.open(Settings(database=database, embedding_threads=1)) as arbiter:
        scan(arbiter, [dump], folder, batch_size=BATCH, engine=engine)
        return outcome(arbiter, folder)


def test_the_command_gives_the_result_of_one_process(
    dump: Path, tmp_path: Path, cluster: RayCluster, deaths: Path, alone: Outcome
) -> None:
    """Three namespaces end the same, number by number; a killed worker is only told of, not on stdout."""
    assert alone.summary["records"] == 50
    assert min(alone.summary["outcomes"][name] for name in ("stored", "unchanged", "refused")) >= 1
    assert {name.split("/")[0] for name in alone.summary["judges"]} >= {"local"}
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "arbiter", "scan", dump, "--engine", "ray", "--db", "facts.db"),
            *("--out", "out", "--batch-size", str(BATCH), "--json"),
        ],
        cwd=tmp_path,
        env=os.environ  # noqa: TID251
        | {
            "RAY_ADDRESS": cluster.address,
            "ARBITER_EMBEDDING_THREADS": "1",
            "ARBITER_SPACY_PIPELINE": "mortal",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (deaths / "death load 1").exists()
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(f"{dump}, line 49: refused: not JSON")
    json.loads(ended.stdout)
    with Arbiter.open(tmp_path / "facts.db") as arbiter:
        assert outcome(arbiter, tmp_path / "out") == alone


def test_workers_killed_midway_change_nothing(
    dump: Path, tmp_path: Path, cluster: RayCluster, deaths: Path, alone: Outcome, postgres_database: str
) -> None:
    """Killed at each kind of work, after it was done and before it was told; on the other database, too."""
    found = scanned(dump, tmp_path, RayEngine(MortalCluster(cluster)), postgres_database)
    assert found.without_similarities() == alone.without_similarities()
    died = {path.name: path.read_text() for path in deaths.glob("death *") if "load" not in path.name}
    assert died.keys() == {f"death {kind} {number}" for kind, number in DEATHS}
    assert len(set(died.values())) == len(DEATHS)


def halved(number: int) -> int:
    """Return the half of a number."""
    return number // 2


def refuse(field: str) -> None:
    """Refuse a record, as what is computed for a scan might."""
    raise InvalidRecordError(f"{field}: is empty", field=field)


def test_what_a_function_raises(cluster: RayCluster) -> None:
    """An error of arbiter comes as it is, with its field; any other as one of arbiter's."""
    assert cluster.map(halved, [(8,), (-6,)]) == [4, -3]
    with pytest.raises(InvalidRecordError, match="content: is empty") as caught:
        cluster.map(refuse, [("content",)])
    assert caught.value.field == "content"
    with pytest.raises(ServiceError, match="a worker of the Ray cluster failed: unsupported operand"):
        cluster.map(halved, [(None,)])


def test_a_program_that_is_connected_stays_so(cluster: RayCluster) -> None:
    """A second cluster in one program is the first, whatever its address, and leaves it as it is."""
    with RayCluster("127.0.0.1:1") as again:
        assert again.map(halved, [(8,)]) == [4]
    assert again.address == cluster.address
    assert cluster.map(halved, [(6,)]) == [3]


def test_a_worker_that_dies_each_time(cluster: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that kills whoever computes it is given up; to scan again is safe."""
    monkeypatch.setattr(ray_cluster, "_TRIES_AGAIN", 1)
    with pytest.raises(UnreachableError, match="the Ray cluster failed: ") as caught:
        cluster.map(die, [("load",)])
    assert caught.value.retryable
