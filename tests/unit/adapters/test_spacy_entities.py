"""Named things through spaCy: what counts as one name, and how the pipeline is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.adapters.spacy_entities import SpacyEntities
from arbiter.errors import ConfigurationError


@pytest.fixture(scope="module")
def entities() -> SpacyEntities:
    """Return the extractor with the packaged pipeline; its warning about versions is not shown."""
    return SpacyEntities()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Acme Corporation shut down. User works at Acme.", {"acme"}),
        ("She owes Acme Corp 20% of $5m since 3 May, for the first time in two years.", {"acme"}),
        (
            "Deploy of checkout-api to PostgreSQL 16 failed; see INC-4471.",
            {"checkout-api", "inc-4471", "postgresql"},
        ),
        ("QZTA uses Kafka 3.7.", {"kafka", "qzta"}),
        ("Order no. 70418 was shipped by DHL.", {"order 70418", "dhl"}),
        ("Caller Dorota Wilk asked us on 18 November to cancel ticket 5520.", {"dorota wilk", "ticket 5520"}),
        ("Klyne's VPN window shrinks to weekdays.", {"klyne", "vpn"}),
        ("Ferrolane was quoted 38,500 euros.", {"ferrolane"}),
        ("User never eats pork on Fridays.", set()),
        ("2026-03-02 14:00", set()),
    ],
)
def test_names_of_a_text(entities: SpacyEntities, text: str, expected: set[str]) -> None:
    """Names without articles, possessives and company forms; no dates, amounts or generic words."""
    assert entities.extract([text]) == [frozenset(expected)]


def test_a_version_stands_beside_the_plain_name(entities: SpacyEntities) -> None:
    """So that two versions of one product meet."""
    old, new = entities.extract(["He uses Orbita Sync 4 daily.", "He uses Orbita Sync 5 daily."])
    assert "orbita sync" in old & new


def test_words_are_forgotten(entities: SpacyEntities) -> None:
    """A service that reads for weeks does not keep every word it has read."""
    entities.extract(["warm up"])
    strings = entities._language.vocab.strings  # noqa: SLF001  nothing public tells it
    before = len(strings)
    entities.extract(["Zzqxy blarghed frobnicators", "unheardof wordlings"])
    assert len(strings) == before
    assert "frobnicators" not in strings


def test_any_pipeline_of_spacy_will_do(tmp_path: Path) -> None:
    """A folder that spaCy wrote is loaded; names by spelling are found without a recogniser."""
    import spacy

    spacy.blank("de").to_disk(tmp_path / "pipeline")
    entities = SpacyEntities(str(tmp_path / "pipeline"), aliases=lambda name: f"<{name}>")
    assert entities.extract(["wir trafen Ngozi Okafor"]) == [frozenset({"<ngozi okafor>"})]


def test_only_what_the_recogniser_reads_is_computed(entities: SpacyEntities, tmp_path: Path) -> None:
    """Vectors that only the parser would read are left out; where names hang on them they stay."""
    import spacy
    from spacy.pipeline import EntityRecognizer

    entities.extract(["warm up"])
    assert entities._language.pipe_names == ["ner"]  # noqa: SLF001  nothing public tells it
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    parser = {"@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner", "tok2vec": listener}
    language = spacy.blank("en")
    language.add_pipe("tok2vec")
    recogniser = language.add_pipe("ner", config={"model": parser})
    assert isinstance(recogniser, EntityRecognizer)
    recogniser.add_label("ORG")
    language.initialize()
    language.to_disk(tmp_path / "pipeline")
    listening = SpacyEntities(str(tmp_path / "pipeline"))
    assert listening.extract(["wir trafen Ngozi Okafor"])[0] >= {"ngozi okafor"}
    assert listening._language.pipe_names == ["tok2vec", "ner"]  # noqa: SLF001  as above


@pytest.mark.parametrize("name", ["no_such_pipeline", "./no/such/folder", "json", "arbiter.errors"])
def test_a_pipeline_that_is_not_there(name: str) -> None:
    """The message names the pipeline, at the first text."""
    with pytest.raises(ConfigurationError, match=f"there is no spaCy pipeline {name}"):
        SpacyEntities(name).extract(["text"])
