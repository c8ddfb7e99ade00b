"""What is written to a store, commit by commit, in processes that are killed at one of them.

Each piece of work runs in a process of its own on a store with a small history. Its commits have names; the
process can be told to die just before one takes place, or just after.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

from arbiter.api import Arbiter
from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import ArbiterError, StaleRulingError
from arbiter.interchange.record_in import parse_record
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from tests.acceptance.calling import born, lives, told
from tests.first_commit import first_commit
from tests.http_server import http_server
from tests.light_service import light_context

STARTER = multiprocessing.get_context("forkserver")
STARTER.set_forkserver_preload(["tests.light_service", "tests.acceptance.interrupted"])
START = datetime(2026, 1, 1, 9, tzinfo=UTC)
LATER, AFTERWARDS = START + timedelta(minutes=10), START + timedelta(minutes=20)
"""When the work is done, and when whoever comes after a death may take up all that is unfinished."""
Death: TypeAlias = tuple[int, Literal["before", "after"]]
"""At which commit, counted from 1: just before it takes place, or just after."""
NEVER: Death = (0, "before")
_PATIENCE_S = 120

HISTORY = (
    [lives("Lisbon"), lives("Porto", 2)],
    [born("Faro"), born("Braga", 2, by="crm")],
    [lives("Evora", 1, "Dee"), lives("Sines", 2, "Dee"), told("Cy sent a note.", ref="note 1")],
)
NEWS = [
    lives("Faro", 3),
    born("Tomar", 3, by="chat:2"),
    told("Cy sent a note.", 2, by="crm"),
    told("Cy sent a note.", 3, ref="note 1"),
    told("Eve sent a note."),
]


def submit(context: Context) -> object:
    """Submit records of every kind: new, changing, contradicting, from another source and read again."""
    return Arbiter(context).submit(NEWS)


def rule(context: Context) -> object:
    """Say which of two contradicting statements is true."""
    return Arbiter(context).review.answer(_asked(context), Answer(RulingKind.KEEP_A, "ada"))


def merge(context: Context) -> object:
    """Put one text into the place of two contradicting ones."""
    text = "Bob was born in Faro and registered in Braga."
    return Arbiter(context).review.answer(_asked(context), Answer(RulingKind.MERGE, "ada", text=text))


def set_aside(context: Context) -> object:
    """Skip a question."""
    return Arbiter(context).review.answer(_asked(context), Answer(RulingKind.SKIP, "ada", reason="unknown"))


def undo(context: Context) -> object:
    """Take back that Porto came in the place of Lisbon."""
    history = context.store.history("default", fact_of(context, lives("Lisbon")))
    first = next(entry.detail["id"] for entry in history if entry.kind == "decision")
    return Arbiter(context).undo(str(first), reviewer="ada")


def retract(context: Context) -> object:
    """Take the ruling back."""
    ruling = context.store.rulings("default")[0]
    return Arbiter(context).review.undo(ruling.id, reviewer="ada")


def erase(context: Context) -> None:
    """Take the words of a fact out of everything."""
    Arbiter(context).erase(fact_of(context, lives("Evora", 1, "Dee")))


def compile_all(context: Context) -> object:
    """Finish what was interrupted and derive every state again."""
    return Arbiter(context).compile()


def compile_from_scratch(context: Context) -> object:
    """Drop every view and derive it from the log."""
    return Arbiter(context).compile(from_scratch=True)


def retry(context: Context) -> object:
    """Take up what was left behind, as the service does by itself."""
    return Arbiter(context).retry(at_once=True)


def post_news(context: Context) -> object:
    """Send records to a service on the store under a key."""
    return _post(context, "/records", {"records": NEWS})


def post_ruling(context: Context) -> object:
    """Send a ruling to a service on the store under a key."""
    (item,) = context.store.reviews("default", open_only=False)
    seen = {"digest_a": item.digest_a, "digest_b": item.digest_b}
    return _post(context, f"/reviews/{item.id}/ruling", {"ruling": "keep_a", "reviewer": "ada", **seen})


def _post(context: Context, path: str, body: object) -> object:
    with http_server(Arbiter(context)) as server:
        answer = server.client.post(f"/v1{path}", headers={"Idempotency-Key": "job-1"}, json=body)
    if answer.status_code == 409:
        raise StaleRulingError(answer.json()["detail"])
    assert answer.status_code == 200, answer.text
    return answer.json()


def leave_unfinished(context: Context) -> object:
    """Let news arrive, as a process does that dies after its first commit."""
    records = [parse_record(record, START) for record in NEWS]
    return first_commit(identify(enumerate(records), context), context)


def fact_of(context: Context, record: Mapping[str, object]) -> str:
    """Return the id of the fact that a record tells."""
    (draft,) = identify([(0, parse_record(record, START))], context)
    return draft.sighting.fact_id


def _asked(context: Context) -> str:
    (item,) = context.store.reviews("default", open_only=False)
    return item.id


@dataclass(frozen=True)
class Work:
    """Something that is done to a store, and the names of its commits in their order.

    ``before`` is done beforehand and is no part of it; ``refused`` is what it is told that asks again for
    what is done already.
    """

    do: Callable[[Context], object]
    commits: tuple[str, ...]
    before: Callable[[Context], object] = lambda _: None
    refused: type[ArbiterError] | None = None


WORKS = {
    "submission": Work(submit, ("arrive", "conclude")),
    "submission under a key": Work(post_news, ("claim the key", "arrive", "conclude", "keep the answer")),
    "ruling": Work(rule, ("rule",), refused=StaleRulingError),
    "ruling under a key": Work(
        post_ruling, ("claim the key", "rule", "keep the answer"), refused=StaleRulingError
    ),
    "merge": Work(merge, ("rule and write down", "judge the text")),
    "setting aside": Work(set_aside, ("rule",)),
    "retraction": Work(retract, ("rule",), before=rule, refused=StaleRulingError),
    "undo": Work(undo, ("rule",)),
    "erasure": Work(erase, ("erase", "note that the file was rewritten")),
    "compile": Work(compile_all, ("embed", "judge", "states"), before=leave_unfinished),
    "compile from scratch": Work(compile_from_scratch, ("drop the views", "states")),
    "retry": Work(
        retry, ("take the lease", "renew it", "embed", "judge", "give it back"), before=leave_unfinished
    ),
}


def prepare(database: str, work: Work) -> None:
    """Give an empty store its history, and what comes before a piece of work."""
    context = light_context(database, lambda: START)
    for records in HISTORY:
        assert [receipt.stored for receipt in Arbiter(context).submit(records)] == [True] * len(records)
    work.before(context)
    context.store.close()


@dataclass(frozen=True)
class Undertaker:
    """Lets processes do a piece of work each, and lets them die of it.

    They are born of one that has everything in mind already, so that a life takes no more than the work.
    """

    line: Connection

    def prepare(self, database: str, name: str) -> None:
        """Give an empty store what comes before a piece of work."""
        self._ask(database, name, None)

    def live(self, database: str, name: str, killed: Death | None = None) -> int:
        """Let a process do a piece of work and return its number of commits: none if it is killed."""
        status, commits = self._ask(database, name, killed or NEVER)
        assert os.waitstatus_to_exitcode(status) == (0 if killed is None else -signal.SIGKILL)
        return commits

    def _ask(self, *asked: object) -> tuple[int, int]:
        self.line.send(asked)
        assert self.line.poll(_PATIENCE_S)
        status, commits = self.line.recv()
        return int(status), int(commits)


@contextmanager
def undertaker() -> Iterator[Undertaker]:
    """Employ one until the block ends."""
    ours, theirs = STARTER.Pipe()
    process = STARTER.Process(target=_undertake, args=(theirs,))
    process.start()
    theirs.close()
    yield Undertaker(ours)
    ours.close()
    process.join(_PATIENCE_S)


def _undertake(line: Connection) -> None:
    with suppress(EOFError):
        while True:
            database, name, killed = line.recv()
            if killed is None:
                prepare(database, WORKS[name])
                _rehearse(WORKS[name])
                line.send((0, 0))
                continue
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(writing, bytes([_live(database, name, killed)]))
                os._exit(0)
            os.close(writing)
            told, status = os.read(reading, 1), os.waitpid(child, 0)[1]
            os.close(reading)
            line.send((status, sum(told)))


def _rehearse(work: Work) -> None:
    """Do a piece of work for once, so that those who are born later need not begin by learning it."""
    with TemporaryDirectory() as folder:
        prepare(f"{folder}/rehearsal.db", work)
        context = light_context(f"{folder}/rehearsal.db", lambda: LATER)
        work.do(context)
        context.store.close()


def _live(database: str, name: str, killed: Death) -> int:
    context, commits = light_context(database, lambda: LATER), 0

    def die_before(_: object) -> None:
        nonlocal commits
        commits += 1
        if killed == (commits, "before"):
            os.kill(os.getpid(), signal.SIGKILL)

    def die_after(*_: object) -> None:
        if killed == (commits, "after"):
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "commit", die_before)
    event.listen(Pool, "checkin", die_after)
    WORKS[name].do(context)
    return commits
