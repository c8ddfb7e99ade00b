"""The OpenAPI document: it is what was committed, it is complete, and its examples are true."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from arbiter.web.models import decisions, facts, policy, records, review_files, reviews, verdicts
from tests.docs.openapi_document import COMMITTED, document

ROUTES = {
    "GET": ["/healthz", "/readyz", "/v1/facts", "/v1/facts/{fact_id}", "/v1/facts/{fact_id}/history"],
    "POST": [
        "/v1/classify",
        "/v1/compile",
        "/v1/decisions/{decision_id}/undo",
        "/v1/policy/diff",
        "/v1/records",
        "/v1/records/stream",
        "/v1/reviews/import",
        "/v1/reviews/{review_id}/ruling",
        "/v1/search",
    ],
    "DELETE": ["/v1/facts/{fact_id}"],
}
MODULES = (decisions, facts, policy, records, review_files, reviews, verdicts)
MODELS = sorted(
    {
        model
        for module in MODULES
        for _, model in inspect.getmembers(module, inspect.isclass)
        if issubclass(model, BaseModel) and model.__module__ == module.__name__
    },
    key=lambda model: model.__qualname__,
)


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """Return the document."""
    return document()


def operations(made: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and operation of every route."""
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def test_the_committed_document_is_the_one_that_is_served(made: dict[str, Any]) -> None:
    """What callers rely on changes on purpose only: ``python -m tests.docs.openapi_document`` renews it."""
    assert json.loads(COMMITTED.read_text("utf-8")) == made


def test_what_was_promised_is_there(made: dict[str, Any]) -> None:
    """Every route of the outer contract."""
    found = {(method, path) for method, path, _ in operations(made)}
    assert {(method, path) for method, paths in ROUTES.items() for path in paths} <= found


def test_everything_is_described(made: dict[str, Any]) -> None:
    """Operations, parameters, bodies, models: each says what it is for."""
    bare = [
        f"{method} {path}"
        for method, path, operation in operations(made)
        if not (operation.get("summary") and operation.get("description") and operation.get("tags"))
    ]
    bare += [
        f"{method} {path} {parameter['name']}"
        for method, path, operation in operations(made)
        for parameter in operation.get("parameters", ())
        if not parameter.get("description")
    ]
    schemas = made["components"]["schemas"]
    bare += [name for name, schema in schemas.items() if not schema.get("description")]
    assert bare == []


def test_every_error_is_a_problem(made: dict[str, Any]) -> None:
    """No answer of 400 and above has another form."""
    others = [
        (path, status)
        for _, path, operation in operations(made)
        for status, response in operation["responses"].items()
        if status >= "400" and list(response["content"]) != ["application/problem+json"]
    ]
    assert others == []


def test_every_operation_has_a_name_and_links_lead_to_one(made: dict[str, Any]) -> None:
    """Names are what generated clients call their methods."""
    names = [operation["operationId"] for _, _, operation in operations(made)]
    assert len(set(names)) == len(names)
    targets = {
        link["operationId"]
        for _, _, operation in operations(made)
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    }
    assert "facts_show" in targets
    assert targets <= set(names)


def test_bodies_have_examples(made: dict[str, Any]) -> None:
    """Every body of JSON shows one."""
    schemas = made["components"]["schemas"]
    bodies = {
        path: operation["requestBody"]["content"]["application/json"]["schema"]
        for _, path, operation in operations(made)
        if "application/json" in operation.get("requestBody", {}).get("content", {})
        and operation["requestBody"]["content"]["application/json"]["schema"]
    }
    assert "/v1/records" in bodies
    named = {path: schema.get("$ref", "").rpartition("/")[2] for path, schema in bodies.items()}
    assert [path for path, name in named.items() if not schemas.get(name, {}).get("examples")] == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_examples_are_true(model: type[BaseModel]) -> None:
    """An example is a value of its model, with every field that an answer has and no other."""
    extra = model.model_config.get("json_schema_extra")
    examples = extra.get("examples", []) if isinstance(extra, dict) else []
    assert isinstance(examples, list)
    for example in examples:
        value = model.model_validate(example)
        if model.__name__.endswith("Out"):
            assert json.loads(value.model_dump_json()) == example
