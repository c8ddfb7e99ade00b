"""An arbiter on a store in memory and fakes, for tests of scans; the judge knows what the test tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from arbiter.adapters.policy_file import load_policy
from arbiter.api import Arbiter
from arbiter.domain.evidence import Judgement, Spend, Unjudged
from arbiter.pipeline.context import Context
from arbiter.pipeline.index import Indexes
from arbiter.ports import FactStore
from arbiter.testing import (
    BruteForceIndex,
    CapitalisedEntities,
    NoGuard,
    NoKeys,
    TableJudge,
    WordEmbedder,
)
from arbiter.testing_store import MemoryStore
from tests.factories import day

NOW = day(400)
NOT_TOLD = Unjudged("no_judge", "no judge could tell", retryable=False)


class Ticking:
    """A clock that stands still, and can be set forward."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def forward(self, by: timedelta) -> None:
        """Let time pass."""
        self.now += by


def memory_arbiter(
    told: Mapping[tuple[str, str], Judgement] | None = None,
    *,
    store: FactStore | None = None,
    clock: Ticking | None = None,
    defer: bool = False,
) -> Arbiter:
    """Return an arbiter on fakes; its limits defer ambiguous subjects if they are to."""
    policy = load_policy("default")
    now = clock or Ticking()
    chosen = store or MemoryStore(now)
    embedder = WordEmbedder()
    context = Context(
        store=chosen,
        embedder=embedder,
        indexes=Indexes(chosen, embedder, BruteForceIndex),
        entities=CapitalisedEntities(),
        claim_keys=NoKeys(),
        judge=TableJudge(
            told or {}, NOT_TOLD, Spend(llm_calls=1, usd=0.25), Spend(prompt_tokens=100), judge_id="told"
        ),
        guard=NoGuard(),
        policy=policy,
        clock=now,
    )
    return Arbiter(replace(context, limits=replace(context.limits, defer_ambiguous_subjects=defer)))


def raw(
    content: str, *, at: float = 0, source: str = "chat:1", kind: str = "user_stated", **more: Any
) -> dict[str, Any]:
    """Return a record as JSON."""
    identity = {"id": source, "kind": kind}
    if "ref" in more:
        identity["ref"] = more.pop("ref")
    return {"content": content, "source": identity, "observed_at": day(at).isoformat(), **more}


def write_lines(path: Path, records: Sequence[object]) -> Path:
    """Write records as JSON Lines; texts are written as they are."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
