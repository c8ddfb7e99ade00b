"""The typed Python API: ``Arbiter``, the one object that a program holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from arbiter.adapters.secret_tokens import new_owner
from arbiter.domain.evidence import Judgement, Spend
from arbiter.domain.facts import DEFAULT_NAMESPACE, Record
from arbiter.domain.outcomes import FactState, HistoryEntry, Reason, Receipt
from arbiter.domain.vocabulary import Outcome, State
from arbiter.errors import InvalidRecordError
from arbiter.interchange.receipts import Json, standing_json
from arbiter.interchange.record_in import parse_record
from arbiter.pipeline import compile as compiling
from arbiter.pipeline import read, review
from arbiter.pipeline.classify import classify
from arbiter.pipeline.compile import Compiled, Flip
from arbiter.pipeline.context import Context
from arbiter.pipeline.read import FactView, Fading, Hit
from arbiter.pipeline.receipts import refused
from arbiter.pipeline.retry import Retried, RetryPlan, retry
from arbiter.pipeline.reviews import Reviews
from arbiter.pipeline.standing import standing
from arbiter.pipeline.submit import submit

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.settings import Settings
    from arbiter.wiring import Instruments

RecordLike = Record | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Checked:
    """Records by index: those that are valid, and the receipts of those that are not."""

    valid: dict[int, Record]
    refused: dict[int, Receipt]

    def answered(self, receipts: Iterable[Receipt]) -> list[Receipt]:
        """Return the receipts of the valid records together with the refused ones, by index."""
        return sorted([*receipts, *self.refused.values()], key=lambda receipt: receipt.record_index)


class Arbiter:
    """Arbitrates facts in one store. Open it with ``Arbiter.open`` and close it, or use ``with``.

    Everything that keeps to one namespace takes it by keyword and defaults to ``default``.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.review = Reviews(context)

    @classmethod
    def open(
        cls,
        database: str | Path | None = None,
        settings: Settings | None = None,
        *,
        instruments: Instruments | None = None,
    ) -> Arbiter:
        """Open a store by path or URL; it is made if it is not there yet.

        ``instruments`` watch its judges at work.

        Raises:
            ConfigurationError: the settings, or a file they name, have faults.
            StoreError: the store cannot be opened.
        """
        from arbiter.settings import Settings as Defaults
        from arbiter.wiring import NONE, build

        chosen = settings or Defaults()
        if database is not None:
            chosen = chosen.model_copy(update={"database": str(database)})
        return cls(build(chosen, instruments or NONE))

    def submit(self, records: Iterable[RecordLike], *, first_index: int = 0) -> list[Receipt]:
        """Arbitrate records and return a receipt for each, in their order.

        A record that is not valid gets a receipt with outcome ``refused`` that names the field; the
        others are not touched by it. ``first_index`` is the place of the first record in a longer stream.
        """
        checked = self.check(records, first_index=first_index)
        return checked.answered(submit(list(checked.valid.values()), self.context, list(checked.valid)))

    def check(
        self, records: Iterable[RecordLike], *, first_index: int = 0, namespace: str | None = None
    ) -> Checked:
        """Check records without submitting them.

        ``namespace`` is the only one that they may be of; those that name none get it.
        """
        checked = Checked({}, {})
        for index, data in enumerate(records, first_index):
            try:
                checked.valid[index] = self._checked(data, namespace)
            except InvalidRecordError as error:
                reason = Reason(error.code, error.message, error.field)
                checked.refused[index] = refused(index, namespace or _namespace(data), reason)
        return checked

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

    def receipt(self, receipt_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> Json:
        """Return a receipt as it was given, and under ``now`` what has become of the record since.

        Raises:
            NotFoundError: the namespace has no such receipt.
        """
        kept: Mapping[str, Any] = self.context.store.receipt(namespace, receipt_id)
        others = [found["fact_id"] for found in kept["relations"]]
        now = standing(namespace, kept["fact_id"], Outcome(kept["outcome"]), others, self.context)
        return {**kept, "now": standing_json(now)}

    def retry(
        self,
        *,
        namespace: str | None = None,
        at_once: bool = False,
        plan: RetryPlan | None = None,
    ) -> Retried:
        """Ask judges again about what none of them could tell, as far as it is due, and settle what follows.

        In one namespace or all; ``at_once`` asks about everything that waits, due or not.
        """
        return retry(self.context, plan or RetryPlan(), new_owner(), namespace=namespace, at_once=at_once)

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
        """Return what another policy would change, from stored evidence alone.

        A judge's own thresholds stay in force unless the other policy names that judge.
        """
        policy = replace(policy, judges={**self.context.policy.judges, **policy.judges})
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
        self.context.indexes.close()
        self.context.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self, data: RecordLike, namespace: str | None = None) -> Record:
        if namespace is not None and isinstance(data, Mapping):
            data = {"namespace": namespace, **data}
        record = parse_record(data, self.context.clock())
        if namespace not in (None, record.namespace):
            message = f"namespace: this caller's records are kept in {namespace} only"
            raise InvalidRecordError(message, field="namespace")
        return record


def _namespace(data: object) -> str:
    """Return the namespace that a refused record names, as far as it can be told."""
    if isinstance(data, Record):
        return data.namespace
    named = data.get("namespace") if isinstance(data, Mapping) else None
    is_text = isinstance(named, str) and not any("\ud800" <= char <= "\udfff" for char in named)
    return str(named) if is_text else DEFAULT_NAMESPACE
