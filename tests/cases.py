"""Cases for reports: what the policy makes of judged pairs."""

from __future__ import annotations

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.settle import settle
from arbiter.interchange.report_cards import Case
from tests.factories import cluster


def cases(*pairs: JudgedPair, facts: list[Fact]) -> list[Case]:
    """Return the cases that the policy makes of judged pairs, with the questions they leave."""
    settled = settle(cluster(*pairs, facts=facts), load_policy("default"))
    by_id = {fact.id: fact for fact in facts}
    found = {p.key: p.judgement for p in pairs}
    asked: dict[tuple[str, ...], ReviewItem] = {tuple(sorted((r.a, r.b))): r for r in settled.reviews}
    return [Case(by_id[d.a], by_id[d.b], d, found[d.key], asked.get(d.key)) for d in settled.decisions]
