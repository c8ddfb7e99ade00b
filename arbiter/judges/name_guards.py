"""Guards over names and wording: another name at the same place, or two names that changed places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from arbiter.domain.evidence import GuardFinding
from arbiter.judges.alignment import PERSONS, SAME_TEMPLATE, Alignment, Change, Piece, Side, is_separator
from arbiter.judges.lexicon import lexicon

# Named things on both sides that the other text lacks count where the texts share this much.
_SHARED_WORDS = 0.4
# What two texts share in all when two things in them changed places, and what makes that certain.
_NAMES_SWAPPED = 0.8
_THINGS_SWAPPED = 0.9
_NEARLY_SAME = 0.7
# Texts with more changes are not one sentence with two things exchanged.
_MOST_CHANGES = 32
_MOST_NAMES = 32
_MUCH_ALIKE = 0.4
_MOSTLY_SHARED = 0.7
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "called", "named"})
_DETERMINERS = frozenset({"a", "an", "the", "my", "his", "her", "its", "our", "your", "their"})


def name_findings(
    alignment: Alignment, canonical_name: Callable[[str], str] | None
) -> Iterator[GuardFinding]:
    """Yield words or names of one text that stand where the other has another word or name."""
    if _shared_words(alignment) < _SHARED_WORDS and alignment.closeness < SAME_TEMPLATE:
        return
    own_a, own_b = _own(alignment.a, alignment.b), _own(alignment.b, alignment.a)
    for change in alignment.changes if alignment.closeness >= SAME_TEMPLATE else ():
        left, right = [p for p in change.a if p in own_a], [p for p in change.b if p in own_b]
        if left and right and not _same_name(left, right, alignment, canonical_name):
            named = any(piece.is_name for piece in (*left, *right))
            yield GuardFinding("name" if named else "wording", _told(left), _told(right))
            return
    left, right = ([p for p in own if p.is_name] for own in (own_a, own_b))
    if left and right and not _same_name(left, right, alignment, canonical_name):
        yield GuardFinding("name", _told(left), _told(right))


def swap_of(alignment: Alignment) -> tuple[str, str] | None:
    """Return two things that changed places between the texts, such as who reports to whom.

    Members of a list may stand in any order, and a passive turns its sentence round.
    """
    if ("by" in alignment.a.texts) != ("by" in alignment.b.texts):
        return None
    return _exchanged(alignment) or _turned_round(alignment)


def _exchanged(alignment: Alignment) -> tuple[str, str] | None:
    """Find two changes that undo each other; exchanging them back must leave next to no difference."""
    if len(alignment.changes) > _MOST_CHANGES:
        return None
    for index, first in enumerate(alignment.changes):
        for second in alignment.changes[index + 1 :]:
            right, left = _keys(first.a) & _keys(second.b), _keys(first.b) & _keys(second.a)
            if right <= left or left <= right or _in_list(alignment, first, second):
                continue
            moved = (
                [p for p in first.a if p.key in right - left],
                [p for p in second.a if p.key in left - right],
            )
            repaired = (
                2 * (len(moved[0]) + len(moved[1])) / (len(alignment.a.pieces) + len(alignment.b.pieces))
            )
            certain = _NAMES_SWAPPED if all(map(_has_name, moved)) else _THINGS_SWAPPED
            if alignment.closeness >= _NEARLY_SAME or alignment.closeness + repaired >= certain:
                return _told(moved[0]), _told(moved[1])
    return None


def _turned_round(alignment: Alignment) -> tuple[str, str] | None:
    """Find two names around a common word ("A beat B") that stand in the other order in the other text."""
    if alignment.closeness < _MUCH_ALIKE or _shared_words(alignment) < _MOSTLY_SHARED:
        return None
    places_a, places_b = _lone_names(alignment.a.pieces), _lone_names(alignment.b.pieces)
    both = sorted(places_a.keys() & places_b.keys(), key=places_a.__getitem__)[:_MOST_NAMES]
    turned = [(x, y) for x, y in combinations(both, 2) if places_b[y] < places_b[x]]
    for x, y in sorted(turned, key=lambda pair: places_a[pair[1]] - places_a[pair[0]]):
        between_a = alignment.a.pieces[places_a[x] + 1 : places_a[y] + 1]
        between_b = alignment.b.pieces[places_b[y] + 1 : places_b[x] + 1]
        joined = any(p.after_separator or is_separator(p) for p in (*between_a, *between_b))
        if not joined and _links(between_a[:-1]) & _links(between_b[:-1]):
            return alignment.a.pieces[places_a[x]].surface, alignment.a.pieces[places_a[y]].surface
    return None


def _links(pieces: Sequence[Piece]) -> set[str]:
    """Return what can join two names and has a direction: not "is", not an article."""
    return {p.key for p in pieces if p.text not in _DETERMINERS and p.text not in _COPULAS}


def _has_name(pieces: Sequence[Piece]) -> bool:
    return any(map(_is_named, pieces))


def _is_named(piece: Piece) -> bool:
    if piece.kind == "word":
        return piece.text in PERSONS or (piece.is_content and piece.surface[0].isupper())
    return piece.kind == "code"


def _lone_names(pieces: Sequence[Piece]) -> dict[str, int]:
    """Return the places of names, people and codes that occur once."""
    places: dict[str, list[int]] = {}
    for place, piece in enumerate(pieces):
        if _is_named(piece):
            places.setdefault(piece.key, []).append(place)
    return {key: found[0] for key, found in places.items() if len(found) == 1}


def _own(side: Side, other: Side) -> list[Piece]:
    """Return the content words that the other text has in no form; small words and opposites apart."""
    small, opposites = lexicon().small_words, lexicon().opposites
    return [
        p
        for p in side.pieces
        if p.kind == "word"
        and p.is_content
        and p.key not in other.keys
        and p.text not in small
        and other.texts.isdisjoint(opposites.get(p.text, ()))
        and not other.knows(p)
    ]


def _keys(pieces: Sequence[Piece]) -> set[str]:
    return {p.key for p in pieces if (p.is_content or p.text in PERSONS) and not is_separator(p)}


def _in_list(alignment: Alignment, first: Change, second: Change) -> bool:
    """Are both places members of one list, in both texts?"""
    return _joined(alignment.a.pieces, first.a_end, second.a_end - len(second.a)) and _joined(
        alignment.b.pieces, first.b_end, second.b_end - len(second.b)
    )


def _joined(pieces: Sequence[Piece], after: int, before: int) -> bool:
    """Does a separator follow the first place, and another one lead to the second?"""
    if after >= len(pieces) or not (pieces[after].after_separator or is_separator(pieces[after])):
        return False
    while before > after and not pieces[before].after_separator and not is_separator(pieces[before - 1]):
        if pieces[before - 1].text not in _DETERMINERS:
            return False
        before -= 1
    return True


def _same_name(
    left: Sequence[Piece],
    right: Sequence[Piece],
    alignment: Alignment,
    canonical_name: Callable[[str], str] | None,
) -> bool:
    """Are the two an acronym and what it stands for, or names that the alias table joins?"""
    if all(_is_acronym(p, alignment.b.pieces) for p in left) or all(
        _is_acronym(p, alignment.a.pieces) for p in right
    ):
        return True
    return canonical_name is not None and canonical_name(_told(left)) == canonical_name(_told(right))


def _is_acronym(piece: Piece, other: Sequence[Piece]) -> bool:
    if not piece.surface.isupper() or len(piece.text) < 2:
        return False
    return piece.text in "".join(p.text[0] for p in other if p.is_content)


def _shared_words(alignment: Alignment) -> float:
    left, right = alignment.a.keys, alignment.b.keys
    return len(left & right) / max(1, min(len(left), len(right)))


def _told(pieces: Sequence[Piece]) -> str:
    return " ".join(p.surface for p in pieces)
