"""The first half of a submission: what a process leaves behind that dies between its two commits."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.pipeline.arrive import Arrived, arrive
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import Draft
from arbiter.pipeline.prepare import prepare


def first_commit(drafts: Sequence[Draft], context: Context, namespace: str = "default") -> Arrived:
    """Let drafts of one namespace arrive, and no more."""
    (ready,) = prepare([(namespace, drafts)], context)
    return arrive(ready, context)
