"""What the dashboard shows of a namespace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import RulingKind
from arbiter.interchange.agreement import agreement
from arbiter.interchange.report import OUTCOME_TONES, RELATION_TONES, STATE_TONES, judge_slices
from arbiter.interchange.report_charts import Slice, named, stacked
from arbiter.pipeline.review_exchange import settled_pairs
from arbiter.web.pages import words
from arbiter.web.pages.charts import Bar, Columns, Interval, columns, ranked

if TYPE_CHECKING:
    from arbiter.domain.overview import Rulings, Totals, Waited
    from arbiter.domain.review_queue import QueueCounts
    from arbiter.web.pages.desk import Desk

DAYS = 30
"""So many days are shown, today included."""
_AGES = (
    (0, "today", "good"),
    (3, "1 to 3 days", "calm"),
    (7, "4 to 7 days", "same"),
    (30, "8 to 30 days", "warn"),
)
_OLDER = ("longer", "bad")


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Everything on it; what is told by day, and ``spend``, is of the last ``DAYS`` days.

    ``wait`` is the median of the days that questions closed since then had waited; None: none was closed.
    ``instead`` counts what people named in the place of a judge's relation; ``unsaid`` are rulings that say
    nothing about it.
    """

    totals: Totals
    spend: Spend
    wait: float | None
    outcomes: Columns
    costs: Columns
    depth: Columns
    rulings: Columns
    facts: list[Slice]
    relations: list[Slice]
    judges: list[Slice]
    ages: list[Slice]
    kinds: list[Bar]
    answers: list[Bar]
    people: list[Bar]
    agreed: Interval
    agreement: Mapping[str, list[Interval]]
    instead: list[tuple[str, str, int]]
    unsaid: int


def dashboard(at: Desk, counts: QueueCounts) -> Dashboard:
    """Read and count everything."""
    overview = at.store.overview
    today = at.now().astimezone(UTC).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    since = datetime.combine(days[0], time(), UTC)
    totals, waits = overview.totals(at.namespace), overview.waits(at.namespace)
    records, rulings = overview.records(at.namespace, since), overview.rulings(at.namespace, since)
    found: Mapping[str, Any] = agreement(settled_pairs(at.namespace, at.service.arbiter.context)).as_json()
    return Dashboard(
        totals=totals,
        spend=sum((record.spend for record in records), Spend()),
        wait=_wait(waits, days[0]),
        outcomes=columns(days, {record.day: record.outcomes for record in records}, OUTCOME_TONES),
        costs=_one(days, {record.day: record.spend.usd for record in records}, "US dollars", "same"),
        depth=_one(days, {day: _open(day, waits) for day in days}, "open questions", "warn"),
        rulings=_one(days, _by_day(rulings), "rulings", "good"),
        facts=stacked(named(totals.states, STATE_TONES)),
        relations=stacked(named(totals.relations, RELATION_TONES)),
        judges=judge_slices(totals.judges, totals.unjudged),
        ages=_ages(today, waits),
        kinds=ranked({words.KINDS.get(kind, kind): count for kind, count in counts.kinds.items()}),
        answers=_answers(rulings),
        people=_people(rulings),
        agreed=_interval("all", found["overall"]),
        agreement={
            "relation": [_interval(name, tally) for name, tally in found["relations"].items()],
            "judge": [_interval(name, tally) for name, tally in found["judges"].items()],
            "month": [_interval(name, tally) for name, tally in found["months"].items()],
        },
        instead=[
            (judged, told, count)
            for judged, names in found["instead"].items()
            for told, count in names.items()
        ],
        unsaid=found["overall"]["silent"],
    )


def _one(days: Sequence[date], amounts: Mapping[date, float], label: str, tone: str) -> Columns:
    return columns(days, {day: {label: amount} for day, amount in amounts.items()}, {label: tone})


def _open(day: date, waits: Iterable[Waited]) -> int:
    """Return how many questions were open at the end of a day."""
    return sum(w.count for w in waits if w.asked <= day and (w.closed is None or w.closed > day))


def _wait(waits: Iterable[Waited], since: date) -> float | None:
    closed = [
        (w.closed - w.asked).days for w in waits if w.closed and w.closed >= since for _ in range(w.count)
    ]
    return median(closed) if closed else None


def _ages(today: date, waits: Iterable[Waited]) -> list[Slice]:
    counted: Counter[str] = Counter()
    for waited in waits:
        if waited.closed is None:
            age = (today - waited.asked).days
            counted[next((name for most, name, _ in _AGES if age <= most), _OLDER[0])] += waited.count
    tones = {name: tone for _, name, tone in _AGES} | dict([_OLDER])
    return stacked(named(counted, tones))


def _by_day(rulings: Iterable[Rulings]) -> dict[date, float]:
    counted: Counter[date] = Counter()
    for some in rulings:
        counted[some.day] += some.count
    return dict(counted)


def _answers(rulings: Iterable[Rulings]) -> list[Bar]:
    counted: Counter[str] = Counter()
    for some in rulings:
        counted[words.ANSWERS[RulingKind(some.kind)]] += some.count
    return ranked(counted)


def _people(rulings: Iterable[Rulings]) -> list[Bar]:
    counted: Counter[str] = Counter()
    for some in rulings:
        counted[some.reviewer] += some.count
    return ranked(counted)


def _interval(label: str, tally: Mapping[str, Any]) -> Interval:
    said = tally["agreed"] + tally["disagreed"]
    return Interval(
        label, tally["share"], tally["low"] or 0.0, 1.0 if tally["high"] is None else tally["high"], said
    )
