"""The service is what its OpenAPI document says, for hundreds of generated requests, right and wrong ones.

No answer is a 5xx, none has a status, a content type or a body that the document does not have, no wrong
request is taken, and none gets in without a key. It is not asked whether everything that is right by the
document is taken: a time in the future, for example, is refused for what it means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
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

    from arbiter.client import Client

EXAMPLES, STORIES, STEPS = 12, 30, 10
LED_TO_AT_LEAST = 7
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


@dataclass(frozen=True)
class Reached:
    """A running service: its schema, how requests get in, and a client with the same key."""

    schema: OpenApiSchema
    way: dict[str, Any]
    client: Client

    def tell(self, namespace: str) -> None:
        """Put a change and a conflict into a namespace: facts, a decision and a question."""
        told = [lives("Lisbon", 1), lives("Porto", 2), born("Faro", 3), born("Braga", 4, by="chat:2")]
        self.client.submit([{**record, "namespace": namespace} for record in told])


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    """Serve a store that has something in it."""
    database = str(tmp_path_factory.mktemp("schema") / "facts.db")
    scopes = [
        part for scope in ("classify", "submit", "read", "review", "admin") for part in ("--scope", scope)
    ]
    command = ["keys", "create", "schemathesis", "--any-namespace", "--db", database, "--json", *scopes]
    token = json.loads(CliRunner().invoke(main, command, catch_exceptions=False).stdout)["token"]
    with (
        http_server(database=database, min_similarity=0.99) as server,
        requests.Session() as session,
        calling(server.url, api_key=token) as client,
    ):
        session.trust_env = False
        schema = schemathesis.openapi.from_dict(document(), config=Config(seed=1))
        schema.config.update(base_url=server.url)
        schema.config.checks.update(excluded_check_names=NOT_ASKED)
        schema.config.generation.update(with_security_parameters=False)
        schema.config.phases.stateful.generation.update(modes=[GenerationMode.POSITIVE])
        way = {"session": session, "headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
        found = Reached(schema, way, client)
        found.tell("default")
        yield found


def test_one_call_leads_to_another(reached: Reached) -> None:
    """The links of the document lead somewhere, and whatever was done before, every answer keeps its word."""
    reached_by_link: set[str] = set()
    numbers = count()

    class Story(reached.schema.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            # Each story begins with the same things, so that it goes the same way when it is told again.
            self.namespace = f"story {next(numbers)}"
            reached.tell(self.namespace)

        def before_call(self, case: Case[Any]) -> None:
            # What one call makes another finds; a key would bring answers from other stories.
            case.headers.pop("Idempotency-Key", None)
            if any(parameter.name == "namespace" for parameter in case.operation.query):
                case.query["namespace"] = self.namespace
            body: Any = case.body
            for record in body["records"] if case.operation.path == "/v1/records" else ():
                record["namespace"] = self.namespace

        def get_call_kwargs(self, case: Case[Any]) -> dict[str, Any]:  # noqa: ARG002
            return dict(reached.way)

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
def test_every_operation_keeps_its_word(operation_id: str, mode: GenerationMode, reached: Reached) -> None:
    """Whatever is sent to it by the document, and whatever is sent against it."""

    @settings(PLAIN, max_examples=EXAMPLES)
    @given(case=reached.schema.find_operation_by_id(operation_id).as_strategy(mode))
    def keeps_its_word(case: Case[Any]) -> None:
        excluded: list[Any] | None = [negative_data_rejection] if operation_id in BATCHES else []
        case.call_and_validate(excluded_checks=excluded, **reached.way)

    keeps_its_word()
