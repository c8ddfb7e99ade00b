"""An arbiter on a store in memory and fakes, for tests of scans; the judge knows what the test tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from arbiter.adapters.policy_file import load_policy
from arbiter.api import Arbiter
from arbiter.domain.canonical import fold_name
from arbiter.domain.evidence import GuardFinding, Judgement, RecordPair, Spend, Unjudged
from arbiter.domain.facts import Record
from arbiter.pipeline.context import Context
from arbiter.pipeline.index import Indexes
from arbiter.ports import FactStore
from arbiter.testing import BruteForceIndex, CapitalisedEntities, WordEmbedder
from arbiter.testing_store import MemoryStore
from tests.factories import day

NOW = day(400)
NOT_TOLD = Unjudged("no_judge", "no judge could tell", retryable=False)


@dataclass
class ToldJudge:
    """Knows the relation of the pairs it was told, by their texts, earlier first; asking costs one call."""

    told: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)
    otherwise: Judgement = NOT_TOLD
    judge_id: str = "told"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Return what was told of each pair."""
        answers = [self.told.get((p.a.content, p.b.content), self.otherwise) for p in pairs]
        return answers, Spend(llm_calls=1, prompt_tokens=100 * len(pairs), usd=0.25)


class PlainKeys:
    """Knows no attribute and no alias."""

    def complete(self, record: Record) -> Record:
        """Return the record as it is."""
        return record

    def single_valued(self, claim_key: str) -> bool | None:  # noqa: ARG002
        """Return that nothing is known."""
        return None

    def canonical_name(self, name: str) -> str:
        """Return the folded name."""
        return fold_name(name)


class NoGuard:
    """Finds no difference."""

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def forget(self) -> None:
        """Do nothing: nothing is remembered."""


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
        claim_keys=PlainKeys(),
        judge=ToldJudge(told or {}),
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
