"""What reads texts and pairs: functions of what is read, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from arbiter.adapters.claim_keys import ClaimKeyRegistry
from arbiter.adapters.spacy_entities import SpacyEntities
from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.errors import ConfigurationError
from arbiter.ports import Embedder, EntityExtractor, Judge, Vectors
from arbiter.settings import Settings
from arbiter.wiring import build_embedder, build_local_judge

_PACKAGES = ("arbiter", "numpy", "onnxruntime", "spacy", "tokenizers")


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a scan; each is read from disk when it is first used.

    ``identity`` names them, and what they are computed with, by versions and digests.
    """

    embedder: Embedder
    entities: EntityExtractor
    local: Judge | None
    identity: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings) -> Models:
        """Return the models that settings name.

        Raises:
            ConfigurationError: a file that they name has faults, or an extra is missing.
        """
        registry = ClaimKeyRegistry.load(settings.claim_key_files, settings.alias_files)
        embedder, local = build_embedder(settings), build_local_judge(settings)
        identity = {name: _version(name) for name in (*_PACKAGES, settings.spacy_pipeline)}
        identity["the embedding model"] = embedder.model_id
        identity["the local judge"] = local.judge_id if local else "none"
        identity["the registry"] = registry.digest
        entities = SpacyEntities(settings.spacy_pipeline, registry.canonical_name)
        return cls(embedder, entities, local, identity)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder.embed``."""
        return self.embedder.embed(texts)

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """See ``EntityExtractor.extract``."""
        return self.entities.extract(texts)

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Let the local judge answer, see ``Judge.judge``."""
        if self.local is None:
            raise ConfigurationError("these settings have no local judge")
        return self.local.judge(pairs)


def _version(package: str) -> str:
    """Return the version of a package; that of a folder is not known."""
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        return "not a package here"
