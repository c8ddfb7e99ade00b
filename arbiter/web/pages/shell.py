"""What stands around every page: who looks, at what, how much is done, and what they did last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from arbiter.domain.outcomes import ReviewItem, Ruling, review_id
from arbiter.domain.rulings import in_effect
from arbiter.errors import NotFoundError

if TYPE_CHECKING:
    from arbiter.domain.facts import Fact
    from arbiter.domain.review_queue import QueueCounts
    from arbiter.web.access import Caller
    from arbiter.web.pages.desk import Desk
    from arbiter.web.pages.filters import Chosen


@dataclass(frozen=True, slots=True)
class Shell:
    """``here`` names the page; ``namespaces`` are those to go to, where there is a choice.

    ``done_today`` counts the rulings of the person on this day in UTC.
    """

    here: str
    who: Caller
    namespace: str
    namespaces: tuple[str, ...]
    chosen: Chosen
    counts: QueueCounts
    done_today: int


@dataclass(frozen=True, slots=True)
class Told:
    """A ruling that was just made or taken back; ``holds``: it can be taken back."""

    ruling: Ruling
    item: ReviewItem
    a: Fact
    b: Fact
    holds: bool


def shell(here: str, at: Desk) -> Shell:
    """Return what stands around a page now."""
    now = at.now()
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    made = at.store.overview.rulings(at.namespace, today)
    caller = at.place.caller
    return Shell(
        here=here,
        who=caller,
        namespace=at.namespace,
        namespaces=tuple(at.store.namespaces()) if caller.namespace is None else (),
        chosen=at.chosen,
        counts=at.store.queue_counts(at.namespace, now),
        done_today=sum(some.count for some in made if some.reviewer == at.me),
    )


def told(ruling_id: str | None, at: Desk) -> Told | None:
    """Return what is to be said about a ruling, as far as the namespace has it."""
    if ruling_id is None:
        return None
    try:
        ruling = at.store.ruling(at.namespace, ruling_id)
    except NotFoundError:
        return None
    which = review_id(ruling.a, ruling.b)
    found = at.store.queued(at.namespace, [which]).get(which)
    if found is None:
        return None
    facts = at.store.facts(at.namespace, ruling.key)
    newest = in_effect(at.store.rulings_on(at.namespace, [ruling.key]))[-1:]
    return Told(ruling, found.item, facts[found.item.a], facts[found.item.b], holds=newest == [ruling])
