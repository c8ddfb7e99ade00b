"""The benchmark runs, and counts what it says it counts."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner

from arbiter.adapters.onnx_embedder import PACKAGED as EMBEDDING
from arbiter.api import Arbiter
from arbiter.judges.local import PACKAGED as JUDGE
from arbiter.settings import Settings
from arbiter.testing import WordEmbedder
from evals.__main__ import main
from evals.benchmark.clocked import Stopwatch
from evals.benchmark.facts import namespace, records, stored, unseen
from evals.benchmark.filling import PartsEmbedder, fill
from evals.benchmark.growth import recall
from evals.benchmark.tables import growth_rows, model_rows

SETTINGS = Settings(embedding_threads=1)


def test_records_are_different_and_always_the_same() -> None:
    """A seed gives the same texts, no two alike."""
    texts = [record["content"] for record in records(50)]
    assert len(set(map(str, texts))) == 50
    assert texts == [record["content"] for record in records(50)]


def test_namespaces_hold_the_same_share_and_nobody_is_known() -> None:
    """Ten facts in five namespaces are two each; what comes later is none of them."""
    told = list(stored(10, 5))
    assert [record.namespace for record in told] == [namespace(n // 2) for n in range(10)]
    fresh = unseen(10, 5, named=False)
    assert {record.subject for record in fresh} == {None}
    assert {record.content for record in told}.isdisjoint(record.content for record in fresh)


def test_vectors_of_parts_lie_beside_those_of_the_whole() -> None:
    """Texts of one statement and texts of one name are near, others are not; all have length 1."""
    embedder = PartsEmbedder(WordEmbedder())
    found = embedder.embed(["Ann: likes tea", "Bob: likes tea", "Ann: owns boats", "Cid: drives trucks"])
    near = found @ found.T
    assert np.diag(near) == pytest.approx(np.ones(4), abs=1e-5)
    assert near[0, 1] > near[0, 2] > near[0, 3] + 0.1


def test_a_stopwatch_counts_nothing_twice() -> None:
    """What ran inside of another part is not counted there, and the parts add up to the whole."""
    watch = Stopwatch()
    with watch.part("whole"):
        with watch.part("inner"), watch.part("innermost"):
            sum(range(50_000))
        with watch.part("inner"):
            pass
    assert watch.seconds.keys() == {"whole", "inner", "innermost"}
    assert watch.seconds["innermost"] > watch.seconds["inner"] > 0
    assert watch.seconds["innermost"] > watch.seconds["whole"] > 0


def test_a_stopwatch_tells_threads_apart() -> None:
    """What another thread does meanwhile is not taken for a part of what this one does."""
    watch = Stopwatch()

    def beside() -> None:
        with watch.part("beside"):
            sum(range(50_000))

    with watch.part("whole"):
        other = Thread(target=beside)
        other.start()
        other.join()
    assert watch.seconds["whole"] >= watch.seconds["beside"] > 0


def test_recall_is_that_of_every_vector(tmp_path: Path) -> None:
    """An exact index finds all; one from which half was taken misses that half."""
    fill(tmp_path / "facts.db", stored(40), settings=SETTINGS)
    with Arbiter.open(tmp_path / "facts.db", SETTINGS.model_copy(update={"judge": "none"})) as arbiter:
        queries = [record.content for record in unseen(5)]
        assert recall(arbiter.context, namespace(0), queries) == 1.0
        held = [view.fact.id for view in arbiter.facts(namespace=namespace(0), state=None)]
        arbiter.context.indexes.current(namespace(0)).remove(held[::2])
        assert 0.1 < recall(arbiter.context, namespace(0), queries) < 0.9


def test_the_benchmark_measures_stores_of_each_size(tmp_path: Path) -> None:
    """A row for each store with everything in it, shares that explain the whole, and the same as JSON."""
    out = tmp_path / "speed.json"
    options = "--facts 30 --facts 60 --spread 20 --new 6 --bare 4 --replayed 40 --single 3 --threads 1"
    run = CliRunner().invoke(
        main,
        ["benchmark", *options.split(), "--alone=3", "--out", str(out)],
        catch_exceptions=False,
    )
    told = json.loads(out.read_text("utf-8"))
    assert [(g["facts"], g["namespaces"]) for g in told["growth"]] == [(30, 1), (60, 1), (20, 20)]
    for grown in told["growth"]:
        parts = grown["shares"]
        assert {
            "embedding",
            "entities",
            "search",
            "prepare",
            "arrive",
            "investigate",
            "conclude",
        } <= parts.keys()
        # Embedding goes on beside the rest.
        assert 0.2 < (sum(parts.values()) - parts["embedding"]) * grown["new"] <= 1.001
        assert grown["recall"] == (1.0 if grown["namespaces"] == 1 else None)
        assert grown["disk"] > 0 < grown["memory"]
        assert grown["open_s"] > grown["index_s"] > 0 < grown["reopen_s"]
    before = [line for line, after in pairwise(run.stdout.splitlines()) if after.lstrip().startswith("facts")]
    assert before == ["Stores", "Milliseconds for a new record"]
    assert [model["what"] for model in told["models"]] == ["embedding", "entities", "local judge"]
    assert [model["weights"] for model in told["models"]] == [
        (folder / "model.onnx").stat().st_size if folder else None for folder in (EMBEDDING, None, JUDGE)
    ]
    assert all(model["rate"] > 0 < model["first_s"] for model in told["models"])


def test_a_kept_store_stays_as_it_was_filled(tmp_path: Path) -> None:
    """What is new to it once is new to it the next time, too."""
    options = "--facts 20 --new 3 --bare 2 --replayed 4 --single 2 --threads 1 --alone 0"
    command = ["benchmark", *options.split(), "--keep", str(tmp_path)]
    kept = []
    for _ in range(2):
        CliRunner().invoke(main, command, catch_exceptions=False)
        kept.append((tmp_path / "20-in-1.db").read_bytes())
    assert kept[0] == kept[1]
    with Arbiter.open(tmp_path / "20-in-1.db", SETTINGS) as arbiter:
        assert len(list(arbiter.facts(namespace=namespace(0), state=None))) == 20


def test_without_figures_there_are_heads_only() -> None:
    """No store and no model: nothing to show."""
    assert len(growth_rows([])) == len(model_rows([])) == 1
