"""Facts: read, traced, searched, forgotten; and every state derived again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from arbiter.domain.facts import iso
from arbiter.domain.vocabulary import State
from arbiter.errors import NotFoundError
from arbiter.interchange.fact_json import fact_json
from arbiter.interchange.receipts import Json, cost_json, decision_json
from arbiter.interchange.record_in import Moment, Name
from arbiter.pipeline.batches import batches
from arbiter.pipeline.read import FactView, views
from arbiter.web.access import Caller, Place, caller, place
from arbiter.web.idempotency import OnceRoute, once
from arbiter.web.models.facts import (
    CompiledOut,
    ErasedOut,
    FactsOut,
    FadingListOut,
    HistoryOut,
    HitsOut,
    KnownFactOut,
    SearchIn,
)
from arbiter.web.problems import READING, WRITING, documented
from arbiter.web.service import Service, service_of

router = APIRouter(tags=["facts"], route_class=OnceRoute)
FactId = Annotated[str, Path(pattern=r"^fact_[0-9a-f]+$", max_length=100, description="Id of a fact.")]
Served = Annotated[Service, Depends(service_of)]
_MISSING = documented(404)
_BATCH = 500


@router.get("/facts", name="list", summary="List facts", responses={**READING, **_MISSING})
async def list_facts(
    at: Annotated[Place, Depends(place("read"))],
    service: Served,
    state: Annotated[
        Literal[State.ACTIVE, State.SUPERSEDED, State.TOMBSTONED, State.PENDING, "all"],
        Query(description="Only facts that stand so."),
    ] = State.ACTIVE,
    subject: Annotated[Name | None, Query(description="Only facts about this; aliases are resolved.")] = None,
    as_of: Annotated[
        Moment | None,
        Query(
            description="As they stood by what had been observed up to this time, in ISO 8601 with a zone."
        ),
    ] = None,
    after: Annotated[str | None, Query(max_length=100, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Facts of a page, at most.")] = 100,
) -> FactsOut:
    """List facts, oldest first, page by page: the active ones, unless said otherwise."""
    wanted = None if state == "all" else state

    def read() -> FactsOut:
        arbiter = service.arbiter
        if as_of is None:
            found = _views(at.namespace, wanted, after, service, limit)
        else:
            found = _behind(after, arbiter.facts(namespace=at.namespace, state=wanted, as_of=as_of))
        if subject is not None:
            named = arbiter.context.claim_keys.canonical_name
            name = named(subject)
            found = (view for view in found if view.fact.subject and named(view.fact.subject) == name)
        page = list(islice(found, limit + 1))
        more = page[limit - 1].fact.id if len(page) > limit else None
        return FactsOut.model_validate({"facts": [_json(view) for view in page[:limit]], "next": more})

    return await service.run(read)


@router.get("/facts/unseen", summary="List facts to look at again", responses=READING)
async def unseen(at: Annotated[Place, Depends(place("read"))], service: Served) -> FadingListOut:
    """List current facts that nobody said for long, or that a source which still speaks stopped saying."""

    def read() -> FadingListOut:
        found = service.arbiter.unseen(namespace=at.namespace)
        told = [{**_json(view), "silent_sources": list(view.silent_sources)} for view in found]
        return FadingListOut.model_validate({"facts": told})

    return await service.run(read)


@router.get("/facts/{fact_id}", summary="Read one fact", responses={**READING, **_MISSING})
async def show(
    fact_id: FactId, at: Annotated[Place, Depends(place("read"))], service: Served
) -> KnownFactOut:
    """Tell what a fact says, where it stands, who said it, and the decisions that are in force about it."""

    def read() -> KnownFactOut:
        view = service.arbiter.fact(fact_id, namespace=at.namespace)
        decisions = service.arbiter.context.store.decisions(at.namespace, [fact_id])
        listed = [decision_json(decision) for decision in decisions]
        return KnownFactOut.model_validate({**_json(view), "decisions": listed})

    return await service.run(read)


@router.get("/facts/{fact_id}/history", summary="Trace a fact", responses={**READING, **_MISSING})
async def history(
    fact_id: FactId, at: Annotated[Place, Depends(place("read"))], service: Served
) -> HistoryOut:
    """Tell everything that happened to a fact, oldest first."""

    def read() -> HistoryOut:
        entries = service.arbiter.history(fact_id, namespace=at.namespace)
        told = [{"at": iso(entry.at), "kind": entry.kind, "detail": entry.detail} for entry in entries]
        return HistoryOut.model_validate({"fact_id": fact_id, "entries": told})

    return await service.run(read)


@router.delete("/facts/{fact_id}", summary="Erase a fact", responses={**READING, **_MISSING})
async def erase(fact_id: FactId, at: Annotated[Place, Depends(place("admin"))], service: Served) -> ErasedOut:
    """Take the words of a fact out of everything that is kept. It cannot be undone; to repeat it is safe."""
    await service.run(lambda: service.arbiter.erase(fact_id, namespace=at.namespace))
    return ErasedOut(fact_id=fact_id, erased=True)


@router.post("/search", summary="Find facts by meaning", responses=WRITING)
async def search(body: SearchIn, at: Annotated[Place, Depends(place("read"))], service: Served) -> HitsOut:
    """Return the current facts nearest in meaning to a text; those whose validity has ended are left out."""

    def read() -> HitsOut:
        hits = service.arbiter.search(body.text, body.limit, namespace=at.namespace)
        told = [{**fact_json(hit.fact, hit.state), "similarity": hit.similarity} for hit in hits]
        return HitsOut.model_validate({"hits": told})

    return await service.run(read)


@router.post(
    "/compile",
    name="compile",
    summary="Derive every state again",
    dependencies=[Depends(once("admin"))],
    responses={**READING, **documented(409)},
)
async def compile_states(
    who: Annotated[Caller, Depends(caller("admin"))],
    service: Served,
    namespace: Annotated[
        Name | None, Query(description="Only this one; else all that the caller reaches.")
    ] = None,
    *,
    from_scratch: Annotated[
        bool, Query(description="Drop every view first and rebuild it from the log.")
    ] = False,
) -> CompiledOut:
    """Finish what was interrupted, ask again what no judge could tell, and derive every state from the log.

    It is safe at any time: where nothing is left to do, nothing changes.
    """
    only = who.reach(namespace)
    done = await service.run(lambda: service.arbiter.compile(namespace=only, from_scratch=from_scratch))
    return CompiledOut.model_validate(
        {
            "created": done.created,
            "changed": done.changed,
            "resumed": done.resumed,
            "retried": done.retried,
            "cost": cost_json(done.spend),
        }
    )


def _views(
    namespace: str, state: State | None, after: str | None, service: Service, limit: int
) -> Iterator[FactView]:
    context = service.arbiter.context
    for ids in batches(context.store.fact_ids(namespace, state=state, after=after), min(limit + 1, _BATCH)):
        yield from views(namespace, ids, context)


def _behind(after: str | None, found: Iterator[FactView]) -> Iterator[FactView]:
    """Pass over everything up to a fact.

    Raises:
        NotFoundError: it is not among them.
    """
    for view in found if after is not None else ():
        if view.fact.id == after:
            return found
    if after is not None:
        raise NotFoundError(f"no fact {after} stood so then")
    return found


def _json(view: FactView) -> Json:
    return fact_json(view.fact, view.state)
