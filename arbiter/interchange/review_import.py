"""Answers of a file put into force, some at a time; whatever becomes of one, the others go on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Protocol, TypeAlias

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

Imported: TypeAlias = ImportedRuling | RulingFault
Giving: TypeAlias = Callable[[Queued, Ruling | None], Answer | None]
_AT_ONCE = 200
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

    def answer_all(
        self, given: Sequence[tuple[str, Giving]], *, namespace: str
    ) -> list[Ruled | ArbiterError | None]:
        """Put what is answered to items into force, merges apart, and return what became of each."""
        ...

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
    for run in _runs(rulings):
        yield from _applied(namespace, run, store, desk)


def _runs(rulings: Iterable[Imported]) -> Iterator[list[Imported]]:
    """Yield some answers at a time: a merge alone, as its text is judged when it is written."""
    run: list[Imported] = []
    for given in rulings:
        alone = _is_merge(given)
        if run and (alone or len(run) == _AT_ONCE):
            yield run
            run = []
        run.append(given)
        if alone:
            yield run
            run = []
    if run:
        yield run


def _applied(
    namespace: str | None, run: Sequence[Imported], store: FactStore, desk: Desk
) -> Iterator[ImportLine]:
    told: dict[int, ImportLine] = {}
    answers: defaultdict[str, dict[int, ImportedRuling]] = defaultdict(dict)
    for place, given in enumerate(run):
        if isinstance(given, RulingFault):
            status = ImportStatus.DISPUTED if given.disputed else ImportStatus.INVALID
            told[place] = ImportLine(given.line, given.review_id, status, given.message, given.field)
        elif namespace is not None and given.namespace not in (None, namespace):
            message = f"is not {namespace}"
            told[place] = ImportLine(given.line, given.review_id, ImportStatus.INVALID, message, "namespace")
        else:
            answers[namespace or given.namespace or DEFAULT_NAMESPACE][place] = given
    for name, some in answers.items():
        told |= zip(some, _answered(name, list(some.values()), store, desk), strict=True)
    yield from (told[place] for place in range(len(run)))


def _answered(
    namespace: str, given: Sequence[ImportedRuling], store: FactStore, desk: Desk
) -> list[ImportLine]:
    """Answer, then note what goes with answers that were not refused."""
    try:
        if len(given) == 1 and _is_merge(given[0]):
            lines = [_merged(namespace, given[0], store, desk)]
        else:
            outcomes = desk.answer_all(
                [(one.review_id, partial(_answer_to, one)) for one in given], namespace=namespace
            )
            lines = [_line(one, outcome) for one, outcome in zip(given, outcomes, strict=True)]
    except ArbiterError as error:
        lines = [_line(one, error) for one in given]
    return [
        _noted(namespace, one, line, store, desk) if one.comment and not line.refused else line
        for one, line in zip(given, lines, strict=True)
    ]


def _merged(namespace: str, given: ImportedRuling, store: FactStore, desk: Desk) -> ImportLine:
    asked = store.queued(namespace, [given.review_id]).get(given.review_id)
    if asked is None:
        raise NotFoundError(f"{namespace} has no review item {given.review_id}")
    holding = next(reversed(in_effect(store.rulings_on(namespace, [asked.item.key]))), None)
    answer = _answer_to(given, asked, holding)
    if answer is None:
        return _line(given, None)
    ruled = desk.answer(given.review_id, answer, namespace=namespace)
    return _line(given, None if holding is not None and ruled.ruling.id == holding.id else ruled)


def _answer_to(given: ImportedRuling, asked: Queued, holding: Ruling | None) -> Answer | None:
    """Return what an answer says of an item as it stands; None where it holds already, or says nothing.

    Raises:
        RequestError: it is about other facts.
        StaleRulingError: it held before, and the item was opened again since.
    """
    if {asked.item.a, asked.item.b} != {given.a, given.b}:
        raise RequestError("is not of this review", field="a_id")
    if given.answer is None:
        return None
    turned = _as_stored(given, given.answer, asked.item)
    if holding is not None and _says(holding, asked.item) == (turned.kind, turned.relabel):
        if asked.status is ReviewStatus.OPEN:
            raise StaleRulingError("was ruled so before and opened again since; look again")
        # Whether a merge is the same depends on its text, which is looked at where it is applied.
        if turned.kind is not RulingKind.MERGE:
            return None
    return turned


def _line(given: ImportedRuling, outcome: Ruled | ArbiterError | None) -> ImportLine:
    """Report on one answer."""
    if isinstance(outcome, ArbiterError):
        status = next((_BY_ERROR[kind] for kind in type(outcome).__mro__ if kind in _BY_ERROR), None)
        message = outcome.message.removeprefix(f"{outcome.field}: ")
        return ImportLine(given.line, given.review_id, status or ImportStatus.FAILED, message, outcome.field)
    if outcome is None:
        settled = ImportStatus.COMMENTED if given.answer is None else ImportStatus.SETTLED
        return ImportLine(given.line, given.review_id, settled)
    return ImportLine(given.line, given.review_id, ImportStatus.APPLIED, changed=outcome.changed)


def _noted(
    namespace: str, given: ImportedRuling, line: ImportLine, store: FactStore, desk: Desk
) -> ImportLine:
    """Note what somebody said about an item, unless they noted it before."""
    try:
        known = store.comments(namespace, [given.review_id]).get(given.review_id, ())
        if not any((noted.author, noted.text) == (given.reviewer, given.comment) for noted in known):
            desk.comment(given.review_id, given.comment, author=given.reviewer, namespace=namespace)
    except ArbiterError as error:
        return _line(given, error)
    return line


def _is_merge(given: Imported) -> bool:
    return (
        isinstance(given, ImportedRuling)
        and given.answer is not None
        and given.answer.kind is RulingKind.MERGE
    )


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
