"""The whole of arbiter around a judge that is measured: the parts that a user gets, on a store in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.pipeline.context import Context
    from arbiter.ports import Judge
    from arbiter.settings import Settings

NOT_READING = frozenset({"exact", "keyed"})
"""Judges that read no texts: around them, as for a user who has no other, only close pairs are looked at."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Models, policy and registry, loaded once for many judges and stores."""

    settings: Settings
    context: Context

    @classmethod
    def open(cls, settings: Settings) -> Stack:
        """Wire everything as the settings say, with the thresholds of the packaged judge in the policy.

        Raises:
            ConfigurationError: a file that the settings name has faults, or an extra is missing.
        """
        from arbiter.wiring import build

        return cls(settings, build(settings.model_copy(update={"database": ":memory:", "judge": "local"})))

    def around(self, judge: Judge, *, policy: Policy | None = None, reads: bool = True) -> Context:
        """Return a context with this judge and an empty store of its own.

        Args:
            judge: who judges.
            policy: what decides; by default that of the settings.
            reads: does the judge read texts? It decides how far apart two facts may be to be judged.
        """
        from arbiter.adapters.faiss_index import FaissIndex
        from arbiter.adapters.sql_store import SqlStore
        from arbiter.pipeline.index import Indexes
        from arbiter.wiring import limits

        embedder = self.context.embedder
        store = SqlStore(":memory:", self.context.clock)
        near = self.settings.model_copy(update={"judge": "local" if reads else "none"})
        return replace(
            self.context,
            store=store,
            indexes=Indexes(store, embedder, lambda: FaissIndex(embedder.dimension)),
            judge=judge,
            policy=policy or self.context.policy,
            limits=limits(near),
        )
