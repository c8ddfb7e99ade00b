"""/healthz and /readyz: is the process alive, and can it work?"""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.ports import Judge
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from arbiter.web.readiness import KEPT, STUCK, Finding, Readiness
from tests.unit.pipeline.conftest import FailsOn, context_on, with_embedder
from tests.unit.web.keyed import StillClock, serving

OK = {"status": "ok", "code": None, "detail": None}
LOCKED = Finding("failed", "store_unavailable", "The store is locked, full or cannot be read.")


def findings(readiness: Readiness) -> dict[str, Finding]:
    """Return what is found about each part."""
    return {str(part): found for part, found in asyncio.run(readiness.findings()).items()}


class TriedStore(MemoryStore):
    """A store that counts how often it was tried, and answers when it is let."""

    def __init__(self, clock: StillClock) -> None:
        super().__init__(clock)
        self.tried = 0
        self.let = Event()

    def check_writable(self) -> None:
        """Wait until it is let."""
        self.tried += 1
        self.let.wait()


@dataclass
class Broken(TableJudge):
    """A judge whose model cannot be loaded."""

    fault: Exception = field(default_factory=ConfigurationError)

    def judge(self, pairs: object) -> object:  # type: ignore[override]  # noqa: ARG002
        """Fail."""
        raise self.fault


def test_a_service_that_can_work_says_so() -> None:
    """Every part is well; the store, the embedder and the index were used for it."""
    with serving(keys=True) as served:
        assert served.client().get("/healthz").json() == {"status": "ok"}
        answer = served.client().get("/readyz")
        assert answer.status_code == 200
        assert answer.json() == {
            "status": "ok",
            "access": "keys",
            "parts": {"store": OK, "index": OK, "judges": OK},
        }


def test_a_service_without_keys_says_that_it_is_open() -> None:
    """Whoever watches it sees that, and when there is a key by now."""
    clock = StillClock()
    with serving(clock=clock) as served:
        assert served.client().get("/readyz").json()["access"] == "open"
        served.make_key()
        clock.pass_by(minutes=1)
        served.client().get("/v1/policy")
        assert served.client().get("/readyz").json()["access"] == "keys"


def test_a_store_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    """503, which part and why, but no name of a file; the process lives all the same; later it is well."""
    clock = StillClock()
    path = tmp_path / "secret-place.db"
    store = SqlStore(path, clock, busy_timeout=timedelta(milliseconds=1))
    with serving(store=store, clock=clock) as served:
        blocking = sqlite3.connect(path, isolation_level=None)
        blocking.execute("BEGIN IMMEDIATE")
        answer = served.client().get("/readyz")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        problem = answer.json()
        assert (problem["code"], problem["retryable"], problem["access"]) == ("not_ready", True, "open")
        assert problem["detail"] == "cannot work now: store (store_unavailable)"
        assert problem["parts"] == {
            "store": {"status": "failed", "code": LOCKED.code, "detail": LOCKED.detail},
            "index": OK,
            "judges": OK,
        }
        assert "secret-place" not in answer.text
        assert served.client().get("/healthz").status_code == 200
        blocking.execute("ROLLBACK")
        blocking.close()
        assert served.client().get("/readyz").status_code == 503
        clock.pass_by(seconds=6)
        assert served.client().get("/readyz").status_code == 200


def test_a_busy_store_works_and_is_tried_once_at_a_time() -> None:
    """While somebody else writes for long the service is ready; nobody queues up behind."""
    clock = StillClock()
    store = TriedStore(clock)
    readiness = Readiness(context_on(store, TableJudge()), [], patience_s=0.01)
    busy = Finding("busy", "busy", "no answer within 0.01 seconds")
    assert [findings(readiness)["store"], findings(readiness)["store"]] == [busy, busy]
    assert store.tried == 1
    store.let.set()
    readiness.close()


def test_what_was_found_holds_while_it_is_tried_again() -> None:
    """A part that is slow under load stays as it was; only one that is silent for a minute does not work."""
    clock = StillClock()
    store = TriedStore(clock)
    context = replace(context_on(store, TableJudge()), clock=clock)
    readiness = Readiness(context, [], patience_s=0.01)
    store.let.set()
    assert findings(readiness)["store"] == Finding("ok")
    store.let.clear()
    clock.pass_by(seconds=6)
    assert [findings(readiness)["store"] for _ in range(2)] == [Finding("ok")] * 2
    assert store.tried == 2
    clock.pass_by(seconds=61)
    assert findings(readiness)["store"] == Finding("failed", "stuck", "no answer within 60 seconds")
    assert timedelta(minutes=1) == STUCK
    store.let.set()
    readiness.close()


def test_an_answer_that_took_long_holds_as_long_as_any_other() -> None:
    """What is slower than a finding is young is found out all the same, and tried once."""
    clock = StillClock()
    store = TriedStore(clock)
    context = replace(context_on(store, TableJudge()), clock=clock)
    readiness = Readiness(context, [], patience_s=0.01)
    assert findings(readiness)["store"].status == "busy"
    clock.pass_by(seconds=30)
    store.let.set()
    while (found := findings(readiness)["store"]).status == "busy":
        pass
    assert (found, store.tried) == (Finding("ok"), 1)
    readiness.close()


def test_a_finding_holds_for_a_while() -> None:
    """However many ask, a part is tried once in five seconds."""
    clock = StillClock()
    store = TriedStore(clock)
    store.let.set()
    context = context_on(store, TableJudge())
    readiness = Readiness(context, [])
    for _ in range(3):
        assert findings(readiness)["store"] == Finding("ok")
    assert store.tried == 1
    readiness.close()
    assert timedelta(seconds=5) == KEPT


def test_texts_that_cannot_be_embedded_are_a_fault_of_the_index() -> None:
    """Nothing could be searched then."""
    broken = with_embedder(context_on(MemoryStore(StillClock()), TableJudge()), FailsOn("Ana"))
    found = findings(Readiness(broken, []))
    assert found["index"] == Finding("failed", "embedding_failed", "The texts could not be embedded.")
    assert found["store"] == Finding("ok")


@pytest.mark.parametrize(
    ("judges", "code"),
    [
        ([Broken()], "configuration"),
        ([Broken(fault=ZeroDivisionError("secret"))], "internal_error"),
        ([TableJudge(otherwise=Unjudged("model_failed", "x", retryable=True))], "model_failed"),
    ],
)
def test_a_judge_that_cannot_be_loaded_is_found(judges: list[Judge], code: str) -> None:
    """It is asked about a sample; what is wrong is told by its code alone."""
    found = findings(Readiness(context_on(MemoryStore(StillClock()), TableJudge()), judges))["judges"]
    assert (found.status, found.code) == ("failed", code)
    assert "secret" not in str(found)


def test_a_language_model_is_not_asked() -> None:
    """That would cost money with every look; judges that do not tell this pair are fine."""
    model = TableJudge(judge_id="llm/test/model", per_call=Spend(llm_calls=1))
    unsure = TableJudge(otherwise=Unjudged("not_decided", "x", retryable=False))
    found = findings(Readiness(context_on(MemoryStore(StillClock()), TableJudge()), [unsure, model]))
    assert found["judges"] == Finding("ok")
    assert (model.asked, len(unsure.asked)) == ([], 1)
