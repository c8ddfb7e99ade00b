"""What people answered in a file, whatever its form: cells by name, checked and made into an answer.

A form gives the cells of one answer: ``NEEDED`` tells which question it is and what was shown, ``ANSWER``
what the reviewer filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arbiter.domain.review_answer import Answer, check_name, check_note
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import InvalidRecordError, RequestError
from arbiter.interchange.record_in import as_text

NEEDED = ("review_id", "a_id", "a_digest", "b_id", "b_digest")
ANSWER = ("ruling", "relabel", "text", "confirmed", "reviewer", "reason", "comment")
"""The columns that a reviewer fills in."""
NAMESPACE = "namespace"
"""No column of a table, but files of several namespaces, such as those of a scan, have it."""
RULINGS = tuple(k.value for k in RulingKind if k not in (RulingKind.UNDO, RulingKind.RETRACT))
RELATIONS = tuple(relation.value for relation in Relation)
YES, NO = ("yes", "true", "x", "1"), ("", "no", "false", "0")
_SHOWN = 60

Cells: TypeAlias = Mapping[str, str]
Meaning: TypeAlias = tuple[str, Relation | None, str | None]


@dataclass(frozen=True, slots=True)
class ImportedRuling:
    """One answer as a file has it; ``a`` and ``b`` are the facts as they were shown.

    ``answer`` is None where there is only a comment. ``namespace`` is None where the file does not say it.
    ``line`` counts lines, in a JSON array elements.
    """

    line: int
    review_id: str
    a: str
    b: str
    reviewer: str
    answer: Answer | None
    comment: str = ""
    namespace: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class RulingFault:
    """An answer that cannot be applied: which field is to blame, and why.

    ``disputed`` where others answered the same question otherwise.
    """

    line: int
    review_id: str | None
    field: str | None
    message: str
    disputed: bool = False


def parse_answer(
    line: int, given: Mapping[str, object], reviewer: str
) -> ImportedRuling | RulingFault | None:
    """Return what cells answer, what is wrong with them, or None where nothing was filled in.

    ``reviewer`` stands in where they do not say who decided.
    """
    try:
        return _answered(line, _cells(given), reviewer)
    except (InvalidRecordError, RequestError) as error:
        message = error.message.removeprefix(f"{error.field}: ")
        return RulingFault(line, printable(given.get("review_id")), error.field, message)


def undisputed(answers: Sequence[ImportedRuling]) -> list[ImportedRuling | RulingFault]:
    """Return the answers of several people to one question; where they differ, none is taken."""
    ruled = [found for found in answers if found.answer is not None]
    if len({meaning(found.answer) for found in ruled if found.answer}) < 2:
        return list(answers)
    told = "; ".join(f"{found.reviewer} says {_said(found.answer)}" for found in ruled if found.answer)
    message = f"they do not agree, so nothing was applied: {told}"
    return [RulingFault(f.line, f.review_id, "ruling", message, disputed=True) for f in ruled] + [
        found for found in answers if found.answer is None
    ]


def meaning(answer: Answer) -> Meaning:
    """Return what an answer decides."""
    return (answer.kind.value, answer.relabel, answer.text)


def printable(value: object) -> str | None:
    """Return an id that a file has so that it can be written, whatever it is; None where it is none."""
    if not isinstance(value, str) or not value.strip():
        return None
    return value.strip()[:_SHOWN].encode("utf-8", "backslashreplace").decode()


def _cells(given: Mapping[str, object]) -> Cells:
    cells: dict[str, str] = {}
    for name in (*NEEDED, *ANSWER, NAMESPACE):
        value = given.get(name)
        if isinstance(value, bool) and name == "confirmed":
            value = YES[0] if value else ""
        if value is not None and not isinstance(value, str):
            raise InvalidRecordError("is not text", field=name)
        cells[name] = (value or "").strip()
        if cells[name] and name not in ("text", "reason", "comment", "reviewer"):
            try:
                as_text(cells[name])
            except ValueError as error:
                raise InvalidRecordError(str(error), field=name) from error
    return cells


def _answered(line: int, cells: Cells, default_reviewer: str) -> ImportedRuling | None:
    if not cells["ruling"]:
        filled = next((name for name in ("relabel", "text") if cells[name]), None)
        if filled:
            raise InvalidRecordError(f"is empty, though {filled} is filled in", field="ruling")
        if not cells["comment"]:
            return None
    reviewer = cells["reviewer"] or default_reviewer
    missing = next((name for name in NEEDED if not cells[name]), None)
    if missing is None and not reviewer:
        missing = "reviewer"
    if missing is not None:
        raise InvalidRecordError("is missing", field=missing)
    check_name(reviewer, "reviewer")
    if cells["comment"]:
        check_note(cells["comment"], "comment")
    return ImportedRuling(
        line=line,
        review_id=cells["review_id"],
        a=cells["a_id"],
        b=cells["b_id"],
        reviewer=reviewer,
        answer=_answer(cells, reviewer) if cells["ruling"] else None,
        comment=cells["comment"],
        namespace=cells[NAMESPACE] or None,
    )


def _answer(cells: Cells, reviewer: str) -> Answer:
    answer = Answer(
        kind=RulingKind(_one_of(RULINGS, "ruling", cells)),
        reviewer=reviewer,
        relabel=Relation(_one_of(RELATIONS, "relabel", cells)) if cells["relabel"] else None,
        text=cells["text"] or None,
        confirmed=_one_of((*YES, *NO), "confirmed", cells) in YES,
        reason=cells["reason"],
        seen=(cells["a_digest"], cells["b_digest"]),
    )
    answer.check()
    return answer


def _one_of(words: Sequence[str], name: str, cells: Cells) -> str:
    word = cells[name].casefold().replace("-", "_").replace(" ", "_")
    if word not in words:
        told = ", ".join(word for word in words if word)
        raise InvalidRecordError(f"{cells[name][:_SHOWN]!r} is none of {told}", field=name)
    return word


def _said(answer: Answer) -> str:
    return f"{answer.kind.value} {answer.relabel.value}" if answer.relabel else answer.kind.value
