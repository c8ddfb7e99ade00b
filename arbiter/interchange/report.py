"""The report of a scan: one self-contained HTML page, without scripts and without anything from elsewhere.

Memory text is data: every text is escaped, and the page's own policy (CSP) lets a browser load nothing
and run nothing, whatever a text might say.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import PurePath

from arbiter.domain.facts import Fact
from arbiter.interchange.report_cards import Card, Case, card, day, judge_name, merges
from arbiter.interchange.report_charts import Slice, named, stacked
from arbiter.interchange.summary import Refusal, Summary

OUTCOME_TONES = {
    "stored": "good",
    "unchanged": "calm",
    "merged": "same",
    "held": "warn",
    "deferred": "soft",
    "refused": "bad",
}
STATE_TONES = {"active": "good", "superseded": "calm", "tombstoned": "bad", "pending": "warn"}
RELATION_TONES = {
    "duplicate": "same",
    "update": "calm",
    "contradiction": "bad",
    "complementary": "good",
    "unrelated": "soft",
}
JUDGE_TONES = {
    "same text": "soft",
    "claim keys": "good",
    "local model": "calm",
    "language model": "same",
    "a person": "bad",
}
"""The colours of what charts show, by name; their order is that in which it is shown."""


@dataclass(frozen=True, slots=True)
class Section:
    """Cases to show, and how many there are in all."""

    total: int = 0
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the page shows. ``at`` is when the scan ended; ``repeated`` are seen most often."""

    summary: Summary
    at: datetime
    queue: Section = Section()
    superseded: Section = Section()
    tombstoned: Section = Section()
    merged: Section = Section()
    repeated: tuple[Fact, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def render_report(report: Report) -> str:
    """Return the page."""
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=PackageLoader("arbiter", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": _count,
        "percent": _percent,
        "day": day,
        "minute": _minute,
        "file_name": _file_name,
    }
    style = resources.files("arbiter").joinpath("assets/report.css").read_text("utf-8")
    queue = [card(case) for case in report.queue.cases]
    return environment.get_template("report.html.j2").render(
        report=report,
        summary=report.summary,
        sources=[_file_name(source) for source in report.summary.sources],
        style=style,
        style_digest=b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        queue=queue,
        jumps=_jumps(queue),
        superseded=[card(case) for case in report.superseded.cases],
        tombstoned=[card(case) for case in report.tombstoned.cases],
        merges=merges(report.merged.cases),
        charts=_charts(report.summary),
        judges=judge_slices(report.summary.judges, sum(report.summary.unjudged.values())),
        most=max((fact.seen_count for fact in report.repeated), default=0),
    )


def _jumps(queue: Sequence[Card]) -> list[tuple[str, str, int]]:
    """Return for each kind of question its name, the card of the first one, and how many are shown."""
    kinds = ["high stakes" if card.high_stakes else card.kind for card in queue]
    return [(kind, queue[kinds.index(kind)].id, kinds.count(kind)) for kind in dict.fromkeys(kinds)]


def _charts(summary: Summary) -> list[tuple[str, str, list[Slice]]]:
    """Return title, explanation and parts of each chart that has something to show."""
    charts = [
        ("Records", "what became of each", stacked(named(summary.outcomes, OUTCOME_TONES))),
        ("Facts", "where they stand in the store now", stacked(named(summary.facts, STATE_TONES))),
        ("Relations", "of the pairs that were judged", stacked(named(summary.relations, RELATION_TONES))),
    ]
    return [chart for chart in charts if chart[2]]


def judge_slices(judges: Mapping[str, int], unjudged: int) -> list[Slice]:
    """Return who judged how many pairs, given their ids, and how many nobody could judge."""
    families: Counter[str] = Counter()
    for judge, count in judges.items():
        families[judge_name(judge)] += count
    tones = JUDGE_TONES | {name: "soft" for name in families if name not in JUDGE_TONES}
    return stacked([*named(families, tones), ("not judged", "warn", unjudged)])


def _count(number: int) -> str:
    return f"{number:,}"


def _percent(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number}\N{NO-BREAK SPACE}%"


def _minute(moment: datetime) -> str:
    return f"{day(moment)}, {moment.astimezone(UTC):%H:%M} UTC"


def _file_name(source: str) -> str:
    """Return how a source is called on the page: folders are nobody's business who is sent it."""
    return "standard input" if source == "-" else PurePath(source).name
