"""The engines of a scan without a cluster: who gets what, in which order, and what never leaves."""

from __future__ import annotations

import pickle
import platform
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import numpy as np
import pytest
from pydantic import SecretStr

from arbiter.adapters.onnx_embedder import OnnxEmbedder
from arbiter.errors import ConfigurationError, StoreUnavailableError
from arbiter.interchange.outputs import RECEIPTS
from arbiter.scan import ProcessEngine, RayEngine, scan
from arbiter.scan.models import Models
from arbiter.scan.ray_engine import Job, compute
from arbiter.settings import Settings
from tests.factories import make_record
from tests.scanning import memory_arbiter, raw, read_lines, write_lines

Shard = TypeVar("Shard")
Result = TypeVar("Result")

TEXTS = ["User lives in Lisbon.", "User lives in Porto."]


class OtherMachine:
    """Implements ``Cluster`` as a cluster does: everything is pickled on the way there and back."""

    def __init__(self) -> None:
        self.told = b""

    def map(self, function: Callable[..., Result], parts: Iterable[Sequence[object]]) -> list[Result]:
        """See ``Cluster.map``."""
        found: list[Result] = []
        for part in parts:
            sent = pickle.dumps((function, part))
            self.told += sent
            there, arguments = pickle.loads(sent)  # noqa: S301
            found.append(pickle.loads(pickle.dumps(there(*arguments))))  # noqa: S301
        return found


def test_what_workers_are_told() -> None:
    """They get texts, pairs and settings, and neither the store's password nor the language model's key."""
    settings = Settings(
        database=":memory:",
        llm_model="openai/secret-model",
        llm_api_base="http://secret-address",
        llm_api_key=SecretStr("secret-key"),
        embedding_threads=3,
        max_candidates=7,
    )
    machine = OtherMachine()
    with RayEngine(machine).open(settings) as arbiter:
        context = arbiter.context
        vectors = context.embedder.embed(TEXTS)
        names = context.entities.extract(TEXTS)
        assert context.limits.candidates == 7
        assert [name.split("/")[0] for name in context.judge.judge_id.split(" > ")] == [
            *("exact", "keyed", "local", "llm")
        ]
    assert np.array_equal(vectors, OnnxEmbedder(threads=1).embed(TEXTS))
    assert names == [frozenset({"lisbon"}), frozenset({"porto"})]
    job = Job.of(settings.model_copy(update={"database": "postgresql://user:secret@host/facts"}))
    assert (job.settings.embedding_threads, job.settings.max_candidates) == (1, 7)
    assert b"secret" not in machine.told + pickle.dumps(job)


def test_the_local_judge_judges_where_the_workers_are() -> None:
    """A pair that only a model can tell is judged there, and the answer is that of one process."""
    pair = [(make_record("The cat sleeps on the sofa."), make_record("A cat is asleep on the couch."))]
    machine, settings = OtherMachine(), Settings(database=":memory:", embedding_threads=1)
    with RayEngine(machine).open(settings) as away, ProcessEngine().open(settings) as here:
        assert away.classify_with_cost(pair) == here.classify_with_cost(pair)
    assert b"A cat is asleep on the couch." in machine.told


@pytest.mark.parametrize("name", ["arbiter", "the embedding model", "the local judge", "the registry"])
def test_a_machine_with_other_models(name: str) -> None:
    """Its answers could be others, so there are none; the message says what differs, and where."""
    job = Job.of(Settings())
    other = Job(job.settings, tuple((key, "1" if key == name else value) for key, value in job.identity))
    with pytest.raises(ConfigurationError) as caught:
        compute(other, Models.embed, TEXTS)
    assert caught.value.message == (
        f"{name}: {dict(job.identity)[name]} on {platform.node()}, 1 where the scan runs; all machines of a "
        "cluster need the same"
    )


def test_files_that_a_machine_lacks(tmp_path: Path) -> None:
    """Files that the settings name must be there, too."""
    aliases = tmp_path / "aliases.toml"
    aliases.write_text('[names]\n"Acme" = ["ACM"]\n', encoding="utf-8")
    job = Job.of(Settings(alias_files=(aliases,)))
    aliases.unlink()
    with pytest.raises(ConfigurationError, match=r"aliases\.toml"):
        compute(job, Models.extract, TEXTS)


def test_shards_in_one_process() -> None:
    """They are worked on one after the other."""
    begun: list[int] = []

    def work(shard: int) -> int:
        begun.append(shard)
        return len(begun)

    assert ProcessEngine().each(work, [5, 3, 4]) == [1, 2, 3]
    assert begun == [5, 3, 4]


def test_shards_side_by_side() -> None:
    """Those of a Ray engine are, and what comes of them stands in their order."""
    all_here = Barrier(5, timeout=60)

    def work(shard: int) -> int:
        all_here.wait()
        return shard * shard

    assert RayEngine(OtherMachine()).each(work, range(5)) == [0, 1, 4, 9, 16]


def test_a_shard_that_fails() -> None:
    """Its error is raised when nothing is being worked on any more."""
    second = Barrier(2, timeout=60)
    done: list[int] = []

    def work(shard: int) -> Any:
        second.wait()
        if shard == 0:
            raise StoreUnavailableError("the store is locked")
        done.append(shard)

    with pytest.raises(StoreUnavailableError, match="the store is locked"):
        RayEngine(OtherMachine()).each(work, range(2))
    assert done == [1]


class OnceOnly(ProcessEngine):
    """An engine that does one batch, and finds the disk full at the next."""

    def __init__(self) -> None:
        self._fresh = True

    def each(self, work: Callable[[Shard], Result], shards: Iterable[Shard]) -> list[Result]:
        """See ``Engine.each``."""
        if not self._fresh:
            raise StoreUnavailableError("the disk is full")
        self._fresh = False
        return super().each(work, shards)


def test_a_store_that_fails(tmp_path: Path) -> None:
    """The error reaches the caller; the receipts so far lie there, and nothing of an older scan does."""
    arbiter = memory_arbiter()
    home = write_lines(tmp_path / "home.jsonl", [raw(text) for text in TEXTS])
    scan(arbiter, [home], tmp_path / "out")
    with pytest.raises(StoreUnavailableError, match="the disk is full"):
        scan(arbiter, [home], tmp_path / "out", batch_size=1, engine=OnceOnly())
    assert [p.name for p in (tmp_path / "out").iterdir()] == [RECEIPTS]
    assert [r["record_index"] for r in read_lines(tmp_path / "out" / RECEIPTS)] == [0]
