"""Rulings of a file put into force one by one; whatever becomes of one line, the others go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypeAlias

from arbiter.domain.facts import DEFAULT_NAMESPACE
from arbiter.domain.outcomes import FactState, ReviewItem, Ruling
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ArbiterError, NotFoundError, StaleRulingError
from arbiter.interchange.review_files import ImportedRuling, RulingFault
from arbiter.ports import FactStore

_OTHER_SIDE = {RulingKind.KEEP_A: RulingKind.KEEP_B, RulingKind.KEEP_B: RulingKind.KEEP_A}
_Meaning: TypeAlias = tuple[str, Relation | None]


class ImportStatus(StrEnum):
    """What became of one line of an import."""

    APPLIED = "applied"
    SETTLED = "already_settled"
    STALE = "stale"
    NOT_FOUND = "not_found"
    INVALID = "invalid"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ImportLine:
    """The report on one line: ``changed`` are the states that are others since."""

    line: int
    review_id: str | None
    status: ImportStatus
    message: str = ""
    field: str | None = None
    changed: tuple[FactState, ...] = ()

    @property
    def refused(self) -> bool:
        """Was there a ruling that is not in force now?"""
        return self.status not in (ImportStatus.APPLIED, ImportStatus.SETTLED)


class Rule(Protocol):
    """``Arbiter.review.rule``."""

    def __call__(  # noqa: D102
        self,
        review_id: str,
        kind: RulingKind,
        *,
        reviewer: str,
        namespace: str,
        relabel: Relation | None,
        reason: str,
        seen: tuple[str, str],
    ) -> list[FactState]: ...


def apply_rulings(
    namespace: str | None, rulings: Iterable[ImportedRuling | RulingFault], store: FactStore, rule: Rule
) -> Iterator[ImportLine]:
    """Put rulings into force in the order given and yield what became of each.

    The same ruling a second time is already settled and changes nothing. Where a namespace is given, a
    row that names another one is not applied; else each row's own holds, or the default one.
    """
    newest: dict[str, dict[tuple[str, str], _Meaning]] = {}
    for ruling in rulings:
        if isinstance(ruling, RulingFault):
            yield ImportLine(
                ruling.line, ruling.review_id, ImportStatus.INVALID, ruling.message, ruling.field
            )
            continue
        if namespace is not None and ruling.namespace not in (None, namespace):
            message = f"is not {namespace}"
            yield ImportLine(ruling.line, ruling.review_id, ImportStatus.INVALID, message, "namespace")
            continue
        where = namespace or ruling.namespace or DEFAULT_NAMESPACE
        if where not in newest:
            newest[where] = {known.key: _meaning(known) for known in store.rulings(where)}
        done = _applied(where, ruling, store, rule, newest[where])
        if done.status is ImportStatus.APPLIED:
            newest[where][_key(ruling)] = _meaning(ruling)
        yield done


def _applied(
    namespace: str,
    ruling: ImportedRuling,
    store: FactStore,
    rule: Rule,
    newest: Mapping[tuple[str, str], _Meaning],
) -> ImportLine:
    status, message, field = ImportStatus.APPLIED, "", None
    changed: list[FactState] = []
    try:
        item, still_open = store.review(namespace, ruling.review_id)
        ruled_so = newest.get(_key(ruling)) == _meaning(ruling)
        if {item.a, item.b} != {ruling.a, ruling.b}:
            status, message, field = ImportStatus.INVALID, "is not of this review", "a_id"
        elif still_open and ruled_so:
            status, message = ImportStatus.STALE, "was ruled so before and opened again since; look again"
        elif ruled_so:
            status = ImportStatus.SETTLED
        else:
            turned = _as_stored(ruling, item)
            changed = rule(
                turned.review_id,
                turned.kind,
                reviewer=turned.reviewer,
                namespace=namespace,
                relabel=turned.relabel,
                reason=turned.reason,
                seen=turned.seen,
            )
    except NotFoundError as error:
        status, message = ImportStatus.NOT_FOUND, error.message
    except StaleRulingError as error:
        status, message = ImportStatus.STALE, error.message
    except ArbiterError as error:
        status, message = ImportStatus.FAILED, error.message
    return ImportLine(ruling.line, ruling.review_id, status, message, field, tuple(changed))


def _as_stored(ruling: ImportedRuling, item: ReviewItem) -> ImportedRuling:
    """Return the ruling with the sides as the item has them now: a backfill may have exchanged them."""
    if ruling.a == item.a:
        return ruling
    kind = _OTHER_SIDE.get(ruling.kind, ruling.kind)
    return replace(ruling, a=item.a, b=item.b, kind=kind, seen=(ruling.seen[1], ruling.seen[0]))


def _meaning(ruling: ImportedRuling | Ruling) -> _Meaning:
    """Return what a ruling says whichever side it calls a."""
    kept = {RulingKind.KEEP_A: ruling.a, RulingKind.KEEP_B: ruling.b}
    return (kept.get(ruling.kind, ruling.kind.value), ruling.relabel)


def _key(ruling: ImportedRuling) -> tuple[str, str]:
    return (ruling.a, ruling.b) if ruling.a < ruling.b else (ruling.b, ruling.a)
