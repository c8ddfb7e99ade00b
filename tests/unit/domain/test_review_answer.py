"""What people may answer, and what is refused before anything is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from arbiter.domain.review_answer import MAX_NAME_CHARS, MAX_NOTE_CHARS, MAX_TEXT_CHARS, Answer
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import RequestError
from arbiter.interchange.record_in import MAX_CONTENT_CHARS

KEEP, MERGE = RulingKind.KEEP_A, RulingKind.MERGE


def test_a_merged_text_may_be_as_long_as_any_content() -> None:
    """It becomes the content of a record."""
    assert MAX_TEXT_CHARS == MAX_CONTENT_CHARS


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (KEEP, {}),
        (RulingKind.NEITHER, {"reason": "both are wrong"}),
        (RulingKind.RELABEL, {"relabel": Relation.UPDATE}),
        (MERGE, {"text": "x" * MAX_TEXT_CHARS}),
        (RulingKind.SKIP, {"reason": "not my field"}),
        (RulingKind.NEEDS_CONTEXT, {"reason": " "}),
    ],
)
def test_complete_answers_pass(kind: RulingKind, fields: dict[str, Any]) -> None:
    """Each ruling with what belongs to it is taken."""
    answer = Answer(kind, "ada", **fields)
    answer.check()
    assert answer.kind is kind


@pytest.mark.parametrize(
    ("kind", "fields", "field", "told"),
    [
        (RulingKind.UNDO, {}, "ruling", "answers no question"),
        (RulingKind.RETRACT, {}, "ruling", "answers no question"),
        (RulingKind.RELABEL, {}, "relabel", "a relabel needs a relation"),
        (KEEP, {"relabel": Relation.UPDATE}, "relabel", "only a relabel has a relation"),
        (MERGE, {}, "text", "a merge needs a text"),
        (KEEP, {"text": "one"}, "text", "has a text"),
        (MERGE, {"text": " \n"}, "text", "is blank"),
        (MERGE, {"text": "…!"}, "text", "neither a letter nor a digit"),
        (MERGE, {"text": "x" * (MAX_TEXT_CHARS + 1)}, "text", "8,001 characters"),
        (MERGE, {"text": "a\x00b"}, "text", "NUL"),
        (MERGE, {"text": "a\ud800b"}, "text", "surrogate"),
        (KEEP, {"reviewer": " "}, "reviewer", "is blank"),
        (KEEP, {"reviewer": "x" * (MAX_NAME_CHARS + 1)}, "reviewer", "201 characters"),
        (KEEP, {"reviewer": "\ud800"}, "reviewer", "surrogate"),
        (RulingKind.SKIP, {}, "reason", "a skip has a reason"),
        (RulingKind.SKIP, {"reason": "\t"}, "reason", "a skip has a reason"),
        (KEEP, {"reason": "x" * (MAX_NOTE_CHARS + 1)}, "reason", "4,001 characters"),
        (KEEP, {"reason": "a\x00b"}, "reason", "NUL"),
    ],
)
def test_faults_name_their_field(kind: RulingKind, fields: dict[str, Any], field: str, told: str) -> None:
    """What lacks, does not belong or is no text is refused."""
    with pytest.raises(RequestError, match=told) as caught:
        Answer(kind, **{"reviewer": "ada", **fields}).check()
    assert caught.value.field == field
