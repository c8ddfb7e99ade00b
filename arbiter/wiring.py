"""The composition root: the only place that knows every adapter, and the only one with a clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arbiter.adapters.policy_file import load_policy
from arbiter.errors import ConfigurationError
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes

if TYPE_CHECKING:
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.domain.policy import Policy
    from arbiter.judges.local import LocalJudge
    from arbiter.ports import (
        Embedder,
        Guard,
        Judge,
        VectorIndex,
    )
    from arbiter.settings import Settings

DEFAULT_EMBEDDING = "all-MiniLM-L6-v2"
# Where no judge reads texts, every pair that is looked at waits for a person, so only close ones are.
NEAR_WITHOUT_READER = 0.6


def now() -> datetime:
    """Return the time by the machine's clock, in UTC."""
    return datetime.now(UTC)


def build(settings: Settings) -> Context:
    """Wire a context from settings. Models are loaded when they are first used, not here.

    Raises:
        ConfigurationError: a file that the settings name has faults, or an extra is missing.
        StoreError: the store cannot be opened.
    """
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.adapters.spacy_entities import SpacyEntities
    from arbiter.adapters.sql_store import SqlStore
    from arbiter.judges.guards import TextGuards

    policy = load_policy(settings.policy_file or "default")
    claim_keys = ClaimKeyRegistry.load(settings.claim_key_files, settings.alias_files)
    guard = TextGuards(claim_keys.canonical_name)
    local = build_local_judge(settings)
    if local is not None:
        policy = with_thresholds(policy, "local", local.thresholds)
    judge = build_judge(settings, policy, claim_keys, guard, local)
    embedder = build_embedder(settings)
    store = SqlStore(settings.database, now)
    return Context(
        store=store,
        embedder=embedder,
        indexes=Indexes(store, embedder, lambda: _new_index(embedder)),
        entities=SpacyEntities(settings.spacy_pipeline, claim_keys.canonical_name),
        claim_keys=claim_keys,
        judge=judge,
        guard=guard,
        policy=policy,
        clock=now,
        limits=limits(settings),
    )


def limits(settings: Settings) -> Limits:
    """Return the limits of the work that the settings give."""
    reads = settings.judge == "local" or (settings.judge != "none" and settings.llm_model is not None)
    near = settings.min_similarity
    if near is None:
        near = Limits().near if reads else NEAR_WITHOUT_READER
    return Limits(
        candidates=settings.max_candidates,
        judged_pairs=settings.max_judged_pairs,
        nearest_related=Limits().nearest_related if reads else 0,
        near=near,
        nearer=max(near, Limits().nearer),
        defer_ambiguous_subjects=settings.on_ambiguous_subject == "defer",
    )


def build_embedder(settings: Settings) -> Embedder:
    """Return the packaged embedder, or one through sentence-transformers for any other model name."""
    if settings.embedding_model == DEFAULT_EMBEDDING:
        from arbiter.adapters.onnx_embedder import OnnxEmbedder

        return OnnxEmbedder(threads=settings.embedding_threads)
    from arbiter.adapters.st_embedder import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(settings.embedding_model)


def build_local_judge(settings: Settings) -> LocalJudge | None:
    """Return the packaged model where the settings ask for it."""
    if settings.judge != "local":
        return None
    from arbiter.judges.local import LocalJudge

    return LocalJudge(threads=settings.embedding_threads)


def with_thresholds(policy: Policy, judge: str, thresholds: Mapping[str, float]) -> Policy:
    """Return the policy with the thresholds that keep a judge to its error budget; the file's own win."""
    known = policy.judges.get(judge, {})
    return replace(policy, judges={**policy.judges, judge: {**thresholds, **known}})


def build_judge(
    settings: Settings,
    policy: Policy,
    claim_keys: ClaimKeyRegistry,
    guard: Guard,
    local: LocalJudge | None = None,
) -> Judge:
    """Return the judges that the settings ask for, cheapest first."""
    from arbiter.judges.cascade import CascadeJudge
    from arbiter.judges.exact import ExactJudge
    from arbiter.judges.keyed import KeyedJudge

    judges: list[Judge] = [ExactJudge()]
    if settings.judge != "llm":
        judges.append(KeyedJudge(claim_keys, guard))
    if local is not None:
        judges.append(local)
    elif settings.judge != "none" and settings.llm_model:
        judges.append(_llm_judge(settings, settings.llm_model))
    return CascadeJudge(judges, policy.least_confidence)


def _llm_judge(settings: Settings, model: str) -> Judge:
    from arbiter.adapters.litellm_client import LitellmClient
    from arbiter.adapters.prompts import load
    from arbiter.judges.budget import CostLedger
    from arbiter.judges.llm import LlmJudge

    key = settings.llm_api_key
    client = LitellmClient(
        model,
        api_base=settings.llm_api_base,
        api_key=key.get_secret_value() if key else None,
        max_attempts=settings.llm_max_attempts,
        request_timeout_s=settings.llm_deadline_s,
    )
    if settings.llm_max_usd is not None and not client.has_price:
        raise ConfigurationError(
            f"llm_max_usd: no price is known for {model}, so a ceiling in dollars would hold nothing back",
            field="llm_max_usd",
        )
    return LlmJudge(
        client,
        load(settings.prompt),
        budget=CostLedger(max_usd=settings.llm_max_usd) if settings.llm_max_usd is not None else None,
        pairs_per_call=settings.llm_pairs_per_call,
        deadline_s=settings.llm_deadline_s,
        concurrency=settings.llm_concurrency,
    )


def _new_index(embedder: Embedder) -> VectorIndex:
    from arbiter.adapters.faiss_index import FaissIndex

    return FaissIndex(embedder.dimension)
