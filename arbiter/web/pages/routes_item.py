"""One item: looked at, ruled, and rulings taken back."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from arbiter.domain.outcomes import review_id as id_of
from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import DependentDecisionError, RequestError
from arbiter.web.pages.desk import AtDesk, Desk, Done, ReviewId, RulingId
from arbiter.web.pages.filters import HOME
from arbiter.web.pages.forms import sent
from arbiter.web.pages.item_page import item_page
from arbiter.web.pages.neighbours import following
from arbiter.web.pages.page_route import PageRoute
from arbiter.web.pages.refusals import or_again
from arbiter.web.pages.render import go, page
from arbiter.web.pages.shell import shell

router = APIRouter(prefix=HOME, include_in_schema=False, route_class=PageRoute)


@router.get("/items/{review_id}")
async def show(review_id: ReviewId, at: AtDesk, done: Done = None, back: Done = None) -> Response:
    """Show an item."""
    return await at.service.run(lambda: item_page(review_id, at, done=done, back=back))


@router.post("/items/{review_id}/ruling")
async def rule(request: Request, review_id: ReviewId, at: AtDesk) -> Response:
    """Put a ruling into force and go on to the next item."""
    fields = await sent(request)

    def write() -> Response:
        ruled = at.reviews.answer(review_id, _answer(fields, at.me), namespace=at.namespace)
        found = at.store.queued(at.namespace, [review_id])[review_id]
        onward = following(found, at.query(free=True), at.namespace, at.store, at.now())
        done = ruled.ruling.id
        return go(at.chosen.item(onward, done=done) if onward else at.chosen.to(done=done))

    return await at.service.run(lambda: or_again(write, review_id, at, fields))


@router.post("/rulings/{ruling_id}/undo")
async def undo(request: Request, ruling_id: RulingId, at: AtDesk) -> Response:
    """Take a ruling back and show the item again; with ``cascade``, what rests on it as well."""
    cascade = (await sent(request)).get("cascade") == "1"

    def write() -> Response:
        ruling = at.store.ruling(at.namespace, ruling_id)
        which = id_of(ruling.a, ruling.b)

        def take_back() -> Response:
            at.reviews.undo(ruling_id, reviewer=at.me, namespace=at.namespace, cascade=cascade)
            return go(at.chosen.item(which, back=ruling_id))

        try:
            return or_again(take_back, which, at, {})
        except DependentDecisionError as error:
            return _dependents(ruling_id, which, error, at)

    return await at.service.run(write)


def _answer(fields: Mapping[str, str], reviewer: str) -> Answer:
    """Return what a form says.

    Raises:
        RequestError: it is none of ours.
    """
    relabel = fields.get("relabel") or None
    kind = RulingKind.RELABEL.value if relabel else fields.get("ruling", "")
    if kind not in set(RulingKind) or relabel not in {None, *Relation}:
        raise RequestError("this is no ruling", field="ruling")
    return Answer(
        kind=RulingKind(kind),
        reviewer=reviewer,
        relabel=Relation(relabel) if relabel else None,
        text=fields.get("text", "") if kind == RulingKind.MERGE else None,
        confirmed=fields.get("confirmed") == "1",
        reason=fields.get("reason", ""),
        seen=(fields.get("digest_a", ""), fields.get("digest_b", "")),
    )


def _dependents(ruling_id: str, which: str, error: DependentDecisionError, at: Desk) -> Response:
    """Show what rests on a ruling, and offer to take all of it back together."""
    resting = [at.store.decision(at.namespace, decision_id) for decision_id in error.dependents]
    facts = at.store.facts(
        at.namespace, sorted({fact_id for decision in resting for fact_id in decision.key})
    )
    return page(
        "dependents.html.j2",
        status=409,
        shell=shell("item", at),
        ruling_id=ruling_id,
        item_id=which,
        resting=[(decision, facts[decision.a], facts[decision.b]) for decision in resting],
    )
