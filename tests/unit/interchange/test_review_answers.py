"""What people filled in, checked field by field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.interchange.review_answers import ImportedRuling, RulingFault, parse_answer, undisputed

BOUND = {"review_id": "rev_1", "a_id": "f_1", "a_digest": "d1", "b_id": "f_2", "b_digest": "d2"}
ALL = "keep_a, keep_b, keep_both, neither, merge, relabel, skip, needs_context"
KEEP = Answer(RulingKind.KEEP_A, "kim", seen=("d1", "d2"))
FOUND = ImportedRuling(1, "rev_1", "f_1", "f_2", "kim", KEEP)


def parsed(**given: object) -> ImportedRuling | RulingFault | None:
    """Return what cells answer, by kim unless they say otherwise."""
    return parse_answer(1, {**BOUND, "reviewer": "kim", **given}, "")


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"ruling": " Keep-A "}, KEEP),
        (
            {"ruling": "neither", "reason": " both wrong "},
            replace(KEEP, kind=RulingKind.NEITHER, reason="both wrong"),
        ),
        (
            {"ruling": "relabel", "relabel": "Update"},
            replace(KEEP, kind=RulingKind.RELABEL, relabel=Relation.UPDATE),
        ),
        (
            {"ruling": "merge", "text": "One.", "confirmed": True},
            replace(KEEP, kind=RulingKind.MERGE, text="One.", confirmed=True),
        ),
        (
            {"ruling": "merge", "text": "One.", "confirmed": "No"},
            replace(KEEP, kind=RulingKind.MERGE, text="One."),
        ),
        ({"ruling": "needs context"}, replace(KEEP, kind=RulingKind.NEEDS_CONTEXT)),
        ({"ruling": "skip", "reason": "later"}, replace(KEEP, kind=RulingKind.SKIP, reason="later")),
    ],
)
def test_every_ruling_is_read(given: dict[str, object], answer: Answer) -> None:
    """Words are taken in any letter case, with spaces or hyphens for underscores."""
    assert parsed(**given) == replace(FOUND, answer=answer)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"ruling": "undo"}, "ruling", f"'undo' is none of {ALL}"),
        ({"ruling": "retract"}, "ruling", f"'retract' is none of {ALL}"),
        ({"ruling": "relabel"}, "relabel", "a relabel needs a relation"),
        ({"ruling": "keep_a", "relabel": "update"}, "relabel", "only a relabel has a relation"),
        (
            {"ruling": "relabel", "relabel": "same"},
            "relabel",
            "'same' is none of duplicate, update, contradiction, complementary, unrelated",
        ),
        ({"relabel": "update"}, "ruling", "is empty, though relabel is filled in"),
        ({"text": "One."}, "ruling", "is empty, though text is filled in"),
        ({"ruling": "merge"}, "text", "a merge needs a text"),
        ({"ruling": "keep_a", "text": "One."}, "text", "only a merge has a text"),
        ({"ruling": "merge", "text": "?!"}, "text", "has neither a letter nor a digit"),
        ({"ruling": "merge", "text": "x" * 8001}, "text", "is 8,001 characters; 8,000 are allowed"),
        (
            {"ruling": "merge", "text": "x", "confirmed": "perhaps"},
            "confirmed",
            "'perhaps' is none of yes, true, x, 1, no, false, 0",
        ),
        ({"ruling": "skip"}, "reason", "a skip has a reason"),
        ({"ruling": "keep_a", "reviewer": " "}, "reviewer", "is missing"),
        ({"comment": "hm", "reviewer": None}, "reviewer", "is missing"),
        ({"ruling": "keep_a", "a_digest": None}, "a_digest", "is missing"),
        ({"ruling": 1}, "ruling", "is not text"),
        ({"ruling": "keep_a", "reason": "\x00"}, "reason", "holds a NUL byte"),
        ({"ruling": "keep_a", "reason": "\ud800"}, "reason", "holds a lone surrogate, which is no text"),
        ({"comment": "\ud800"}, "comment", "holds a lone surrogate, which is no text"),
        ({"ruling": "keep_a", "a_id": "f\ud800"}, "a_id", "holds a lone surrogate, which is no text"),
        ({"ruling": "keep_a", "namespace": "a\x00"}, "namespace", "holds a NUL byte"),
        ({"ruling": "\ud800" * 100}, "ruling", "holds a lone surrogate, which is no text"),
    ],
)
def test_a_fault_names_the_field(given: dict[str, object], field: str, message: str) -> None:
    """What cannot be applied is told with its place, not guessed."""
    assert parsed(**given) == RulingFault(1, "rev_1", field, message)


def test_a_fault_can_be_written_whatever_the_file_holds() -> None:
    """An id that is no text, or is very long, does not end up in a report as it is."""
    found = parse_answer(1, {**BOUND, "review_id": "\ud800" + "x" * 100, "ruling": "keep_a"}, "kim")
    assert isinstance(found, RulingFault)
    assert found.review_id == "\\ud800" + "x" * 59
    long = parsed(ruling="x" * 1000)
    assert isinstance(long, RulingFault)
    assert long.message == f"{'x' * 60!r} is none of {ALL}"


def test_nothing_filled_in_is_no_answer() -> None:
    """A reason or a reviewer alone rules nothing; a comment alone is a comment."""
    assert parsed() is None
    assert parsed(reason="hm") is None
    assert parsed(comment="ask the registry") == replace(FOUND, answer=None, comment="ask the registry")


def test_people_who_agree_are_all_taken() -> None:
    """Reasons may differ; who only comments takes no side."""
    lee = replace(FOUND, reviewer="lee", answer=replace(KEEP, reviewer="lee", reason="passport"))
    noted = replace(FOUND, reviewer="ann", answer=None, comment="hm")
    assert undisputed([FOUND, lee, noted]) == [FOUND, lee, noted]


def test_where_people_do_not_agree_no_answer_is_taken() -> None:
    """Each is told what the others say; the comment of who took no side stays."""
    lee = replace(
        FOUND, reviewer="lee", answer=replace(KEEP, kind=RulingKind.RELABEL, relabel=Relation.UPDATE)
    )
    noted = replace(FOUND, reviewer="ann", answer=None, comment="hm")
    message = "they do not agree, so nothing was applied: kim says keep_a; lee says relabel update"
    fault = RulingFault(1, "rev_1", "ruling", message, disputed=True)
    assert undisputed([FOUND, lee, noted]) == [fault, fault, noted]
