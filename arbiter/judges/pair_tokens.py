"""How the local judge reads a pair: both texts as word pieces, and in front of the second what lies between.

The layout is ``[CLS] a [SEP] context : b [SEP]``. The context is plain words of the vocabulary, one for each
thing that texts alone do not say: the gap in time, who said each side, whether subject and claim key are
the same, whether the numbers are. Segment ids say which text a piece belongs to, and whether the other text
has the same piece: what differs decides most pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SEGMENTS = 4
"""Segment ids: 0 and 1 for pieces of a and b that both texts have, 2 and 3 for those that one lacks."""

_GAPS = (
    (timedelta(hours=1), "now"),
    (timedelta(days=1), "hours"),
    (timedelta(days=7), "days"),
    (timedelta(days=30), "weeks"),
    (timedelta(days=365), "months"),
)
_SOURCES = {
    SourceKind.USER_STATED: "user",
    SourceKind.VERIFIED_OBSERVATION: "observed",
    SourceKind.AGENT_INFERENCE: "assumed",
    SourceKind.THIRD_PARTY: "outside",
}
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")


@dataclass(frozen=True, slots=True)
class PairTokens:
    """One pair as the model takes it: piece ids and segment ids, of the same length."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]


def context_words(pair: RecordPair) -> tuple[str, ...]:
    """Return what lies between two records of a pair, in words of the model's vocabulary."""
    a, b = pair.a, pair.b
    return (
        gap_word(b.observed_at - a.observed_at),
        _SOURCES[a.source.kind],
        _SOURCES[b.source.kind],
        *_sameness(a.subject_key, b.subject_key, "subject", "stranger"),
        *_sameness(a.attribute_key, b.attribute_key, "attribute", "aspect"),
        *(("ended",) if _ended(a, b) else ()),
        *number_words(a.content, b.content),
    )


def gap_word(gap: timedelta) -> str:
    """Return the word for a span of time; its sign does not count."""
    return next((word for bound, word in _GAPS if abs(gap) < bound), "years")


def number_words(a: str, b: str) -> tuple[str, ...]:
    """Return the word that says how the numerals of two texts compare; none where neither has any."""
    left, right = _numbers(a), _numbers(b)
    if not left and not right:
        return ()
    if not left or not right:
        return ("number",)
    return ("equal",) if left == right else ("unequal",)


def encode(
    tokenizer: Tokenizer, texts: Sequence[tuple[str, str]], contexts: Sequence[Sequence[str]]
) -> list[PairTokens]:
    """Turn pairs of texts with their contexts into tokens; nothing is cut off.

    Raises:
        UnicodeError: a text is not valid Unicode.
        ConfigurationError: the tokenizer lacks the marks of a BERT.
    """
    flat = [*chain.from_iterable(texts), *(" ".join([*words, ":"]) if words else "" for words in contexts)]
    pieces = [encoding.ids for encoding in tokenizer.encode_batch_fast(flat, add_special_tokens=False)]
    opening, closing = (_mark(tokenizer, *marks) for marks in (("[CLS]", "<s>"), ("[SEP]", "</s>")))
    count = len(texts)
    return [
        _layout(pieces[2 * place], pieces[2 * place + 1], pieces[2 * count + place], opening, closing)
        for place in range(count)
    ]


def _layout(
    a: Sequence[int], b: Sequence[int], context: Sequence[int], opening: int, closing: int
) -> PairTokens:
    in_a, in_b = set(a), set(b)
    return PairTokens(
        (opening, *a, closing, *context, *b, closing),
        (
            0,
            *(0 if piece in in_b else 2 for piece in a),
            0,
            *(1 for _ in context),
            *(1 if piece in in_a else 3 for piece in b),
            1,
        ),
    )


def _mark(tokenizer: Tokenizer, *spellings: str) -> int:
    places = (tokenizer.token_to_id(mark) for mark in spellings)
    place = next((place for place in places if place is not None), None)
    if place is None:
        raise ConfigurationError(f"the tokenizer knows none of {', '.join(spellings)}")
    return place


def _sameness(a: str | None, b: str | None, same: str, other: str) -> tuple[str, ...]:
    if a is None or b is None:
        return ()
    return (same,) if a == b else (other,)


def _ended(a: Record, b: Record) -> bool:
    return a.valid_to is not None and a.valid_to <= (b.valid_from or b.observed_at)


def _numbers(text: str) -> Counter[str]:
    return Counter(_THOUSANDS.sub("", number) for number in _NUMBER.findall(text))
