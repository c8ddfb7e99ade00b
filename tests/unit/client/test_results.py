"""The types of results are those of the OpenAPI document, key by key and word by word."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from arbiter.client import facts, records, reviews, words
from tests.docs.openapi_document import document

Shape = Any
_NAMES = {
    records.Reason: "ReasonOut",
    records.KeptReceipt: "KeptReceiptOut",
    records.Submitted: "RecordsOut",
    records.Verdicts: "VerdictsOut",
    records.KeptDecision: "KeptDecisionOut",
    facts.KnownFact: "KnownFactOut",
    facts.FadingFact: "FadingOut",
    facts.Hit: "HitOut",
    facts.HistoryEntry: "EntryOut",
    facts.FactState: "StateOut",
    facts.Compiled: "CompiledOut",
    facts.Policy: "PolicyOut",
    facts.Flip: "FlipOut",
    facts.Ready: "Ready",
    reviews.Queued: "QueuedOut",
    reviews.Review: "ReviewOut",
    reviews.ReviewCounts: "CountsOut",
    reviews.Ruled: "RuledOut",
    reviews.Comment: "CommentOut",
    reviews.Imported: "ImportOut",
}
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null", Any: "any"}


@pytest.fixture(scope="module")
def schemas() -> Mapping[str, Any]:
    """Return the schemas of the document."""
    found: Mapping[str, Any] = document()["components"]["schemas"]
    return found


def of_type(hint: Any) -> Shape:
    """Return the shape of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return {name: of_type(value) for name, value in get_type_hints(hint).items()}
    if origin is Literal:
        return frozenset(inner)
    if origin is list:
        return [of_type(inner[0])]
    if origin is dict:
        return ("object", of_type(inner[1]))
    if origin in (Union, types.UnionType):
        return ("any of", frozenset(map(repr, map(of_type, inner))))
    return _PLAIN[hint]


def of_schema(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Shape:
    """Return the shape of a schema."""
    if "$ref" in schema:
        return of_schema(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return ("any of", frozenset(repr(of_schema(one, schemas)) for one in schema["anyOf"]))
    if "properties" in schema:
        return {name: of_schema(value, schemas) for name, value in schema["properties"].items()}
    if "const" in schema or "enum" in schema:
        return frozenset(schema.get("enum") or [schema["const"]])
    return of_plain(schema, schemas)


def of_plain(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Shape:
    """Return the shape of a schema that names one type, or none."""
    if schema.get("type") == "array":
        return [of_schema(schema["items"], schemas)]
    if schema.get("type") == "object":
        more = schema["additionalProperties"]
        return ("object", "any" if more is True else of_schema(more, schemas))
    return schema.get("type", "any")


@pytest.mark.parametrize("hint", _NAMES, ids=lambda hint: hint.__name__)
def test_a_result_is_what_the_service_answers(hint: type, schemas: Mapping[str, Any]) -> None:
    """Nothing is missing, nothing is called otherwise, however deep."""
    named = _NAMES[hint]
    found = {name for name in schemas if name == named or name.endswith(f"__{named}")}
    shapes = [of_schema(schemas[name], schemas) for name in found]
    assert of_type(hint) in shapes


def test_what_can_be_said_is_what_the_service_takes(schemas: Mapping[str, Any]) -> None:
    """The words of rulings and of files."""
    assert of_type(words.Answer) == of_schema(schemas["RulingIn"]["properties"]["ruling"], schemas)
    parameters = {
        (operation["operationId"], parameter["name"]): of_schema(parameter["schema"], schemas)
        for methods in document()["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
    }
    assert of_type(words.OpenForm) == parameters["reviews_export", "format"]
    assert of_type(words.SettledForm) == parameters["reviews_export_rulings", "format"]
    assert of_type(words.ImportForm | None) == parameters["reviews_import", "format"]
    assert of_type(words.State) | {"all"} == parameters["facts_list", "state"]
    assert of_type(words.ReviewStatus) | {"all"} == parameters["reviews_list", "status"]
