"""Reviews as tasks of Label Studio, and its annotations back in; the files are those of a real one."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from arbiter.api import Arbiter
from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.interchange.annotations import CONTROLS
from arbiter.interchange.review_answers import RELATIONS, RULINGS, ImportedRuling, RulingFault
from arbiter.interchange.review_files import export_open, read_rulings
from arbiter.interchange.review_import import apply_rulings
from tests.exchange_cases import HOSTILE, PROPOSED, REVIEWS, SAME, SIDES, UNJUDGED, asking, views

FILES = Path(__file__).parents[2] / "data" / "annotation_tools"
USERS = {"1": "kim", "2": "lee"}
# What the policy says in its own words, and may say otherwise without a change of the format.
WORDS = ("priority", "question", "rule", "evidence")
A, B = SIDES[0]


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter that asks about every case."""
    with asking() as opened:
        yield opened


def region(name: str, *values: str) -> dict[str, Any]:
    """Return a result as the labelling interface makes it."""
    kind = "choices" if name in ("ruling", "relation", "confirmed") else "textarea"
    value = {"choices" if kind == "choices" else "text": list(values)}
    return {"from_name": name, "to_name": "a", "type": kind, "value": value, "origin": "manual"}


def annotated(*annotations: Any, **data: object) -> io.BytesIO:
    """Return an export of the first case with these annotations."""
    bound = {
        "review_id": REVIEWS[0],
        "a_id": A.id,
        "a_digest": A.digest,
        "b_id": B.id,
        "b_digest": B.digest,
        "relation": "contradiction",
        "proposal": "Both say so.",
        "namespace": "default",
    }
    return io.BytesIO(json.dumps([{"data": bound | data, "annotations": list(annotations)}]).encode())


def by(user: object, *result: dict[str, Any], **fields: object) -> dict[str, object]:
    """Return an annotation."""
    return {"completed_by": user, "was_cancelled": False, "result": list(result), **fields}


def told(stream: io.BytesIO, **fields: Any) -> list[tuple[object, ...]]:
    """Return reviewer and answer of what is read, or field and message."""
    return [
        (found.field, found.message)
        if isinstance(found, RulingFault)
        else (found.reviewer, found.answer and (found.answer.kind, found.answer.relabel, found.answer.text))
        for found in read_rulings(stream, "label-studio", **fields)
    ]


def test_the_configuration_is_the_one_that_label_studio_took() -> None:
    """If it is changed, it has to be put before the real one again: see the README beside the file."""
    assert "".join(export_open((), "label-studio-config")) == (FILES / "label_studio_config.xml").read_text(
        "utf-8"
    )


def test_the_configuration_asks_for_every_ruling_and_relation() -> None:
    """Its controls are those that are read back, and what it shows is what tasks have."""
    tree = ET.fromstring("".join(export_open((), "label-studio-config")))  # noqa: S314  our own
    controls = [tag for tag in tree.iter() if "toName" in tag.attrib]
    assert {tag.attrib["name"] for tag in controls} == set(CONTROLS)
    choices = {tag.attrib["name"]: tuple(c.attrib["value"] for c in tag) for tag in controls if len(tag)}
    assert sorted(choices["ruling"]) == sorted(RULINGS)
    assert choices["relation"] == RELATIONS
    assert {tag.attrib["name"]: tag.attrib["value"] for tag in tree.iter("Text")} == {
        "a": "$a_content",
        "a_about": "$a_about",
        "b": "$b_content",
        "b_about": "$b_about",
        "evidence": "$evidence",
        "comments": "$comments",
    }


def test_tasks_are_those_that_label_studio_took(arbiter: Arbiter) -> None:
    """Texts go out as they are; the verdict is a prediction by its judge, with its confidence."""
    tasks = json.loads("".join(export_open(views(arbiter), "label-studio")))
    taken = json.loads((FILES / "label_studio_tasks.json").read_text("utf-8"))
    for task in (*tasks, *taken):
        for name in WORDS:
            del task["data"][name]
    assert tasks == taken
    first = next(task for task in tasks if task["data"]["review_id"] == SAME)
    assert [(p["model_version"], p["score"]) for p in first["predictions"]] == [("test", 0.4)]
    assert [(r["from_name"], r["value"]) for r in first["predictions"][0]["result"]] == [
        ("relation", {"choices": ["duplicate"]}),
        ("text", {"text": [PROPOSED]}),
    ]
    assert next(task for task in tasks if task["data"]["review_id"] == UNJUDGED)["predictions"] == []


def test_what_label_studio_exports_becomes_rulings(arbiter: Arbiter) -> None:
    """Of two who agree one rules, of two who do not neither; cancelled ones and drafts are no answers."""
    with (FILES / "label_studio_export.json").open("rb") as stream:
        rulings = read_rulings(stream, "label-studio", users=USERS)
    done = list(apply_rulings("default", rulings, arbiter.context.store, arbiter.review))
    assert [(line.review_id, line.status.value, line.field) for line in done] == [
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
    assert done[4].message.endswith("kim says keep_a; lee says relabel update")
    kept = {(r.reviewer, r.kind.value, r.relabel, r.reason) for r in arbiter.context.store.rulings("default")}
    assert kept == {
        ("kim", "merge", None, "one\n<b>fee</b>"),
        ("kim", "relabel", Relation.DUPLICATE, HOSTILE[3].strip()),
        ("lee", "needs_context", None, ""),
        ("kim", "keep_b", None, ""),
        ("lee", "keep_both", None, ""),
    }
    assert [c.text for c in arbiter.review.view(REVIEWS[3]).comments] == [HOSTILE[1]]
    assert [f.fact.content for f in arbiter.facts() if "more" in f.fact.content] == [PROPOSED]


def test_users_are_told_by_the_tool_unless_they_are_named() -> None:
    """An id says which tool it is of; an address stands for itself; who is not named may not answer."""
    keep = region("ruling", "keep_a")
    assert [who for who, _ in told(annotated(by(7, keep)))] == ["label-studio:7"]
    person = {"id": 7, "email": "kim@example.com"}
    assert [who for who, _ in told(annotated(by(person, keep)))] == ["kim@example.com"]
    assert [who for who, _ in told(annotated(by(person, keep)), users={"kim@example.com": "kim"})] == ["kim"]
    refused = [("reviewer", "user 7 is none of those who were named")]
    assert told(annotated(by(7, keep)), users={"8": "lee"}) == refused
    assert told(annotated(by(None, keep))) == [("reviewer", "is missing")]
    assert [who for who, _ in told(annotated(by(None, keep)), reviewer="ann")] == ["ann"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        # What was filled in beforehand, and left, is no answer.
        ([region("ruling", "keep_a"), region("relation", "contradiction")], ("keep_a", None, None)),
        ([region("ruling", "keep_a"), region("text", "Both say so.")], ("keep_a", None, None)),
        ([region("ruling", "merge"), region("text", "Both say so.")], ("merge", None, "Both say so.")),
        ([region("ruling", "merge"), region("text", "One", "Two")], ("merge", None, "One\nTwo")),
        (
            [region("ruling", "relabel"), region("relation", "contradiction")],
            ("relabel", Relation.CONTRADICTION, None),
        ),
        # Controls that a team added are theirs.
        ([region("ruling", "keep_a"), region("mood", "good"), {"type": "relation"}], ("keep_a", None, None)),
    ],
)
def test_results_are_read(result: list[dict[str, Any]], expected: tuple[object, ...]) -> None:
    """A relation goes with a relabel and a text with a merge, whatever the interface had filled in."""
    assert told(annotated(by(1, *result)), users=USERS) == [("kim", expected)]


@pytest.mark.parametrize(
    ("annotation", "fault"),
    [
        (by(1, region("ruling", "keep_a", "keep_b")), ("ruling", "has more than one choice")),
        (
            by(1, region("ruling", "keep_a"), region("relation", "update")),
            ("relabel", "only a relabel has a relation"),
        ),
        (
            by(1, region("ruling", "keep_a"), region("text", "Mine.")),
            ("text", "only a merge has a text"),
        ),
        (by(1, region("relation", "update")), ("ruling", "is empty, though relabel is filled in")),
        (by(1, {**region("ruling"), "value": 3}), ("ruling", "is not a list of texts")),
        (by(1, {**region("ruling"), "value": {"choices": [3]}}), ("ruling", "is not a list of texts")),
        ({"completed_by": 1}, ("result", "has no list of results")),
        (7, ("annotations", "an annotation is a JSON object")),
    ],
)
def test_a_fault_leaves_the_others(annotation: object, fault: tuple[str, str]) -> None:
    """What cannot be read is told; the next person's answer is read."""
    found = told(annotated(annotation, by(2, region("ruling", "keep_b"))), users=USERS)
    assert sorted(found, key=str) == sorted([fault, ("lee", ("keep_b", None, None))], key=str)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            b'[{"ruling": "keep_a", "annotator": 1}]',
            [("data", "is missing; export as JSON, not as JSON-MIN")],
        ),
        (b'[{"data": {}}]', [("annotations", "is missing; export as JSON, not as JSON-MIN")]),
        (b"[3]", [("data", "is missing; export as JSON, not as JSON-MIN")]),
        (b"", [(None, "the file does not begin with a JSON array")]),
        (b"<html>", [(None, "the file does not begin with a JSON array")]),
        (b'[{"data": ', [(None, "not JSON: Expecting value at line 1; the rest of the array was not read")]),
        (b'[{"data": {}, "data": {}}]', [(None, "the key 'data' stands twice in one object")]),
    ],
)
def test_another_file_is_told_as_such(text: bytes, faults: list[tuple[str | None, str]]) -> None:
    """Where the form is another one, the message says what to do."""
    assert told(io.BytesIO(text)) == faults


def test_a_task_without_its_digests_is_no_ruling() -> None:
    """What was shown must be known, or anything could be bound."""
    found = told(annotated(by(1, region("ruling", "keep_a")), b_digest=None), users=USERS)
    assert found == [("b_digest", "is missing")]


def test_one_task_a_line_is_read_too() -> None:
    """Elements are counted, so that a fault can be found in a file of one line as well."""
    lines = annotated(by(1, region("ruling", "neither"))).getvalue()[1:-1] + b"\n"
    first, second = read_rulings(io.BytesIO(lines + lines), "label-studio", users=USERS)
    seen = (A.digest, B.digest)
    answer = Answer(RulingKind.NEITHER, "kim", seen=seen)
    assert first == ImportedRuling(1, REVIEWS[0], A.id, B.id, "kim", answer, namespace="default")
    assert second.line == 2
