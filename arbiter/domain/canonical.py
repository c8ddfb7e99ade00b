"""The canonical form of texts and names, and the digests made of it.

Two texts are the same fact when their canonical forms are equal, so the form must fold presentation
and nothing else: Unicode NFC, white space, letter case, and the full stop that ends a sentence.
It keeps every script, sign, digit and negation: "A+" and "A-" stay two things.
Fingerprints of different versions of the form are never compared; the version is part of the digest.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

CANONICAL_VERSION = "c1"

_DIGEST_CHARS = 24
_SENTENCE_END = re.compile(r"(?<=[^\W\d_])\.$")
# Capital dotted I folds to "i" plus a combining dot, and dotless i to itself: a Turkish sentence in
# capitals would never meet its lower-case twin. Folding both to a plain i only ever joins spellings
# of the same letter pair.
_TURKISH_I = ("İ", "ı")


def canonical(text: str) -> str:
    """Fold presentation away from a text; what it says stays."""
    if text.isascii():
        # Whole queues are searched by this form, and of such letters nothing is composed.
        return _without_stop(_spaced(text.lower()))
    composed = unicodedata.normalize("NFC", text)
    for letter in _TURKISH_I:
        composed = composed.replace(letter, "i")
    return _without_stop(_spaced(unicodedata.normalize("NFC", composed.casefold())))


def fold_name(name: str) -> str:
    """Fold the name of a subject, entity or claim key, so that spellings of one name meet.

    Beside the canonical form it reads "Okafor, Ngozi" as "Ngozi Okafor".
    """
    folded = canonical(name)
    family, comma, given = folded.partition(", ")
    return f"{given} {family}" if comma and given and " " not in family else folded


def digest(*parts: str | None) -> str:
    """Return the first 24 hex digits (96 bits) of the SHA-256 of the parts, unambiguously joined."""
    told = CANONICAL_VERSION
    for part in parts:
        told += "\n-" if part is None else f"\n{len(part)}:{part}"
    # A refused record may hold lone surrogates, and its receipt has an id all the same.
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]


def fingerprint(content: str) -> str:
    """Return the identity of what a text says: version and digest of its canonical form."""
    return f"{CANONICAL_VERSION}:{digest(canonical(content))}"


def _spaced(text: str) -> str:
    """Let words stand apart by single spaces. What is printable has no other white space than spaces."""
    return text.strip() if "  " not in text and text.isprintable() else " ".join(text.split())


def _without_stop(text: str) -> str:
    return text[:-1] if text.endswith(".") and _SENTENCE_END.match(text, len(text) - 1) else text


def sorted_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags canonical, sorted and without repeats; their order carries no meaning."""
    return tuple(sorted({canonical(tag) for tag in tags}))
