"""What every entity extractor promises, held against the fake and spaCy."""

from __future__ import annotations

import pytest

from arbiter.adapters.spacy_entities import SpacyEntities
from arbiter.domain.canonical import fold_name
from arbiter.ports import EntityExtractor
from arbiter.testing import CapitalisedEntities

ALIASES = {"big blue": "ibm", "krakow": "kraków"}


def aliased(name: str) -> str:
    """Resolve the aliases of these tests."""
    return ALIASES.get(fold_name(name), fold_name(name))


@pytest.fixture(scope="module", params=[CapitalisedEntities, SpacyEntities])
def extractor(request: pytest.FixtureRequest) -> EntityExtractor:
    """Return each implementation in turn."""
    make: type[CapitalisedEntities | SpacyEntities] = request.param
    return make(aliases=aliased)


def test_each_text_has_its_names(extractor: EntityExtractor) -> None:
    """The answers stand in the order of the texts, a text without names has none."""
    found = extractor.extract(
        ["yesterday Ngozi Okafor joined Siemens", "it rained all day", "we met Ngozi Okafor in Lisbon"]
    )
    assert found == [
        frozenset({"ngozi okafor", "siemens"}),
        frozenset(),
        frozenset({"ngozi okafor", "lisbon"}),
    ]


def test_spellings_of_a_name_meet(extractor: EntityExtractor) -> None:
    """Letter case and Unicode form play no part once a name is seen."""
    composed, decomposed = extractor.extract(["she lives in Kraków", "she lives in Krako\u0301w"])
    assert composed == decomposed == frozenset({"kraków"})


def test_aliases_are_resolved(extractor: EntityExtractor) -> None:
    """A name is given as what it stands for."""
    assert extractor.extract(["he left Krakow for good", "he works at Big Blue now"]) == [
        frozenset({"kraków"}),
        frozenset({"ibm"}),
    ]


def test_a_text_reads_the_same_in_any_batch(extractor: EntityExtractor) -> None:
    """Neighbours change nothing."""
    texts = ["we met Ngozi Okafor in Lisbon", "", "the office moved to Berlin", "用户搬到了波尔图"]
    assert extractor.extract(texts) == [extractor.extract([text])[0] for text in texts]


@pytest.mark.parametrize("text", ["", "  ", "\n", "🎂🎂", "…", "3.14", "ب ا", "用户搬到了波尔图", "x" * 8000])
def test_no_text_is_too_odd(extractor: EntityExtractor, text: str) -> None:
    """Any text gives one set, in which no name is empty."""
    (names,) = extractor.extract([text])
    assert all(name.strip() for name in names)


def test_no_texts_have_no_names(extractor: EntityExtractor) -> None:
    """The empty batch is allowed."""
    assert extractor.extract([]) == []
