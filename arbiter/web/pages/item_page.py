"""One item as a page: both sides, what is known about them, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import Response

from arbiter.domain.evidence import Verdict
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.rulings import in_effect
from arbiter.interchange.word_marks import Run, word_marks
from arbiter.web.pages import visible
from arbiter.web.pages.neighbours import neighbours
from arbiter.web.pages.render import page
from arbiter.web.pages.shell import shell, told

if TYPE_CHECKING:
    from arbiter.domain.facts import Sighting
    from arbiter.pipeline.read import FactView
    from arbiter.pipeline.review_view import ReviewView
    from arbiter.web.pages.desk import Desk

SHOWN_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two statements. ``hidden`` lists its hidden characters; ``more`` the older sources."""

    letter: str
    when: str
    view: FactView
    runs: Sequence[Run]
    hidden: Sequence[str]
    sources: Sequence[Sighting]
    more: Sequence[Sighting]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why what was sent did not come into force, and what it was, so that nothing typed is lost.

    ``where`` names the field to blame, ``invented`` what a merged text names and neither side does.
    """

    title: str
    detail: str
    where: str | None = None
    invented: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


def item_page(
    review_id: str,
    at: Desk,
    *,
    status: int = 200,
    refused: Refused | None = None,
    done: str | None = None,
    back: str | None = None,
) -> Response:
    """Return the page of an item. ``done`` is the ruling made last, ``back`` the one taken back.

    Raises:
        NotFoundError: the namespace has no such item.
    """
    view = at.reviews.view(review_id, namespace=at.namespace)
    return page(
        "item.html.j2",
        status=status,
        shell=shell("item", at),
        view=view,
        item=view.queued.item,
        sides=_sides(view),
        verdict=view.judgement if isinstance(view.judgement, Verdict) else None,
        merge_text=_merge_text(view),
        around=neighbours(view.queued, at.query(), at.namespace, at.store, view.now),
        is_open=view.queued.status is not ReviewStatus.CLOSED,
        blocked=view.claimant not in (None, at.me),
        mine=view.claimant == at.me,
        holding={ruling.id for ruling in in_effect(view.rulings)},
        refused=refused,
        done=told(done, at),
        back=told(back, at),
    )


def _sides(view: ReviewView) -> tuple[Side, Side]:
    runs = word_marks(view.a.fact.content, view.b.fact.content)
    first, second = view.a.fact.first_seen, view.b.fact.first_seen
    words = ("Earlier", "Later") if first < second else ("Later", "Earlier") if second < first else ("", "")
    return (
        _side("A", words[0], view.a, runs[0]),
        _side("B", words[1], view.b, runs[1]),
    )


def _side(letter: str, when: str, view: FactView, runs: Sequence[Run]) -> Side:
    newest = sorted(view.fact.sightings, key=lambda sighting: sighting.last_seen, reverse=True)
    return Side(
        letter=letter,
        when=when,
        view=view,
        runs=runs,
        hidden=visible.hidden(view.fact.content),
        sources=newest[:SHOWN_SOURCES],
        more=newest[SHOWN_SOURCES:],
    )


def _merge_text(view: ReviewView) -> str:
    """Return where the writing of one text for both starts: what was proposed, else the longer side."""
    return view.queued.item.proposal or max((view.b.fact.content, view.a.fact.content), key=len)
