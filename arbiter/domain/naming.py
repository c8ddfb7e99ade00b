"""Whether two subject names can mean one thing. Names are folded, with their aliases resolved."""

from __future__ import annotations


def differ(one: str, other: str) -> bool:
    """Does each name have a word that the other lacks? "Acme" and "Acme Corp" do not differ."""
    words, others = set(one.split()), set(other.split())
    return not (words <= others or others <= words)


def are_strangers(one: str, other: str) -> bool:
    """Do the names differ so that they cannot be two spellings of one?

    They share no word, or what sets them apart has digits on both sides: "bob smith" and "robert smith" may
    be one person, "printer 12" and "printer 45" are two things.
    """
    words, others = set(one.split()), set(other.split())
    if not differ(one, other):
        return False
    return words.isdisjoint(others) or (_numbered(words - others) and _numbered(others - words))


def _numbered(words: set[str]) -> bool:
    return any(letter.isdigit() for word in words for letter in word)
