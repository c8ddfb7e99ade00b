"""Answers to requests with an Idempotency-Key, in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import TypeAlias

from arbiter.domain.answers import Answer, Claim, Known
from arbiter.interchange.kept_answers import ANY_FACT, erased_answer, quoted

Erasures: TypeAlias = Callable[[str], dict[str, datetime]]
"""Returns when each of the erased facts of a namespace was erased."""


class MemoryAnswers:
    """Implements ``AnswerStore`` in a dictionary; what was erased is taken out when an answer is read."""

    def __init__(self, erasures: Erasures) -> None:
        self._erasures = erasures
        self._known: dict[str, tuple[Claim, Answer | None]] = {}
        self._quoted: dict[str, set[tuple[str, str]]] = {}
        self._changing = Lock()

    def claim(self, claim: Claim) -> Known | None:
        """See ``AnswerStore.claim``."""
        with self._changing:
            first, answer = self._known.get(claim.id, (claim, None))
            same = first.fingerprint == claim.fingerprint
            abandoned = same and answer is None and first.locked_until <= claim.at
            if first is claim or first.keep_until <= claim.at or abandoned:
                self._forget(claim.at)
                self._known[claim.id] = (claim, None)
                return None
            return Known(first.fingerprint, first.fields, self._without_erased(first, answer))

    def renew(self, claim: Claim, until: datetime) -> bool:
        """See ``AnswerStore.renew``."""
        with self._changing:
            if not self._owns(claim):
                return False
            first, _ = self._known[claim.id]
            self._known[claim.id] = (replace(first, locked_until=until), None)
            return True

    def finish(self, claim: Claim, answer: Answer, namespace: str) -> bool:
        """See ``AnswerStore.finish``."""
        with self._changing:
            if not self._owns(claim):
                return False
            self._known[claim.id] = (self._known[claim.id][0], answer)
            self._quoted[claim.id] = quoted(answer.body, namespace)
            return True

    def release(self, claim: Claim) -> None:
        """See ``AnswerStore.release``."""
        with self._changing:
            if self._owns(claim):
                del self._known[claim.id]

    def purge(self, before: datetime) -> int:
        """See ``AnswerStore.purge``."""
        with self._changing:
            return self._forget(before)

    def _forget(self, before: datetime) -> int:
        stale = [name for name, (claim, _) in self._known.items() if claim.keep_until <= before]
        for name in stale:
            del self._known[name]
        return len(stale)

    def _owns(self, claim: Claim) -> bool:
        first, answer = self._known.get(claim.id, (None, None))
        return first is not None and first.owner == claim.owner and answer is None

    def _without_erased(self, claim: Claim, answer: Answer | None) -> Answer | None:
        if answer is None:
            return None
        body = answer.body
        for namespace, fact_id in sorted(self._quoted[claim.id]):
            erased = self._erasures(namespace)
            recent = any(at >= claim.at for at in erased.values())
            if fact_id in erased or (fact_id == ANY_FACT and recent):
                body = erased_answer(body, namespace, fact_id)
        return replace(answer, body=body)
