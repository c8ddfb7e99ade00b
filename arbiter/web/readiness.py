"""Can the service work? Each part is tried; what is wrong is told by its code, without names of files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from arbiter.domain.evidence import RecordPair, Unjudged
from arbiter.domain.facts import DEFAULT_NAMESPACE, Record, Source
from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import ArbiterError
from arbiter.pipeline.context import Context
from arbiter.ports import Clock, Judge

Part: TypeAlias = Literal["store", "index", "judges"]
KEPT = timedelta(seconds=5)
"""For so long a part is not tried again, however many ask."""
STUCK = timedelta(minutes=1)
"""A part that needs longer than this does not work; one that only needs long, under load, does."""
PATIENCE_S, KNOWN_PATIENCE_S = 2.0, 0.5
_LOG = logging.getLogger("arbiter.web")
_ASKED_FOR_MONEY = "llm/"
_SAMPLE = RecordPair(
    *(
        Record(text, Source("arbiter", SourceKind.VERIFIED_OBSERVATION), datetime(2026, 1, 1, tzinfo=UTC))
        for text in ("Ana lives in Lisbon.", "Ana plays the cello.")
    )
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a part: it works, it needs longer than anybody waits, or why it does not work."""

    status: Literal["ok", "busy", "failed"]
    code: str | None = None
    detail: str | None = None


@dataclass(slots=True)
class _Attempt:
    future: Future[Finding]
    begun: datetime
    ended: datetime | None = None


class Readiness:
    """Tries the parts of a service. What was found about one holds until it has been tried again.

    Args:
        context: what is tried.
        judges: the judges, one by one; a language model is not asked, since that costs money.
        patience_s: seconds to wait for a part of which nothing is known yet.
    """

    def __init__(self, context: Context, judges: list[Judge], *, patience_s: float = PATIENCE_S) -> None:
        self._clock: Clock = context.clock
        self._patience_s = patience_s
        self._parts: Mapping[Part, Callable[[], Finding | None]] = {
            "store": context.store.check_writable,
            "index": lambda: _search(context),
            "judges": lambda: ask(judges),
        }
        self._attempts: dict[Part, _Attempt] = {}
        self._known: dict[Part, Finding] = {}
        self._threads = ThreadPoolExecutor(len(self._parts), thread_name_prefix="arbiter-ready")

    async def findings(self) -> Mapping[Part, Finding]:
        """Return what there is to say about each part."""
        found = await asyncio.gather(*map(self._finding, self._parts))
        return dict(zip(self._parts, found, strict=True))

    def close(self) -> None:
        """Try nothing more."""
        self._threads.shutdown(cancel_futures=True)

    async def _finding(self, part: Part) -> Finding:
        """Return the finding of an attempt that is young enough, or under way; at most one is at a time."""
        attempt = self._attempts.get(part)
        if attempt is None or (attempt.ended is not None and not _is_young(attempt.ended, self._clock())):
            attempt = self._attempts[part] = self._begin(part)
        known = self._known.get(part)
        patience_s = self._patience_s if known is None else min(self._patience_s, KNOWN_PATIENCE_S)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(attempt.future)), patience_s)
        except TimeoutError:
            if self._clock() - attempt.begun > STUCK:
                return Finding("failed", "stuck", f"no answer within {STUCK.total_seconds():g} seconds")
            return known or Finding("busy", "busy", f"no answer within {patience_s:g} seconds")

    def _begin(self, part: Part) -> _Attempt:
        attempt = _Attempt(self._threads.submit(_tried, part, self._parts[part]), self._clock())

        def ended(future: Future[Finding]) -> None:
            if not future.cancelled():
                self._known[part] = future.result()
                attempt.ended = self._clock()

        attempt.future.add_done_callback(ended)
        return attempt


def _is_young(moment: datetime, now: datetime) -> bool:
    return timedelta() <= now - moment < KEPT


def _tried(part: Part, attempt: Callable[[], Finding | None]) -> Finding:
    try:
        return attempt() or Finding("ok")
    except ArbiterError as error:
        _LOG.warning("not ready: %s: %s: %s", part, error.code, error.message)
        return Finding("failed", error.code, type(error)().message)
    except Exception as error:  # noqa: BLE001  whatever it is, the part does not work
        _LOG.warning("not ready: %s: %s", part, type(error).__name__)
        return Finding("failed", "internal_error", "it failed in a way that nobody foresaw")


def _search(context: Context) -> None:
    vectors = context.embedder.embed([_SAMPLE.a.content])
    context.indexes.current(DEFAULT_NAMESPACE).search(vectors, limit=1, min_similarity=-1.0)


def ask(judges: list[Judge]) -> Finding | None:
    """Put a pair before each judge and return what is wrong with the first that cannot compute it."""
    for judge in judges:
        if not judge.judge_id.startswith(_ASKED_FOR_MONEY):
            (found,), _ = judge.judge([_SAMPLE])
            if isinstance(found, Unjudged) and found.retryable:
                return Finding("failed", found.code, f"{judge.judge_id} cannot compute")
    return None
