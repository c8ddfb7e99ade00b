"""The policy in force, and what another one would change."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from arbiter.adapters.policy_file import checked_policy
from arbiter.errors import RequestError
from arbiter.interchange.policy_json import flip_json, policy_json
from arbiter.interchange.record_in import Name
from arbiter.web.access import Caller, caller
from arbiter.web.models.policy import DiffOut, PolicyIn, PolicyOut
from arbiter.web.problems import READING, WRITING
from arbiter.web.service import Service, service_of
from arbiter.web.strict import StrictRoute

router = APIRouter(tags=["policy"], route_class=StrictRoute)


@router.get("/policy", summary="Show the policy", responses=READING)
async def show(
    who: Annotated[Caller, Depends(caller("read"))],  # noqa: ARG001  it may do that; no more is needed
    service: Annotated[Service, Depends(service_of)],
) -> PolicyOut:
    """Show the rules in the order in which they are tried, the thresholds, and the digest of the file."""
    return PolicyOut.model_validate(policy_json(service.arbiter.context.policy))


@router.post("/policy/diff", summary="See what another policy would change", responses=WRITING)
async def diff(
    body: PolicyIn,
    who: Annotated[Caller, Depends(caller("admin"))],
    service: Annotated[Service, Depends(service_of)],
    namespace: Annotated[
        Name | None, Query(description="Only this one; else all that the caller reaches.")
    ] = None,
) -> DiffOut:
    """Decide the stored evidence again under another policy. No judge is asked, and nothing is changed."""
    only = who.reach(namespace)

    def read() -> DiffOut:
        policy, faults = checked_policy(body.policy, body.policy.model_dump_json())
        if faults:
            raise RequestError("; ".join(faults), field="policy")
        flips = service.arbiter.policy_diff(policy, namespace=only)
        return DiffOut.model_validate({"facts": [flip_json(flip) for flip in flips]})

    return await service.run(read)
