"""The typed Python API: ``Arbiter``, the one object that a program holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from arbiter.domain.evidence import Judgement, Spend
from arbiter.domain.facts import DEFAULT_NAMESPACE, Record
from arbiter.domain.outcomes import FactState, HistoryEntry, Reason, Receipt, ReviewItem
from arbiter.domain.vocabulary import Relation, RulingKind, State
from arbiter.errors import InvalidRecordError
from arbiter.interchange.record_in import parse_record, record_json
from arbiter.pipeline import compile as compiling
from arbiter.pipeline import read, review
from arbiter.pipeline.classify import classify
from arbiter.pipeline.compile import Compiled, Flip
from arbiter.pipeline.context import Context
from arbiter.pipeline.read import FactView, Fading, Hit
from arbiter.pipeline.receipts import refused
from arbiter.pipeline.submit import submit

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.settings import Settings

RecordLike = Record | Mapping[str, object]


class Arbiter:
    """Arbitrates facts in one store. Open it with ``Arbiter.open`` and close it, or use ``with``.

    Everything that keeps to one namespace takes it by keyword and defaults to ``default``.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.review = Reviews(context)

    @classmethod
    def open(cls, database: str | Path | None = None, settings: Settings | None = None) -> Arbiter:
        """Open a store by path or URL; it is made if it is not there yet.

        Raises:
            ConfigurationError: the settings, or a file they name, have faults.
            StoreError: the store cannot be opened.
        """
        from arbiter.settings import Settings as Defaults
        from arbiter.wiring import build

        chosen = settings or Defaults()
        if database is not None:
            chosen = chosen.model_copy(update={"database": str(database)})
        return cls(build(chosen))

    def submit(self, records: Iterable[RecordLike], *, first_index: int = 0) -> list[Receipt]:
        """Arbitrate records and return a receipt for each, in their order.

        A record that is not valid gets a receipt with outcome ``refused`` that names the field; the
        others are not touched by it. ``first_index`` is the place of the first record in a longer stream.
        """
        valid: dict[int, Record] = {}
        receipts: dict[int, Receipt] = {}
        for index, data in enumerate(records, first_index):
            try:
                valid[index] = self._checked(data)
            except InvalidRecordError as error:
                reason = Reason(error.code, error.message, error.field)
                receipts[index] = refused(index, _namespace(data), reason)
        for receipt in submit(list(valid.values()), self.context, list(valid)):
            receipts[receipt.record_index] = receipt
        return [receipts[index] for index in sorted(receipts)]

    def classify(self, pairs: Sequence[tuple[RecordLike, RecordLike]]) -> list[Judgement]:
        """Judge pairs without a store; sides are named as given.

        Raises:
            InvalidRecordError: a record is not valid; nothing was judged.
        """
        return self.classify_with_cost(pairs)[0]

    def classify_with_cost(
        self, pairs: Sequence[tuple[RecordLike, RecordLike]]
    ) -> tuple[list[Judgement], Spend]:
        """Judge pairs like ``classify`` and return what it cost, too."""
        return classify([(self._checked(a), self._checked(b)) for a, b in pairs], self.context)

    def search(self, text: str, limit: int = 10, *, namespace: str = DEFAULT_NAMESPACE) -> list[Hit]:
        """Return up to ``limit`` current facts nearest in meaning."""
        return read.search(namespace, text, limit, self.context)

    def facts(
        self,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        state: State | None = State.ACTIVE,
        as_of: datetime | None = None,
    ) -> Iterator[FactView]:
        """Yield facts, oldest first: the active ones, those of another state, or all (None).

        With ``as_of``, as they stood by what had been observed up to that moment.
        """
        if as_of is None:
            return read.list_facts(namespace, state, self.context)
        found = read.as_of(namespace, as_of, self.context)
        return (view for view in found if state is None or view.state.state is state)

    def fact(self, fact_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> FactView:
        """Return one fact.

        Raises:
            NotFoundError: the namespace has no such fact.
        """
        return read.show(namespace, fact_id, self.context)

    def history(self, fact_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> list[HistoryEntry]:
        """Return everything that happened to a fact, oldest first.

        Raises:
            NotFoundError: the namespace has no such fact.
        """
        return self.context.store.history(namespace, fact_id)

    def unseen(self, *, namespace: str = DEFAULT_NAMESPACE) -> list[Fading]:
        """Return the current facts to look at again: long unseen, or dropped by a source that speaks on."""
        return read.fading(namespace, self.context)

    def compile(self, *, namespace: str | None = None, from_scratch: bool = False) -> Compiled:
        """Derive every state again, in one namespace or all.

        ``from_scratch`` first drops every view and rebuilds it from the log.
        """
        done = Compiled()
        for name in self.context.store.namespaces() if namespace is None else [namespace]:
            if from_scratch:
                self.context.store.rebuild_views(name)
            done += compiling.compile_namespace(name, self.context)
        return done

    def policy_diff(self, policy: Policy, *, namespace: str | None = None) -> list[Flip]:
        """Return what another policy would change, from stored evidence alone."""
        names = self.context.store.namespaces() if namespace is None else [namespace]
        return [flip for name in names for flip in compiling.policy_diff(name, policy, self.context)]

    def undo(
        self,
        decision_id: str,
        *,
        reviewer: str,
        namespace: str = DEFAULT_NAMESPACE,
        cascade: bool = False,
    ) -> list[FactState]:
        """Take a decision back and return the states that changed.

        Raises:
            NotFoundError: the namespace has no such decision.
            DependentDecisionError: later decisions rest on it; ``cascade`` takes them back together.
        """
        return review.undo(namespace, decision_id, reviewer, self.context, cascade=cascade)

    def erase(self, fact_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> None:
        """Take the text of a fact out of everything that is kept; ids and decisions stay.

        Raises:
            NotFoundError: the namespace has no such fact.
        """
        read.erase(namespace, fact_id, self.context)

    def close(self) -> None:
        """Let go of the store."""
        self.context.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self, data: RecordLike) -> Record:
        return parse_record(record_json(data) if isinstance(data, Record) else data, self.context.clock())


@dataclass(frozen=True, slots=True)
class Reviews:
    """The review queue of a store."""

    context: Context

    def items(self, *, namespace: str = DEFAULT_NAMESPACE, open_only: bool = True) -> list[ReviewItem]:
        """Return the items, most urgent first."""
        return self.context.store.reviews(namespace, open_only=open_only)

    def show(self, review_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> ReviewItem:
        """Return one item.

        Raises:
            NotFoundError: the namespace has no such item.
        """
        return self.context.store.review(namespace, review_id)[0]

    def rule(
        self,
        review_id: str,
        kind: RulingKind,
        *,
        reviewer: str,
        namespace: str = DEFAULT_NAMESPACE,
        relabel: Relation | None = None,
        reason: str = "",
        seen: tuple[str, str] | None = None,
    ) -> list[FactState]:
        """Settle an item and return the states that changed.

        Raises:
            NotFoundError: the namespace has no such item.
            StaleRulingError: it is settled already, or its facts changed since ``seen``.
        """
        return review.rule(
            namespace, review_id, kind, reviewer, self.context, relabel=relabel, reason=reason, seen=seen
        )


def _namespace(data: object) -> str:
    """Return the namespace that a refused record names, as far as it can be told."""
    if isinstance(data, Record):
        return data.namespace
    named = data.get("namespace") if isinstance(data, Mapping) else None
    is_text = isinstance(named, str) and not any("\ud800" <= char <= "\udfff" for char in named)
    return str(named) if is_text else DEFAULT_NAMESPACE
