"""Namespaces of a batch are worked on at the same time while a language model takes its time."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Barrier

import pytest

from arbiter.api import Arbiter
from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from arbiter.web.side_by_side import SideBySide
from tests.factories import day
from tests.http_server import http_server
from tests.unit.pipeline.conftest import context_on

PATIENCE_S = 20
CALLER: ContextVar[str] = ContextVar("CALLER")


@dataclass
class Together(TableJudge):
    """Answers once it has been asked by two at the same time."""

    both: Barrier = field(default_factory=lambda: Barrier(2, timeout=PATIENCE_S))

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge."""
        self.both.wait()
        return super().judge(pairs)


def test_no_tenant_waits_for_the_model_to_answer_another_one() -> None:
    """The pairs of two namespaces of one request are asked about at once."""
    records = [
        {
            "content": f"Rita lives in {town}.",
            "subject": "Rita",
            "namespace": namespace,
            "source": {"id": "chat:1", "kind": "user_stated"},
            "observed_at": f"2026-01-0{number}T09:00:00Z",
        }
        for namespace in ("ann", "bob")
        for number, town in enumerate(("Bath", "York"), start=1)
    ]
    judge = Together()
    arbiter = Arbiter(context_on(MemoryStore(lambda: day(100)), judge))
    with http_server(arbiter, judge="llm", llm_model="test/model") as server:
        answer = server.client.post("/v1/records", json={"records": records})
    assert [receipt["outcome"] for receipt in answer.json()["receipts"]] == ["stored"] * 4
    assert sorted(judge.asked) == [("Rita lives in Bath.", "Rita lives in York.")] * 2


def test_answers_come_in_order_and_know_their_caller() -> None:
    """However many threads there are."""
    CALLER.set("ada")
    for threads in (1, 3):
        found = SideBySide(threads)(lambda part: (part, CALLER.get()), range(5))
        assert found == [(part, "ada") for part in range(5)]


def test_an_error_ends_nobody_elses_work() -> None:
    """It is raised when all the others are done."""
    done = []

    def work(part: int) -> None:
        if part == 1:
            raise ValueError("one")
        done.append(part)

    with pytest.raises(ValueError, match="one"):
        SideBySide(2)(work, range(4))
    assert sorted(done) == [0, 2, 3]
