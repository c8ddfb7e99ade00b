"""Guards over small words: negation, opposites, quantifiers, qualifiers and periods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from arbiter.domain.evidence import GuardFinding
from arbiter.judges.alignment import Alignment
from arbiter.judges.lexicon import lexicon
from arbiter.judges.reading import KEPT_TEXTS

# Below these two texts are built so differently that one small word tells nothing. On the training pairs
# every eighth pair with another count of denials is a duplicate at 0.4, every fourteenth above 0.5.
_ALIKE_ENOUGH_TO_DENY = 0.4
_BUILT_ALIKE = 0.5
_NUMBER_SIGN = re.compile(r"\bno\.?\s*(?=\d)")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")


@dataclass(frozen=True, slots=True)
class SmallWords:
    """What the small words of a text do: denials counted, classes of quantifiers and qualifiers."""

    negations: tuple[str, ...]
    quantifiers: Mapping[str, Sequence[str]]
    qualifiers: Mapping[str, Sequence[str]]
    periods: Mapping[str, Sequence[str]]


@lru_cache(maxsize=KEPT_TEXTS)
def small_words(text: str) -> SmallWords:
    """Read the small words of a text."""
    words = lexicon()
    lower = text.lower().replace("’", "'")
    denying = words.innocent.sub(" ", lower)
    counting = words.idioms.sub(" ", lower)
    unspaced = words.unspaced_innocent.sub("", lower)
    negations = words.negation.findall(_NUMBER_SIGN.sub(" ", denying))
    return SmallWords(
        negations=(*negations, *words.unspaced_negation.findall(unspaced)),
        quantifiers=_found(words.quantifiers, counting),
        qualifiers=_found(words.qualifiers, lower),
        periods=_found(words.periods, lower),
    )


def word_findings(
    a: str, b: str, alignment: Alignment, swap: tuple[str, str] | None
) -> Iterator[GuardFinding]:
    """Yield what the small words change, for texts that are built alike, and the swap of two roles.

    Two turns cancel: "is not open" and "is closed" say the same, and so do "A is above B" and "B is below
    A".
    """
    left, right = small_words(a), small_words(b)
    if left.periods and right.periods and not left.periods.keys() & right.periods.keys():
        yield GuardFinding("period", _told(left.periods), _told(right.periods))
    opposites = _opposites(alignment)
    if swap is not None and not opposites:
        yield GuardFinding("role", *swap)
    if alignment.closeness < _ALIKE_ENOUGH_TO_DENY:
        return
    denied = _turns(left.negations) != _turns(right.negations)
    if denied and any(_meet(alignment, x, y) for x, y in opposites):
        return
    if denied:
        yield GuardFinding("negation", ", ".join(left.negations), ", ".join(right.negations))
    if alignment.closeness < _BUILT_ALIKE:
        return
    if opposites and swap is None:
        yield GuardFinding("antonym", *opposites[0])
    yield from _class_findings("quantifier", left.quantifiers, right.quantifiers)
    yield from _class_findings("qualifier", left.qualifiers, right.qualifiers)


def _class_findings(
    guard: str, left: Mapping[str, Sequence[str]], right: Mapping[str, Sequence[str]]
) -> Iterator[GuardFinding]:
    changed = [name for name in {**left, **right} if len(left.get(name, ())) != len(right.get(name, ()))]
    if changed:
        yield GuardFinding(
            guard, *(", ".join(w for name in changed for w in side.get(name, ())) for side in (left, right))
        )


def _turns(negations: Sequence[str]) -> int:
    """Count denials; a second one of the kind of "without" takes the first one back."""
    backs = sum(bool(lexicon().taking_back.fullmatch(word)) for word in negations)
    plain = len(negations) - backs
    return abs(plain - backs)


def _opposites(alignment: Alignment) -> list[tuple[str, str]]:
    """Return words of each text whose opposite the other has, if neither text has both.

    "None" against "all" is left to the count of denials.
    """
    only_a, only_b = alignment.a.texts - alignment.b.texts, alignment.b.texts - alignment.a.texts
    against, denial = lexicon().opposites, lexicon().negation
    return [
        (x, y)
        for x in sorted(only_a)
        for y in sorted(only_b & (against.get(x, frozenset()) | _denied_forms(x)))
        if not denial.fullmatch(x) and not denial.fullmatch(y)
    ]


def _meet(alignment: Alignment, x: str, y: str) -> bool:
    """Do the two words stand at the same place of the two texts?"""
    return any(
        x in {p.text for p in change.a} and y in {p.text for p in change.b} for change in alignment.changes
    )


def _denied_forms(word: str) -> set[str]:
    """Return the word with a prefix or ending that denies it, or without ("unpaid", "harmless")."""
    if len(word) < 4:
        return set()
    forms = {prefix + word for prefix in _PREFIXES} | {f"{word.removesuffix('ful')}less"}
    forms |= {rest for prefix in _PREFIXES if len(rest := word.removeprefix(prefix)) >= 4} - {word}
    if word.endswith("less"):
        forms |= {word.removesuffix("less"), f"{word.removesuffix('less')}ful"}
    return forms


def _found(classes: Mapping[str, re.Pattern[str]], text: str) -> dict[str, list[str]]:
    hits = {name: pattern.findall(text) for name, pattern in classes.items()}
    return {name: found for name, found in hits.items() if found}


def _told(found: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(word for words in found.values() for word in words)
