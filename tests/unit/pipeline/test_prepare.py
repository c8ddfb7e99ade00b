"""What is found out before the first commit: the models read a whole batch at once, whosever it is."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arbiter.domain.vocabulary import State
from arbiter.pipeline.arrive import arrive
from arbiter.pipeline.compile import compile_namespace
from arbiter.pipeline.conclude import conclude
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.prepare import prepare
from arbiter.pipeline.submit import submit
from arbiter.ports import Vectors
from arbiter.testing import CapitalisedEntities, TableJudge, WordEmbedder
from tests.factories import make_record, verdict
from tests.unit.pipeline.conftest import FailsOn, with_embedder

if TYPE_CHECKING:
    import pytest

TEXTS = {"ann": "Rita lives in Bath.", "bob": "Ben moved to York.", "cid": "Zoe works in Hull."}
BATCH = [make_record(text, namespace=namespace) for namespace, text in TEXTS.items()]


class Asked(WordEmbedder):
    """An embedder that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed."""
        self.asked.append(list(texts))
        return super().embed(texts)


class Read(CapitalisedEntities):
    """An extractor that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Extract."""
        self.asked.append(list(texts))
        return super().extract(texts)


def test_each_model_reads_the_texts_of_all_namespaces_together(context: Context) -> None:
    """One question each, and in every namespace the fact has the vector and the names of its own text."""
    embedder, entities = Asked(), Read()
    watched = replace(with_embedder(context, embedder), entities=entities)
    receipts = submit([*BATCH, make_record(TEXTS["ann"], namespace="ann", source="chat:2")], watched)
    assert embedder.asked == entities.asked == [list(TEXTS.values())]
    for receipt, (namespace, text) in zip(receipts, TEXTS.items(), strict=False):
        fact_id = str(receipt.fact_id)
        ((_, ids, vectors),) = context.store.vectors(namespace, embedder.model_id, after=0)
        assert ids == [fact_id]
        np.testing.assert_array_equal(vectors, WordEmbedder().embed([text]))
        assert context.store.entities(namespace, [fact_id])[fact_id] == entities.extract([text])[0]


def test_known_texts_are_not_read_again(context: Context) -> None:
    """Of a batch that brings one new fact the models read that one."""
    submit(BATCH[:2], context)
    ready = prepare([(r.namespace, identify([(n, r)], context)) for n, r in enumerate(BATCH)], context)
    assert [list(part.news.texts.values()) for part in ready] == [[], [], [TEXTS["cid"]]]
    assert [part.embedded.vectors.shape[0] for part in ready] == [0, 0, 1]
    assert [len(part.entities) for part in ready] == [0, 0, 1]


def test_what_another_writer_brought_meanwhile_is_settled(context: Context, judge: TableJudge) -> None:
    """Between finding out what is new and writing it another one told it, and what came after."""
    york, bath = make_record("Rita lives in York."), make_record("Rita lives in Bath.", at=9)
    judge.otherwise = verdict("update")
    heard = make_record("Rita lives in York.", source="chat:2", at=20)
    (ready,) = prepare([("default", identify([(0, heard)], context))], context)
    submit([york, bath], context)
    arrived = arrive(ready, context)
    assert (arrived.fresh.ids, len(arrived.sighted)) == ((), 1)
    (receipt,) = conclude("default", arrived, investigate("default", arrived.fresh, context), context)
    assert (receipt.outcome.value, receipt.state) == ("stored", State.ACTIVE)
    assert compile_namespace("default", context).changed == 0


def test_where_no_thread_can_start_the_texts_are_read_all_the_same(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is while the interpreter ends."""

    def fails(*_: object) -> None:
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", fails)
    receipts = submit(BATCH, context)
    assert [receipt.outcome.value for receipt in receipts] == ["stored"] * 3


def test_a_text_without_a_vector_holds_back_nobody_else(context: Context) -> None:
    """The one that could not be embedded waits; those of the other namespaces are stored."""
    receipts = submit(BATCH, with_embedder(context, FailsOn("York")))
    assert [receipt.outcome.value for receipt in receipts] == ["stored", "held", "stored"]
    assert [receipt.retryable for receipt in receipts] == [False, True, False]
