"""Distillation (Hinton et al., "Distilling the Knowledge in a Neural Network", 2015).

A teacher, too large to ship, says how the relations of a pair share its probability; the judge learns that
beside the labels. It also reads pairs that nobody labelled: statements of one contrast set or one stream,
put together anew, which are the kind of pairs that a store brings before a judge; and pairs of language
inference, which are of far more kinds than anybody labels for one task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import torch

from arbiter.domain.canonical import canonical
from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record, Source
from arbiter.domain.vocabulary import Relation, SourceKind
from arbiter.errors import ConfigurationError
from arbiter.judges.pair_tokens import PairTokens, context_words, encode
from arbiter.training.batches import Batch, Item, Taught, by_length
from arbiter.training.examples import Example, asked_key, oriented, pair_key
from arbiter.training.loop import tensors
from arbiter.training.model import TeacherNetwork, empty_teacher

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_GAPS = tuple(map(timedelta, (0, 0.2, 3, 20, 200, 700)))
"""Days between two records, one for each word that a judge has for such a gap."""

_KINDS = (SourceKind.USER_STATED, SourceKind.USER_STATED, *SourceKind)
_SAME_SOURCE = 0.6

_WEIGHTS = "teacher.pt"
_TOKENIZER = "tokenizer.json"


class Teacher:
    """A trained large network with its own word pieces.

    Args:
        directory: where ``arbiter judge teach`` wrote it.

    Raises:
        ConfigurationError: there is none.
    """

    def __init__(self, directory: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._network = empty_teacher(directory)
            self._network.load_state_dict(torch.load(directory / _WEIGHTS, weights_only=True))
            self._tokenizer = Tokenizer.from_file(str(directory / _TOKENIZER))
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise ConfigurationError(f"{directory} holds no teacher: {error}") from error
        # tokenizers raises plain exceptions.
        except Exception as error:
            raise ConfigurationError(f"{directory} holds no teacher's tokenizer: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._network.eval()

    def probabilities(
        self, pairs: Sequence[RecordPair], log: Callable[[str], None] = lambda _: None
    ) -> list[tuple[float, ...]]:
        """Return the probability of each relation, pair by pair."""
        tokens = tokenised(self._tokenizer, pairs)
        found: list[tuple[float, ...]] = [()] * len(pairs)
        places = sorted(range(len(pairs)), key=lambda place: len(tokens[place].ids))
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            for start in range(0, len(places), 64):
                part = places[start : start + 64]
                logits = self._network(*tensors([Item(tokens[place], {}) for place in part]))["relation"]
                for place, row in zip(part, logits.float().softmax(dim=1).tolist(), strict=True):
                    found[place] = tuple(row)
                if start % 6400 == 0:
                    log(f"the teacher has read {start} of {len(pairs)} pairs")
        return found


def save_teacher(network: TeacherNetwork, tokenizer: Tokenizer, directory: Path) -> None:
    """Write a teacher so that ``Teacher`` can read it."""
    network.encoder.config.save_pretrained(directory)
    tokenizer.save(str(directory / _TOKENIZER))
    torch.save(network.state_dict(), directory / _WEIGHTS)


def recombined(examples: Iterable[Example], *, most: int, seed: int) -> list[RecordPair]:
    """Return new pairs of the statements that share an anchor, ``most`` at most, none of them labelled."""
    known = {pair_key(example.pair) for example in examples}
    grouped = groupby(sorted(examples, key=lambda example: example.anchor), key=lambda e: e.anchor)
    found: dict[frozenset[str], RecordPair] = {}
    for _, group in grouped:
        records = {canonical(r.content): r for e in group for r in (e.pair.a, e.pair.b)}
        for a, b in combinations(records.values(), 2):
            pair = _earlier_first(a, b)
            if pair_key(pair) not in known:
                found[pair_key(pair)] = pair
    return Random(seed).sample(list(found.values()), min(most, len(found)))


def as_records(rows: Sequence[tuple[str, str, str]], *, most: int, seed: int) -> list[RecordPair]:
    """Return pairs of inference as pairs of records, ``most`` at most, none of them labelled.

    Nobody knows when they were said and by whom, so that is drawn: a pair that was said at once and one that
    lie years apart are different questions.
    """
    random, first = Random(seed), datetime(2026, 1, 1, tzinfo=UTC)
    found: dict[frozenset[str], RecordPair] = {}
    for a, b, _ in random.sample(rows, min(most, len(rows))):
        kind = random.choice(_KINDS)
        source = Source("first", kind)
        other = source if random.random() < _SAME_SOURCE else Source("second", random.choice(_KINDS))
        pair = RecordPair(Record(a, source, first), Record(b, other, first + random.choice(_GAPS)))
        found[pair_key(pair)] = pair
    return list(found.values())


def taught_batches(
    pairs: Sequence[RecordPair], taught: Taught, tokenizer: Tokenizer, *, size: int, seed: int
) -> list[Batch]:
    """Return an epoch of batches of pairs of which only a teacher speaks; pairs of like length together."""
    tokens = tokenised(tokenizer, pairs)
    made = [Item(t, {}, taught=taught[asked_key(pair)]) for t, pair in zip(tokens, pairs, strict=True)]
    return by_length(made, size=size, random=Random(seed))


def tokenised(tokenizer: Tokenizer, pairs: Sequence[RecordPair]) -> list[PairTokens]:
    """Return the tokens of pairs as a judge reads them."""
    texts = [(pair.a.content, pair.b.content) for pair in pairs]
    return encode(tokenizer, texts, [context_words(pair) for pair in pairs])


def _earlier_first(a: Record, b: Record) -> RecordPair:
    return oriented(Example(RecordPair(a, b), Relation.UNRELATED, "")).pair
