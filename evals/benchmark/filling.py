"""A store that has held many facts for long, made in minutes instead of hours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arbiter.domain.settle import settle
from arbiter.pipeline.arrive import arrive
from arbiter.pipeline.batches import batches
from arbiter.pipeline.exact import identify
from arbiter.pipeline.prepare import prepare
from arbiter.settings import Settings
from arbiter.testing import CapitalisedEntities
from arbiter.wiring import build

if TYPE_CHECKING:
    from arbiter.domain.facts import Record
    from arbiter.pipeline.context import Context
    from arbiter.ports import Embedder, Vectors

FILL_BATCH = 2_000
_DIGITS = re.compile(r"\d+")
_NAME_WEIGHT = 0.5


class PartsEmbedder:
    """Puts the vector of "name: statement" together of those of its two parts, each embedded once.

    A million texts would take half an hour; these vectors lie as theirs do, in clusters of one statement
    with the names as what differs. Queries against them are embedded in earnest.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    @property
    def model_id(self) -> str:
        """The id of the model whose vectors these resemble."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each text."""
        parts = [(name, _DIGITS.sub("0", rest)) for name, _, rest in (text.partition(": ") for text in texts)]
        new = list({part for two in parts for part in two} - self._known.keys())
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        found = np.stack([self._known[rest] + _NAME_WEIGHT * self._known[name] for name, rest in parts])
        # Statements that differ in their digits alone, of one name, are not one point.
        found += np.random.default_rng(len(self._known)).normal(0, 0.005, found.shape)
        vectors: Vectors = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
        return vectors


def fill(database: Path, records: Iterable[Record], *, settings: Settings, exactly: bool = False) -> None:
    """Put facts into a store as if they had been there long ago: found, and compared with nothing.

    Args:
        database: the file of the store.
        records: what it shall hold.
        settings: those of the embedder.
        exactly: embed every text as it stands.
    """
    context = build(settings.model_copy(update={"database": str(database), "judge": "none"}))
    embedder = context.embedder if exactly else PartsEmbedder(context.embedder)
    context = replace(context, embedder=embedder, entities=CapitalisedEntities())
    try:
        for batch in batches(records, FILL_BATCH):
            in_order = sorted(batch, key=lambda record: record.namespace)
            for name, group in groupby(in_order, key=lambda record: record.namespace):
                _keep(name, list(group), context)
    finally:
        context.store.close()


def _keep(namespace: str, batch: list[Record], context: Context) -> None:
    drafts = identify(list(enumerate(batch)), context)
    arrived = arrive(prepare([(namespace, drafts)], context)[0], context)
    with context.store.writing(namespace) as tx:
        tx.finish(arrived.fresh.ids)
        tx.apply(settle(tx.cluster(arrived.fresh.ids), context.policy))
