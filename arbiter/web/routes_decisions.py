"""Decisions: read, and taken back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from arbiter.interchange.policy_json import state_json
from arbiter.interchange.receipts import decision_json
from arbiter.web.access import Place, place
from arbiter.web.idempotency import OnceRoute, once
from arbiter.web.models.decisions import KeptDecisionOut, UndoIn
from arbiter.web.models.shared import ChangedOut
from arbiter.web.problems import READING, WRITING, documented
from arbiter.web.service import Service, service_of

router = APIRouter(tags=["decisions"], route_class=OnceRoute)
DecisionId = Annotated[str, Path(pattern=r"^dec_[0-9a-f]+$", max_length=100, description="Id of a decision.")]
_DEFAULTS = UndoIn()


@router.get("/decisions/{decision_id}", summary="Read a decision", responses={**READING, **documented(404)})
async def show(
    decision_id: DecisionId,
    at: Annotated[Place, Depends(place("read"))],
    service: Annotated[Service, Depends(service_of)],
) -> KeptDecisionOut:
    """Tell what was decided about a pair of facts, by which rule, and whether it is in force."""

    def read() -> KeptDecisionOut:
        store = service.arbiter.context.store
        decision = store.decision(at.namespace, decision_id)
        standing = {known.id for known in store.decisions(at.namespace, [decision.a])}
        return KeptDecisionOut.model_validate(
            {**decision_json(decision), "in_force": decision.id in standing}
        )

    return await service.run(read)


@router.post(
    "/decisions/{decision_id}/undo",
    summary="Take a decision back",
    dependencies=[Depends(once("review"))],
    responses={**WRITING, **documented(404, 409)},
)
async def undo(
    decision_id: DecisionId,
    at: Annotated[Place, Depends(place("review"))],
    service: Annotated[Service, Depends(service_of)],
    body: UndoIn = _DEFAULTS,
) -> ChangedOut:
    """Take a decision back; it stays so through every compile.

    Where later decisions rest on it nothing is undone and they are named (409), unless `cascade` takes them
    back together.
    """
    changed = await service.run(
        lambda: service.arbiter.undo(
            decision_id,
            reviewer=body.reviewer or at.caller.name,
            namespace=at.namespace,
            cascade=body.cascade,
        )
    )
    return ChangedOut.model_validate({"changed": [state_json(state) for state in changed]})
