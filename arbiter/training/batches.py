"""Batches of tokens with their targets; the same seed and epoch give the same ones, so training resumes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from arbiter.errors import ConfigurationError
from arbiter.judges.pair_tokens import PairTokens, context_words, encode, number_words
from arbiter.training.augment import Augmentation
from arbiter.training.examples import AskedKey, Example, asked_key
from arbiter.training.model import AUXILIARY, GENERAL, HEADS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SORTED_TOGETHER = 40


@dataclass(frozen=True, slots=True)
class Item:
    """One pair as the network takes it; ``targets`` gives the place of the right label by head.

    ``taught`` are the probabilities of the relations that a teacher gives.
    """

    tokens: PairTokens
    targets: Mapping[str, int]
    anchor: str = ""
    taught: tuple[float, ...] | None = None


Batch: TypeAlias = list[Item]
Taught: TypeAlias = Mapping[AskedKey, tuple[float, ...]]
"""What a teacher says of pairs, by what it was asked."""


def items(
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    augmentation: Augmentation,
    random: Random,
    taught: Taught = MappingProxyType({}),
) -> list[Item]:
    """Turn examples into items, each as one variant of itself."""
    varied = [augmentation.vary(example, random) for example in examples]
    tokens = encode(
        tokenizer,
        [(example.pair.a.content, example.pair.b.content) for example in varied],
        [augmentation.context(context_words(example.pair), random) for example in varied],
    )
    return [
        Item(t, _targets(e), e.anchor, taught.get(asked_key(e.pair)))
        for t, e in zip(tokens, varied, strict=True)
    ]


def contrast_batches(
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    augmentation: Augmentation,
    *,
    size: int,
    seed: int,
    taught: Taught = MappingProxyType({}),
) -> list[Batch]:
    """Return an epoch of batches in which the pairs of one anchor stand together.

    Args:
        examples: labelled pairs.
        tokenizer: word pieces of the network.
        augmentation: which variants are drawn.
        size: pairs a batch; one whose last anchor does not fit is larger.
        seed: decides variants and order; give each epoch its own.
        taught: what a teacher says of them.
    """
    random = Random(seed)
    made = sorted(items(examples, tokenizer, augmentation, random, taught), key=lambda item: item.anchor)
    groups = [list(group) for _, group in groupby(made, key=lambda item: item.anchor)]
    random.shuffle(groups)
    batches: list[Batch] = []
    for start in range(0, len(groups), _SORTED_TOGETHER * size // 4):
        near = groups[start : start + _SORTED_TOGETHER * size // 4]
        near.sort(key=lambda group: max(len(item.tokens.ids) for item in group))
        batches.extend(_filled(near, size))
    random.shuffle(batches)
    return batches


def inference_batches(
    rows: Sequence[tuple[str, str, str]], tokenizer: Tokenizer, *, size: int, seed: int, max_tokens: int = 96
) -> list[Batch]:
    """Return an epoch of batches of (a, b, label) pairs of language inference and paraphrase.

    Pairs of like length stand together; those over ``max_tokens`` are left out.
    """
    random = Random(seed)
    shuffled = random.sample(list(rows), len(rows))
    tokens = encode(tokenizer, [(a, b) for a, b, _ in shuffled], [number_words(a, b) for a, b, _ in shuffled])
    made = [
        Item(token, _auxiliary(label))
        for token, (_, _, label) in zip(tokens, shuffled, strict=True)
        if len(token.ids) <= max_tokens
    ]
    return by_length(made, size=size, random=random)


def by_length(made: Sequence[Item], *, size: int, random: Random) -> list[Batch]:
    """Return batches in which items of like length stand together, themselves in random order."""
    batches: list[Batch] = []
    for start in range(0, len(made), size * _SORTED_TOGETHER):
        near = sorted(made[start : start + size * _SORTED_TOGETHER], key=lambda item: len(item.tokens.ids))
        batches.extend(near[at : at + size] for at in range(0, len(near), size))
    random.shuffle(batches)
    return batches


def read_inference(
    paths: Iterable[Path], *, cap: Mapping[str, int], most_chars: int, seed: int
) -> list[tuple[str, str, str]]:
    """Read gzip JSON Lines of ``a``, ``b``, ``label``.

    Args:
        paths: one file a set.
        cap: most pairs of a set by the file's first name; sets that it lacks count whole.
        most_chars: longest pair, both texts together, in characters.
        seed: decides which pairs of a larger set are taken.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    rows: list[tuple[str, str, str]] = []
    for path in paths:
        try:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                read = [(row["a"], row["b"], row["label"]) for row in map(json.loads, lines)]
        except (OSError, ValueError, KeyError) as error:
            raise ConfigurationError(f"{path.name} holds no inference pairs: {error}") from error
        short = [row for row in read if len(row[0]) + len(row[1]) < most_chars]
        most = cap.get(path.name.partition(".")[0], len(short))
        rows.extend(Random(seed).sample(short, min(most, len(short))))
    return rows


def _filled(groups: Iterable[list[Item]], size: int) -> Iterable[Batch]:
    batch: Batch = []
    for group in groups:
        batch.extend(group)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _targets(example: Example) -> dict[str, int]:
    known = {
        "relation": example.relation,
        "current": example.current,
        "update_kind": example.update_kind,
        "stale_risk": (example.stale_risk or "none") if example.relation == "complementary" else None,
        "mutability": example.mutability,
        "stakes": example.stakes,
    }
    return {head: HEADS[head].index(label) for head, label in known.items() if label is not None}


def _auxiliary(label: str) -> dict[str, int]:
    heads = {**HEADS, **AUXILIARY}
    head = next((head for head in GENERAL if label in heads[head]), None)
    if head is None:
        raise ConfigurationError(f"{label} is no label of inference or paraphrase")
    return {head: heads[head].index(label)}
