"""Answers of a file put into force one by one; whatever becomes of one, the others go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from arbiter.domain.facts import DEFAULT_NAMESPACE
from arbiter.domain.outcomes import FactState, ReviewItem, Ruling
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import Comment, Queued, ReviewStatus
from arbiter.domain.rulings import in_effect
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import ArbiterError, ClaimedError, NotFoundError, RequestError, StaleRulingError
from arbiter.interchange.receipts import Json
from arbiter.interchange.review_answers import ImportedRuling, RulingFault
from arbiter.ports import FactStore

_OTHER_SIDE = {RulingKind.KEEP_A: RulingKind.KEEP_B, RulingKind.KEEP_B: RulingKind.KEEP_A}


class ImportStatus(StrEnum):
    """What became of one answer of an import."""

    APPLIED = "applied"
    SETTLED = "already_settled"
    COMMENTED = "commented"
    STALE = "stale"
    DISPUTED = "disputed"
    CLAIMED = "claimed"
    NOT_FOUND = "not_found"
    INVALID = "invalid"
    FAILED = "failed"


_DONE = (ImportStatus.APPLIED, ImportStatus.SETTLED, ImportStatus.COMMENTED)
_BY_ERROR = {
    NotFoundError: ImportStatus.NOT_FOUND,
    StaleRulingError: ImportStatus.STALE,
    ClaimedError: ImportStatus.CLAIMED,
    RequestError: ImportStatus.INVALID,
}


@dataclass(frozen=True, slots=True)
class ImportLine:
    """The report on one answer: ``changed`` are the states that are others since.

    ``line`` counts lines, in a JSON array elements.
    """

    line: int
    review_id: str | None
    status: ImportStatus
    message: str = ""
    field: str | None = None
    changed: tuple[FactState, ...] = ()

    @property
    def refused(self) -> bool:
        """Was there an answer that is not in force now?"""
        return self.status not in _DONE

    def as_json(self) -> Json:
        """Return the report as JSON."""
        return {
            "line": self.line,
            "review_id": self.review_id,
            "status": self.status.value,
            "field": self.field,
            "message": self.message,
            "changed": [state.fact_id for state in self.changed],
        }


class Desk(Protocol):
    """Where answers are given: ``Arbiter.review``."""

    def answer(self, review_id: str, answer: Answer, *, namespace: str) -> Ruled:
        """Put a person's answer to an item into force."""
        ...

    def comment(self, review_id: str, text: str, *, author: str, namespace: str) -> Comment:
        """Add what somebody said about an item."""
        ...


def apply_rulings(
    namespace: str | None, rulings: Iterable[ImportedRuling | RulingFault], store: FactStore, desk: Desk
) -> Iterator[ImportLine]:
    """Put answers into force in the order given and yield what became of each.

    The same answer a second time is already settled and changes nothing. Where a namespace is given, a
    row that names another one is not applied; else each row's own holds, or the default one.
    """
    for given in rulings:
        if isinstance(given, RulingFault):
            status = ImportStatus.DISPUTED if given.disputed else ImportStatus.INVALID
            yield ImportLine(given.line, given.review_id, status, given.message, given.field)
        elif namespace is not None and given.namespace not in (None, namespace):
            message = f"is not {namespace}"
            yield ImportLine(given.line, given.review_id, ImportStatus.INVALID, message, "namespace")
        else:
            yield _applied(namespace or given.namespace or DEFAULT_NAMESPACE, given, store, desk)


def _applied(namespace: str, given: ImportedRuling, store: FactStore, desk: Desk) -> ImportLine:
    try:
        asked = store.queued(namespace, [given.review_id]).get(given.review_id)
        if asked is None:
            raise NotFoundError(f"{namespace} has no review item {given.review_id}")
        if {asked.item.a, asked.item.b} != {given.a, given.b}:
            raise RequestError("is not of this review", field="a_id")
        done = ImportLine(given.line, given.review_id, ImportStatus.COMMENTED)
        if given.answer is not None:
            done = _ruled(namespace, given, given.answer, asked, store, desk)
        if given.comment and not done.refused and not _noted(namespace, given, store):
            desk.comment(given.review_id, given.comment, author=given.reviewer, namespace=namespace)
    except ArbiterError as error:
        status = next((_BY_ERROR[kind] for kind in type(error).__mro__ if kind in _BY_ERROR), None)
        message = error.message.removeprefix(f"{error.field}: ")
        return ImportLine(given.line, given.review_id, status or ImportStatus.FAILED, message, error.field)
    return done


def _ruled(
    namespace: str, given: ImportedRuling, answer: Answer, asked: Queued, store: FactStore, desk: Desk
) -> ImportLine:
    turned = _as_stored(given, answer, asked.item)
    holding = next(reversed(in_effect(store.rulings_on(namespace, [asked.item.key]))), None)
    if holding is not None and _says(holding, asked.item) == (turned.kind, turned.relabel):
        # Whether a merge is the same depends on its text, which is looked at where it is applied.
        if asked.status is not ReviewStatus.OPEN and turned.kind is not RulingKind.MERGE:
            return ImportLine(given.line, given.review_id, ImportStatus.SETTLED)
        if asked.status is ReviewStatus.OPEN:
            raise StaleRulingError("was ruled so before and opened again since; look again")
    ruled = desk.answer(given.review_id, turned, namespace=namespace)
    if holding is not None and ruled.ruling.id == holding.id:
        return ImportLine(given.line, given.review_id, ImportStatus.SETTLED)
    return ImportLine(given.line, given.review_id, ImportStatus.APPLIED, changed=ruled.changed)


def _as_stored(given: ImportedRuling, answer: Answer, item: ReviewItem) -> Answer:
    """Return the answer with the sides as the item has them now: a backfill may have exchanged them."""
    if given.a == item.a:
        return answer
    seen = answer.seen and (answer.seen[1], answer.seen[0])
    return replace(answer, kind=_OTHER_SIDE.get(answer.kind, answer.kind), seen=seen)


def _says(ruling: Ruling, item: ReviewItem) -> tuple[RulingKind, object]:
    """Return what a ruling says of the sides as the item has them now."""
    kind = ruling.kind if ruling.a == item.a else _OTHER_SIDE.get(ruling.kind, ruling.kind)
    return kind, ruling.relabel


def _noted(namespace: str, given: ImportedRuling, store: FactStore) -> bool:
    """Did this person note this on the item before?"""
    known = store.comments(namespace, [given.review_id]).get(given.review_id, ())
    return any((noted.author, noted.text) == (given.reviewer, given.comment) for noted in known)
