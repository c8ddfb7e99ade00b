"""The composition root: the only place that knows every adapter, and the only one with a clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.adapters.policy_file import load_policy
from arbiter.errors import ConfigurationError
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes
from arbiter.pipeline.retry import RetryPlan

if TYPE_CHECKING:
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.adapters.sql_store import SqlStore
    from arbiter.domain.policy import Policy
    from arbiter.judges.chat import ChatClient
    from arbiter.judges.local import LocalJudge
    from arbiter.ports import Embedder, Guard, Judge, VectorIndexes
    from arbiter.settings import Settings

DEFAULT_EMBEDDING = "all-MiniLM-L6-v2"
# Where no judge reads texts, every pair that is looked at waits for a person, so only close ones are.
NEAR_WITHOUT_READER = 0.6
_MARGIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Instruments:
    """What is put around single judges and the client of the language model, to watch them at work."""

    judge: Callable[[Judge], Judge] = lambda judge: judge
    client: Callable[[ChatClient], ChatClient] = lambda client: client


NONE = Instruments()


def now() -> datetime:
    """Return the time by the machine's clock, in UTC."""
    return datetime.now(UTC)


def build(settings: Settings, instruments: Instruments = NONE) -> Context:
    """Wire a context from settings. Models are loaded when they are first used, not here.

    Raises:
        ConfigurationError: a file that the settings name has faults, or an extra is missing.
        StoreError: the store cannot be opened.
    """
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.adapters.spacy_entities import SpacyEntities
    from arbiter.adapters.sql_store import SqlStore
    from arbiter.judges.guards import TextGuards

    claim_keys = ClaimKeyRegistry.load(settings.claim_key_files, settings.alias_files)
    guard = TextGuards(claim_keys.canonical_name)
    local = build_local_judge(settings)
    policy = policy_in_force(settings, local)
    judge = build_judge(settings, policy, claim_keys, guard, local, instruments)
    embedder = build_embedder(settings)
    store = SqlStore(settings.database, now)
    return Context(
        store=store,
        embedder=embedder,
        indexes=build_indexes(store, embedder),
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
    reads = _asks_local(settings) or asks_llm(settings)
    near = settings.min_similarity
    if near is None:
        near = Limits().near if reads else NEAR_WITHOUT_READER
    # While a language model may still be answering its question is not asked a second time.
    answering = timedelta(seconds=settings.llm_deadline_s if asks_llm(settings) else 0)
    return Limits(
        candidates=settings.max_candidates,
        judged_pairs=settings.max_judged_pairs,
        nearest_related=Limits().nearest_related if reads else 0,
        near=near,
        nearer=max(near, Limits().nearer),
        left_after=Limits().left_after + answering,
        defer_ambiguous_subjects=settings.on_ambiguous_subject == "defer",
    )


def retry_plan(settings: Settings) -> RetryPlan:
    """Return how what no judge could tell is tried again; a question has the time that the settings give."""
    plan = RetryPlan()
    calls = math.ceil(plan.batch / settings.llm_pairs_per_call)
    question = timedelta(seconds=settings.llm_deadline_s * math.ceil(calls / settings.llm_concurrency))
    request = timedelta(seconds=settings.serve_timeout_s)
    return replace(plan, lease=plan.lease + question, abandoned_after=request + question + _MARGIN)


def build_embedder(settings: Settings) -> Embedder:
    """Return the packaged embedder, or one through sentence-transformers for any other model name."""
    if settings.embedding_model == DEFAULT_EMBEDDING:
        from arbiter.adapters.onnx_embedder import OnnxEmbedder

        return OnnxEmbedder(threads=settings.embedding_threads)
    from arbiter.adapters.st_embedder import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(settings.embedding_model)


def build_indexes(store: SqlStore, embedder: Embedder) -> VectorIndexes:
    """Return the indexes of a store: those of its database, if that has any, or else indexes in memory.

    Large ones are also kept beside the file of the store, if it lies in one.
    """
    if store.searches_vectors:
        from arbiter.adapters.pgvector_index import PgVectorIndexes

        return PgVectorIndexes(store, embedder)
    from arbiter.adapters.faiss_index import FaissIndex
    from arbiter.adapters.index_snapshots import SqliteIndexSnapshots

    def new_index() -> FaissIndex:
        return FaissIndex(embedder.dimension)

    path = store.path
    snapshots = SqliteIndexSnapshots(store, path, embedder, new_index) if path else None
    return Indexes(store, embedder, new_index, snapshots)


def build_local_judge(settings: Settings) -> LocalJudge | None:
    """Return the packaged model or the one that the settings name, unless they do without any.

    Raises:
        ConfigurationError: the folder holds no judge.
    """
    if not _asks_local(settings):
        return None
    from arbiter.judges.local import PACKAGED, LocalJudge

    chosen = settings.local_judge
    return LocalJudge(chosen if isinstance(chosen, Path) else PACKAGED, threads=settings.embedding_threads)


def policy_in_force(settings: Settings, local: LocalJudge | None) -> Policy:
    """Return the policy that the settings name, with the thresholds of the local judge, if there is one.

    Raises:
        ConfigurationError: the file has faults.
    """
    policy = load_policy(settings.policy_file or "default")
    return policy if local is None else with_thresholds(policy, "local", local.thresholds)


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
    instruments: Instruments = NONE,
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
    if settings.llm_model and asks_llm(settings):
        judges.append(_llm_judge(settings, settings.llm_model, instruments))
    return CascadeJudge([instruments.judge(judge) for judge in judges], policy.least_confidence)


def _asks_local(settings: Settings) -> bool:
    return settings.judge in {"cascade", "local"} and settings.local_judge != "none"


def asks_llm(settings: Settings) -> bool:
    """Do the settings let a language model judge?"""
    return settings.judge in {"cascade", "llm"} and settings.llm_model is not None


def _llm_judge(settings: Settings, model: str, instruments: Instruments) -> Judge:
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
        instruments.client(client),
        load(settings.prompt),
        budget=CostLedger(max_usd=settings.llm_max_usd) if settings.llm_max_usd is not None else None,
        pairs_per_call=settings.llm_pairs_per_call,
        deadline_s=settings.llm_deadline_s,
        concurrency=settings.llm_concurrency,
    )
