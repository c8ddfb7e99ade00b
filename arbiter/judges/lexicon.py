"""The word lists of the guards, read once from ``assets/guard_words.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Compiled word lists. Patterns read lower-case text with plain apostrophes."""

    function_words: frozenset[str]
    negation: re.Pattern[str]
    taking_back: re.Pattern[str]
    innocent: re.Pattern[str]
    denying: re.Pattern[str]
    quantifiers: Mapping[str, re.Pattern[str]]
    idioms: re.Pattern[str]
    qualifiers: Mapping[str, re.Pattern[str]]
    periods: Mapping[str, re.Pattern[str]]
    opposites: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, frozenset[str]]
    small_words: frozenset[str]
    equivalents: Mapping[str, str]
    function_characters: frozenset[str]
    unspaced_negation: re.Pattern[str]
    unspaced_innocent: re.Pattern[str]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the word lists."""
    words = tomllib.loads(files("arbiter").joinpath("assets/guard_words.toml").read_text(encoding="utf-8"))
    negation, quantifier, unspaced = words["negation"], dict(words["quantifier"]), words["unspaced"]
    idioms = quantifier.pop("idioms")
    groups = [line.split() for line in unspaced["equivalents"].strip().splitlines()]
    return Lexicon(
        function_words=frozenset(words["function_words"].split()),
        negation=_phrases(negation["cues"]),
        taking_back=_phrases(negation["taking_back"]),
        innocent=_phrases(negation["innocent"]),
        denying=_phrases(negation["denying"], end=r"\W*$"),
        quantifiers={name: _phrases(listed) for name, listed in quantifier.items()},
        idioms=_phrases(idioms),
        qualifiers={name: _phrases(listed) for name, listed in words["qualifier"].items()},
        periods={name: _phrases(listed) for name, listed in words["period"].items()},
        opposites=_opposites(words["antonyms"]["pairs"]),
        synonyms=_synonyms(words["synonyms"]["groups"]),
        small_words=_single_words(
            [negation["cues"], *words["quantifier"].values(), *words["qualifier"].values()]
        ),
        equivalents={spelling: group[0] for group in groups for spelling in group[1:]},
        function_characters=frozenset(unspaced["function_characters"]),
        unspaced_negation=_substrings(unspaced["negation"]),
        unspaced_innocent=_substrings(unspaced["innocent"]),
    )


def _split(listed: str) -> list[str]:
    return sorted((phrase.strip() for phrase in listed.split(";") if phrase.strip()), key=len, reverse=True)


def _phrases(listed: str, *, end: str = r"(?!\w)|(?<=[€$£\s])(?=\d)") -> re.Pattern[str]:
    escaped = (
        re.escape(phrase).replace(r"\*", r"\w+").replace(r"\ \#", r"\s*[€$£]?(?=\d)").replace(r"\ ", r"\s+")
        for phrase in _split(listed)
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(escaped)})(?:{end})")


def _single_words(lists: Iterable[str]) -> frozenset[str]:
    return frozenset(phrase for listed in lists for phrase in _split(listed) if " " not in phrase)


def _synonyms(lines: str) -> dict[str, frozenset[str]]:
    groups = [frozenset(line.split()) for line in lines.strip().splitlines()]
    return {word: frozenset().union(*(g for g in groups if word in g)) for group in groups for word in group}


def _substrings(listed: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, _split(listed))))


def _opposites(lines: str) -> dict[str, frozenset[str]]:
    """Map each word to every word on the other side of a line in which it stands."""
    against: dict[str, set[str]] = {}
    for line in lines.strip().splitlines():
        left, right = (side.split() for side in line.split(" / "))
        for word in left:
            against.setdefault(word, set()).update(right)
        for word in right:
            against.setdefault(word, set()).update(left)
    return {word: frozenset(words) for word, words in against.items()}
