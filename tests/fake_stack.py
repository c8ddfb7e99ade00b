"""A whole arbiter on fakes around any judge, as the evals put one around the judge that they measure."""

from __future__ import annotations

from dataclasses import replace

from arbiter.pipeline.context import Context, Limits
from arbiter.ports import Judge
from arbiter.testing_store import MemoryStore
from tests.factories import day
from tests.unit.pipeline.conftest import context_on


def around(judge: Judge) -> Context:
    """Return a context with an empty store: what shares a subject, a name or most words is judged."""
    late = day(10_000)
    made = context_on(MemoryStore(lambda: late), judge)
    return replace(made, clock=lambda: late, limits=Limits(near=-1.0, nearer=0.75, crowd=1000))
