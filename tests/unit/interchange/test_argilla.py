"""Reviews as records of Argilla, and its responses back in; the files are those of a real one."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arbiter.api import Arbiter
from arbiter.domain.vocabulary import Relation
from arbiter.interchange.annotations import CONTROLS
from arbiter.interchange.review_answers import RELATIONS, RULINGS, RulingFault
from arbiter.interchange.review_files import export_open, read_rulings
from arbiter.interchange.review_import import apply_rulings
from tests.exchange_cases import HOSTILE, PROPOSED, REVIEWS, SAME, SIDES, UNJUDGED, asking, views

FILES = Path(__file__).parents[2] / "data" / "annotation_tools"
A, B = SIDES[0]
BOUND = {
    "namespace": "default",
    "a_id": A.id,
    "a_digest": A.digest,
    "b_id": B.id,
    "b_digest": B.digest,
}
UNSAID = "do not say which of them were submitted; export with to_list(flatten=True)"


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter that asks about every case."""
    with asking() as opened:
        yield opened


def users() -> dict[str, str]:
    """Return who the users of the real Argilla were, by id."""
    named = json.loads((FILES / "argilla_users.json").read_text("utf-8"))
    return {user: name for name, user in named.items()}


def nested(status: str, *responses: tuple[str, str, str, str | None]) -> io.BytesIO:
    """Return the first case as a nested record with responses: question, user, value, status."""
    by_question: dict[str, list[dict[str, str]]] = {}
    for question, user, value, state in responses:
        said = {"value": value, "user_id": user} | ({"status": state} if state else {})
        by_question.setdefault(question, []).append(said)
    record = {
        "id": REVIEWS[0],
        "fields": {"a": "x"},
        "metadata": BOUND,
        "suggestions": {"relation": {"value": "contradiction", "score": 0.5, "agent": "test"}},
        "responses": by_question,
        "status": status,
    }
    return io.BytesIO(json.dumps([record]).encode())


def told(stream: io.BytesIO, **fields: Any) -> list[tuple[object, ...]]:
    """Return reviewer and ruling of what is read, or field and message."""
    return [
        (found.field, found.message)
        if isinstance(found, RulingFault)
        else (found.reviewer, found.answer and (found.answer.kind.value, found.answer.relabel))
        for found in read_rulings(stream, "argilla", **fields)
    ]


def test_the_settings_are_those_that_argilla_took() -> None:
    """If they are changed, they have to be put before the real one again: see the README beside the file."""
    assert "".join(export_open((), "argilla-settings")) == (FILES / "argilla_settings.json").read_text(
        "utf-8"
    )


def test_the_settings_ask_for_every_ruling_and_relation() -> None:
    """Questions are those that are read back, one name stands for one thing, and nothing is markup."""
    settings = json.loads("".join(export_open((), "argilla-settings")))
    questions = {question["name"]: question["settings"] for question in settings["questions"]}
    assert tuple(questions) == CONTROLS
    assert sorted(option["value"] for option in questions["ruling"]["options"]) == sorted(RULINGS)
    assert tuple(option["value"] for option in questions["relation"]["options"]) == RELATIONS
    names = [part["name"] for parts in ("fields", "questions", "metadata") for part in settings[parts]]
    assert len(names) == len(set(names))
    assert [part["settings"]["use_markdown"] for part in settings["fields"]] == [False] * 4


def test_records_are_those_that_argilla_took(arbiter: Arbiter) -> None:
    """Texts go out as they are; the verdict is a suggestion by its judge, with its confidence."""
    records = {r["id"]: r for r in json.loads("".join(export_open(views(arbiter), "argilla")))}
    taken = {r["id"]: r for r in json.loads((FILES / "argilla_records.json").read_text("utf-8"))}
    for record in (*records.values(), *taken.values()):
        # What the policy says in its own words, and may say otherwise without a change of the format.
        del record["fields"]["question"], record["metadata"]["rule"], record["metadata"]["priority"]
        record["fields"]["about"] = record["fields"]["about"].partition("\nrule ")[0]
    assert records == taken
    assert records[REVIEWS[0]]["fields"]["a"] == A.content
    assert records[SAME]["suggestions"] == {
        "relation": {"value": "duplicate", "score": 0.4, "agent": "test"},
        "text": {"value": PROPOSED, "score": None, "agent": "test"},
    }
    assert records[UNJUDGED]["suggestions"] == {}


def test_what_argilla_exports_becomes_rulings(arbiter: Arbiter) -> None:
    """Of two who agree one rules, of two who do not neither; drafts and discarded ones are no answers."""
    with (FILES / "argilla_flat.json").open("rb") as stream:
        rulings = read_rulings(stream, "argilla", users=users())
    done = list(apply_rulings("default", rulings, arbiter.context.store, arbiter.review))
    assert sorted((line.review_id or "", line.status.value, line.field) for line in done) == sorted(
        [
            (SAME, "applied", None),
            (REVIEWS[3], "applied", None),
            (REVIEWS[2], "applied", None),
            (REVIEWS[4], "invalid", "reason"),
            (REVIEWS[1], "disputed", "ruling"),
            (REVIEWS[1], "disputed", "ruling"),
            (REVIEWS[0], "applied", None),
            (REVIEWS[0], "already_settled", None),
            (UNJUDGED, "applied", None),
        ]
    )
    kept = {(r.reviewer, r.kind.value, r.relabel) for r in arbiter.context.store.rulings("default")}
    assert kept == {
        ("kim", "merge", None),
        ("kim", "relabel", Relation.DUPLICATE),
        ("lee", "needs_context", None),
        ("kim", "keep_b", None),
        ("lee", "keep_both", None),
    }
    (relabel,) = (r for r in arbiter.context.store.rulings("default") if r.relabel)
    assert relabel.reason == HOSTILE[3].strip()
    assert [c.text for c in arbiter.review.view(REVIEWS[3]).comments] == [HOSTILE[1]]


def test_the_nested_form_is_read_as_far_as_it_says_who_submitted() -> None:
    """A record that its one user completed is an answer; where there are several it is not said which."""
    with (FILES / "argilla_nested.json").open("rb") as stream:
        found = read_rulings(stream, "argilla", users=users())
    ruled = {line.review_id for line in found if not isinstance(line, RulingFault)}
    assert ruled == {SAME, REVIEWS[3]}
    faults = {line.review_id: (line.field, line.message) for line in found if isinstance(line, RulingFault)}
    assert faults == {
        REVIEWS[0]: ("responses", UNSAID),
        REVIEWS[1]: ("responses", UNSAID),
        REVIEWS[2]: ("responses", UNSAID),
        REVIEWS[4]: ("reason", "a skip has a reason"),
        UNJUDGED: ("responses", UNSAID),
    }


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (nested("completed", ("ruling", "u1", "keep_a", None)), [("argilla:u1", ("keep_a", None))]),
        (nested("pending", ("ruling", "u1", "keep_a", None)), [("responses", UNSAID)]),
        (nested("pending", ("ruling", "u1", "keep_a", "submitted")), [("argilla:u1", ("keep_a", None))]),
        (nested("completed", ("ruling", "u1", "keep_a", "draft")), []),
        (
            nested(
                "completed", ("ruling", "u1", "keep_a", "submitted"), ("ruling", "u2", "keep_b", "discarded")
            ),
            [("argilla:u1", ("keep_a", None))],
        ),
        # What was suggested, and left, is no answer.
        (
            nested("completed", ("ruling", "u1", "keep_a", None), ("relation", "u1", "contradiction", None)),
            [("argilla:u1", ("keep_a", None))],
        ),
        (
            nested("completed", ("ruling", "u1", "keep_a", None), ("relation", "u1", "update", None)),
            [("relabel", "only a relabel has a relation")],
        ),
        (
            nested("completed", ("ruling", "u1", "keep_a", None), ("ruling", "u1", "keep_b", None)),
            [("ruling", "one user answered it twice")],
        ),
        (nested("completed"), []),
    ],
)
def test_only_what_was_submitted_counts(stream: io.BytesIO, expected: list[tuple[object, ...]]) -> None:
    """A status that is said is taken at its word, one that is not is never guessed."""
    assert told(stream) == expected


def test_users_may_be_named() -> None:
    """Who is not named may not answer, once anybody is."""
    record = nested("completed", ("ruling", "u1", "keep_a", "submitted")).getvalue()
    assert told(io.BytesIO(record), users={"u1": "kim"}) == [("kim", ("keep_a", None))]
    refused = [("reviewer", "user u1 is none of those who were named")]
    assert told(io.BytesIO(record), users={"u2": "lee"}) == refused


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"ruling.responses.users": ["u1", "u2"]},
            ("ruling", "does not say whose its responses are, and of what status"),
        ),
        (
            {"ruling.responses.status": None},
            ("ruling", "does not say whose its responses are, and of what status"),
        ),
        ({"ruling.responses": "keep_a"}, ("ruling.responses", "is not a list")),
        ({"ruling.responses": [3]}, ("ruling", "is not text")),
        ({"a_digest": None}, ("a_digest", "is missing")),
        ({"id": None}, ("review_id", "is missing")),
    ],
)
def test_a_fault_leaves_the_others(changed: dict[str, object], fault: tuple[str, str]) -> None:
    """What cannot be read is told; the next record is read, also where there is one a line."""
    flat = {
        "id": REVIEWS[0],
        **BOUND,
        "ruling.responses": ["keep_a"],
        "ruling.responses.users": ["u1"],
        "ruling.responses.status": ["submitted"],
        "reason.responses": None,
    }
    lines = f"{json.dumps(flat | changed)}\n{json.dumps(flat)}\n".encode()
    assert told(io.BytesIO(lines)) == [fault, ("argilla:u1", ("keep_a", None))]
    array = f"[{json.dumps(flat | changed)}, 7, {json.dumps(flat)}]".encode()
    assert told(io.BytesIO(array))[1] == (None, "a record is a JSON object")
