"""Two texts laid side by side: what stands at the same place, and what was exchanged for what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein, Levenshtein

from arbiter.judges.lexicon import lexicon
from arbiter.judges.reading import KEPT_TEXTS, Kind, Token, read

# From this closeness on two texts are one template, and another word at the same place is another
# statement: on the training pairs every fifteenth such pair is a duplicate.
SAME_TEMPLATE = 0.6
_SEPARATORS = frozenset({",", ";", "/", "&", "and", "or", "nor", "plus"})
_SENTENCE_ENDS = frozenset({".", ":", "!", "?", "。", "："})
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "ers", "er", "ly", "s")
_DOUBLED = re.compile(r"(.)\1")
_VOWELS = frozenset("aeiou")
# People stand for themselves, whatever the case of the pronoun.
_PERSONS = {
    "me": "i", "my": "i", "mine": "i", "him": "he", "his": "he", "her": "she", "hers": "she", "us": "we",
    "our": "we", "ours": "we", "them": "they", "their": "they", "theirs": "they", "your": "you",
    "yours": "you",
}  # fmt: skip
PERSONS = frozenset({*_PERSONS, *_PERSONS.values()})


@dataclass(frozen=True, slots=True)
class Piece:
    """One word, typed value or, in unspaced scripts, one character; ``key`` is what is compared."""

    key: str
    text: str
    surface: str
    kind: Kind
    start: int
    is_content: bool
    is_name: bool
    after_separator: bool


@dataclass(frozen=True, slots=True)
class Side:
    """The pieces of one text in order, and what is looked up among them."""

    pieces: tuple[Piece, ...]
    keys: frozenset[str]
    texts: frozenset[str]
    by_initial: Mapping[str, tuple[Piece, ...]]

    def knows(self, piece: Piece) -> bool:
        """Does a piece of another text occur here, in some form?"""
        if piece.key in self.keys or not self.texts.isdisjoint(lexicon().synonyms.get(piece.text, ())):
            return True
        return any(similar(piece, mine) for mine in self.by_initial.get(piece.text[0], ()))


@dataclass(frozen=True, slots=True)
class Change:
    """What stands in one text where the other has something else; either side may be empty.

    ``a_end`` and ``b_end`` are the places of the pieces that follow.
    """

    a: tuple[Piece, ...]
    b: tuple[Piece, ...]
    a_end: int
    b_end: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two texts side by side. ``closeness`` is the share of pieces at equal places, in [0, 1]."""

    a: Side
    b: Side
    changes: tuple[Change, ...]
    closeness: float


def align(a: str, b: str) -> Alignment:
    """Lay two texts side by side with as few changes as possible."""
    left, right = side(a), side(b)
    spans: list[list[int]] = []
    open_run = False
    for step in Levenshtein.opcodes([p.key for p in left.pieces], [p.key for p in right.pieces]):
        if step.tag == "equal":
            open_run = False
        elif open_run:
            spans[-1][1], spans[-1][3] = step.src_end, step.dest_end
        else:
            spans.append([step.src_start, step.src_end, step.dest_start, step.dest_end])
            open_run = True
    changes = tuple(Change(left.pieces[i:j], right.pieces[k:m], j, m) for i, j, k, m in spans)
    equal = len(left.pieces) - sum(len(change.a) for change in changes)
    total = len(left.pieces) + len(right.pieces)
    return Alignment(left, right, changes, 2 * equal / total if total else 1.0)


@lru_cache(maxsize=KEPT_TEXTS)
def side(text: str) -> Side:
    """Return the pieces of a text, without its marks."""
    pieces = tuple(_pieces(text))
    by_initial: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.kind == "word":
            by_initial.setdefault(piece.text[0], []).append(piece)
    return Side(
        pieces,
        frozenset(p.key for p in pieces),
        frozenset(p.text for p in pieces),
        {initial: tuple(found) for initial, found in by_initial.items()},
    )


def _pieces(text: str) -> Iterator[Piece]:
    words = lexicon()
    previous = "."
    for token in read(text).tokens:
        joined = previous in _SEPARATORS
        if token.kind == "run":
            for c in _unify(token.text):
                content = c not in words.function_characters
                yield Piece(c, c, c, "run", token.start, content, is_name=False, after_separator=False)
        elif token.kind == "word":
            yield _word(token, previous, joined=joined)
        elif token.kind != "mark":
            yield Piece(
                token.text, token.text, token.surface, token.kind, token.start,
                is_content=True, is_name=False, after_separator=joined,
            )  # fmt: skip
        previous = token.text


def _word(token: Token, previous: str, *, joined: bool) -> Piece:
    """Return a word; a capital within a sentence makes it a name, and "twin A" no article."""
    plain = token.text.removesuffix("'s").rstrip("'") or token.text
    inside = previous not in _SENTENCE_ENDS
    lettered = inside and len(plain) == 1 and token.surface.isupper() and plain != "i"
    content = lettered or plain not in lexicon().function_words
    key = stem(_PERSONS.get(plain, plain))
    named = content and inside and token.surface[0].isupper()
    return Piece(key, plain, token.surface, "word", token.start, content, named, joined)


def stem(word: str) -> str:
    """Cut the commonest English endings off a word of four letters or more."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def is_separator(piece: Piece) -> bool:
    """Is it a word that joins the members of a list?"""
    return piece.text in _SEPARATORS


def similar(x: Piece, y: Piece) -> bool:
    """Are two words with one initial the same but for inflection, a slip of the pen or an abbreviation?

    Names and capitals are given less room than plain words: "Maria" is not "Mario".
    """
    if y.text in lexicon().opposites.get(x.text, ()):
        return False
    short, long = (x, y) if len(x.text) <= len(y.text) else (y, x)
    if _abbreviates(short, long) or _DOUBLED.sub(r"\1", x.text) == _DOUBLED.sub(r"\1", y.text):
        return True
    if short.surface.isupper():
        return False
    named = x.surface[0].isupper() and y.surface[0].isupper()
    if not named and _common_prefix(x.key, y.key) >= max(4, 0.7 * max(len(x.key), len(y.key))):
        return True
    length = len(short.text)
    allowed = (length >= 7) if named else (length >= 4) + (length >= 7)
    return allowed > 0 and DamerauLevenshtein.distance(x.text, y.text, score_cutoff=allowed) <= allowed


def _abbreviates(short: Piece, long: Piece) -> bool:
    """Is the shorter word an initial, or the longer one with letters left out ("acct", "Ln")?"""
    if short.text[0] != long.text[0]:
        return False
    if len(short.text) == 1:
        return True
    if len(short.text) > 5 or 2 * len(long.text) < 3 * len(short.text):
        return False
    if len(short.text) >= 3 and long.text.startswith(short.text):
        return True
    if long.is_name and not _VOWELS.isdisjoint(short.text[1:]):
        return False
    letters = iter(long.text)
    return all(letter in letters for letter in short.text)


def _common_prefix(x: str, y: str) -> int:
    length = 0
    for left, right in zip(x, y, strict=False):
        if left != right:
            break
        length += 1
    return length


def _unify(run: str) -> str:
    for spelling, standard in lexicon().equivalents.items():
        run = run.replace(spelling, standard)
    return run
