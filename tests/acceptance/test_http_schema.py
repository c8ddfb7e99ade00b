"""The service is what its OpenAPI document says, for hundreds of generated requests, right and wrong ones.

No answer is a 5xx, none has a status, a content type or a body that the document does not have, no wrong
request is taken, and none gets in without a key. It is not asked whether everything that is right by the
document is taken: a time in the future, for example, is refused for what it means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import requests
import schemathesis
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, Config, GenerationMode
from schemathesis.generation.stateful import run_state_machine_as_test
from schemathesis.specs.openapi.checks import negative_data_rejection

from arbiter.cli import main
from tests.acceptance.calling import born, calling, lives
from tests.docs.openapi_document import COMMITTED, document
from tests.http_server import http_server

if TYPE_CHECKING:
    from schemathesis.generation.stateful.state_machine import StepInput, StepOutput
    from schemathesis.specs.openapi.schemas import OpenApiSchema

EXAMPLES, STORIES, STEPS = 12, 30, 10
LED_TO_AT_LEAST = 6
NOT_ASKED = [
    "positive_data_acceptance",  # what is right by the document may still be refused for what it means
    "use_after_free",  # of an erased fact the words are gone; its id, its history and its decisions stay
]
PLAIN = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
OPERATIONS = {
    operation["operationId"]: operation
    for methods in json.loads(COMMITTED.read_text("utf-8"))["paths"].values()
    for operation in methods.values()
}
TRIED = [
    (operation_id, mode)
    for operation_id, operation in OPERATIONS.items()
    for mode in GenerationMode
    # Where nothing is sent there is nothing that could be wrong.
    if mode is GenerationMode.POSITIVE or operation.keys() & {"parameters", "requestBody"}
]
BATCHES = {"classify_pairs", "records_stream", "records_submit", "reviews_import"}
"""They answer item by item: a wrong item among right ones is refused alone."""


@schemathesis.serializer("application/x-ndjson")
def lines(_: object, value: object) -> bytes:
    """Write generated text as the body of a stream."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenApiSchema, dict[str, Any]]]:
    """Serve a store with facts, decisions and questions; yield the schema, and how requests get in."""
    database = str(tmp_path_factory.mktemp("schema") / "facts.db")
    scopes = [
        part for scope in ("classify", "submit", "read", "review", "admin") for part in ("--scope", scope)
    ]
    command = ["keys", "create", "schemathesis", "--any-namespace", "--db", database, "--json", *scopes]
    token = json.loads(CliRunner().invoke(main, command, catch_exceptions=False).stdout)["token"]
    with http_server(database=database, min_similarity=0.99) as server, requests.Session() as session:
        with calling(server.url, api_key=token) as client:
            for who in ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hal"):
                moved = [lives("Lisbon", 1, who), lives("Porto", 2, who)]
                client.submit([*moved, born("Faro", 3, who), born("Braga", 4, who, by="chat:2")])
        session.trust_env = False
        schema = schemathesis.openapi.from_dict(document(), config=Config(seed=1))
        schema.config.update(base_url=server.url)
        schema.config.checks.update(excluded_check_names=NOT_ASKED)
        schema.config.generation.update(with_security_parameters=False)
        schema.config.phases.stateful.generation.update(modes=[GenerationMode.POSITIVE])
        yield schema, {"session": session, "headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}


def test_one_call_leads_to_another(reached: tuple[OpenApiSchema, dict[str, Any]]) -> None:
    """The links of the document lead somewhere, and whatever was done before, every answer keeps its word."""
    schema, way = reached
    reached_by_link: set[str] = set()

    class Story(schema.as_state_machine()):  # type: ignore[misc]
        def before_call(self, case: Case[Any]) -> None:
            # All in one namespace, so that one call finds what another one made.
            case.query.pop("namespace", None)

        def get_call_kwargs(self, case: Case[Any]) -> dict[str, Any]:  # noqa: ARG002
            return dict(way)

        def step(self, input: StepInput) -> StepOutput:  # noqa: A002
            output: StepOutput = super().step(input)
            if input.transition is not None and input.is_applied and output.response.status_code < 300:
                reached_by_link.add(input.case.operation.label)
            return output

    run_state_machine_as_test(
        Story, settings=settings(PLAIN, max_examples=STORIES, stateful_step_count=STEPS)
    )
    assert len(reached_by_link) >= LED_TO_AT_LEAST, reached_by_link


@pytest.mark.parametrize(("operation_id", "mode"), TRIED)
def test_every_operation_keeps_its_word(
    operation_id: str, mode: GenerationMode, reached: tuple[OpenApiSchema, dict[str, Any]]
) -> None:
    """Whatever is sent to it by the document, and whatever is sent against it."""
    schema, way = reached

    @settings(PLAIN, max_examples=EXAMPLES)
    @given(case=schema.find_operation_by_id(operation_id).as_strategy(mode))
    def keeps_its_word(case: Case[Any]) -> None:
        excluded: list[Any] | None = [negative_data_rejection] if operation_id in BATCHES else []
        case.call_and_validate(excluded_checks=excluded, **way)

    keeps_its_word()
