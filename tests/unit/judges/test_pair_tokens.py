"""What the local judge reads of a pair."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tokenizers import Tokenizer

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record, Source
from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import ConfigurationError
from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.judges.pair_tokens import context_words, encode, gap_word, number_words

START = datetime(2026, 1, 1, tzinfo=UTC)
USER = Source("chat:1", SourceKind.USER_STATED)


@pytest.mark.parametrize(
    ("hours", "word"),
    [
        (0, "now"),
        (0.9, "now"),
        (1, "hours"),
        (24, "days"),
        (-200, "weeks"),
        (24 * 31, "months"),
        (9000, "years"),
    ],
)
def test_gaps_have_words(hours: float, word: str) -> None:
    """A span of time has one of six words, its direction none."""
    assert gap_word(timedelta(hours=hours)) == word


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("a cat", "a dog", ()),
        ("3 cats", "a dog", ("number",)),
        ("1,200 EUR by 15:30", "by 15:30, 1200 EUR", ("equal",)),
        ("3 cats", "4 cats", ("unequal",)),
    ],
)
def test_numerals_are_compared(a: str, b: str, words: tuple[str, ...]) -> None:
    """Order and thousands separators do not count."""
    assert number_words(a, b) == words


def test_the_context_says_what_texts_do_not() -> None:
    """Gap, sources, subject, claim key and an ended validity each have a word, in this order."""
    a = Record(
        "Rent is 900.",
        USER,
        START,
        subject="Ana Li",
        claim_key="rent",
        valid_to=START + timedelta(days=5),
    )
    b = Record(
        "Rent is 950.",
        Source("crm", SourceKind.THIRD_PARTY),
        START + timedelta(days=9),
        subject="Li, Ana",
        claim_key="deposit",
    )
    assert context_words(RecordPair(a, b)) == (
        "weeks",
        "user",
        "outside",
        "subject",
        "aspect",
        "ended",
        "unequal",
    )
    bare = Record("Owns a cat.", USER, START)
    assert context_words(RecordPair(bare, bare)) == ("now", "user", "user")


def test_pieces_that_one_text_lacks_are_marked() -> None:
    """Segments 0 and 1 are shared pieces of a and b, 2 and 3 those that only one of them has."""
    tokenizer = Tokenizer.from_file(str(PACKAGED_TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    (found,) = encode(tokenizer, [("has a cat", "has a dog")], [("days",)])
    pieces = [tokenizer.id_to_token(piece) for piece in found.ids]
    assert list(zip(pieces, found.segments, strict=True)) == [
        ("[CLS]", 0),
        ("has", 0),
        ("a", 0),
        ("cat", 2),
        ("[SEP]", 0),
        ("days", 1),
        (":", 1),
        ("has", 1),
        ("a", 1),
        ("dog", 3),
        ("[SEP]", 1),
    ]


def test_a_tokenizer_without_marks_is_refused() -> None:
    """Word pieces of another kind of model cannot be laid out."""
    from tokenizers import models

    with pytest.raises(ConfigurationError, match=r"knows none of \[CLS\], <s>"):
        encode(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), [("a", "a")], [()])
