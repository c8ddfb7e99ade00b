"""The OpenAPI document: what FastAPI finds out on its own, and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from arbiter.web.problems import MEDIA_TYPE

TAGS = {
    "records": "Records in, receipts out.",
    "classify": "How two records relate, without a store.",
    "facts": "What is kept, and what it was made of.",
    "reviews": "What must not be guessed waits here for people.",
    "decisions": "What was decided about pairs of facts, and taking it back.",
    "policy": "The rules that decide.",
    "operations": "For those who run the service.",
}
_FACT = {"fact_id": "$response.body#/receipts/0/fact_id"}
_LISTED = {"fact_id": "$response.body#/facts/0/fact_id"}
_REVIEW = {"review_id": "$response.body#/items/0/id"}
LINKS: Mapping[tuple[str, str], Mapping[str, Mapping[str, str]]] = {
    ("records_submit", "200"): {
        "facts_show": _FACT,
        "facts_history": _FACT,
        "records_receipt": {"receipt_id": "$response.body#/receipts/0/receipt_id"},
    },
    ("facts_list", "200"): {"facts_show": _LISTED, "facts_history": _LISTED, "facts_erase": _LISTED},
    ("facts_show", "200"): {"decisions_show": {"decision_id": "$response.body#/decisions/0/id"}},
    ("decisions_show", "200"): {"decisions_undo": {"decision_id": "$response.body#/id"}},
    ("reviews_list", "200"): {"reviews_show": _REVIEW},
    ("reviews_show", "200"): {
        "reviews_claim": {"review_id": "$response.body#/id"},
        "reviews_comment": {"review_id": "$response.body#/id"},
        "reviews_rule": {"review_id": "$response.body#/id"},
        "reviews_undo": {"ruling_id": "$response.body#/holding"},
    },
    ("reviews_rule", "200"): {"reviews_undo": {"ruling_id": "$response.body#/ruling/id"}},
}
"""Where the answer of one operation leads to another: (operation, status) to operations and parameters."""


def operation_id(route: APIRoute) -> str:
    """Name an operation by its subject and its function, such as ``facts_show``."""
    return "_".join([*map(str, route.tags), route.name])


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an app."""
    made = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        license_info=app.license_info,
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )
    for methods in made["paths"].values():
        for operation in methods.values():
            operation["responses"] = _responses(operation)
    return made


def _responses(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Order responses by status, give problems their media type, and add the links."""
    found: dict[str, Any] = dict(sorted(operation["responses"].items()))
    for status, response in found.items():
        if status >= "400" and "application/json" in response.get("content", {}):
            response["content"] = {MEDIA_TYPE: response["content"]["application/json"]}
        links = LINKS.get((operation["operationId"], status))
        if links:
            response["links"] = {
                target: {"operationId": target, "parameters": dict(parameters)}
                for target, parameters in links.items()
            }
    return found
