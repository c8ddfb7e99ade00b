"""Two tenants of one service, and everything that each of them has there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.testing import TableJudge
from tests.acceptance.calling import told
from tests.factories import day, verdict
from tests.http_server import http_server
from tests.unit.pipeline.conftest import context_on

if TYPE_CHECKING:
    from arbiter.adapters.secret_tokens import Made

OURS, THEIRS = "ours", "theirs"
US, THEM = "Ana", "Xyzzy"


@dataclass(frozen=True)
class Things:
    """What a tenant has, by the name under which it is asked for."""

    ids: Mapping[str, str]
    query: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...]
    answers: str


@dataclass(frozen=True)
class Service:
    """A running service, our client and what lies in the store of both tenants."""

    url: str
    us: httpx.Client
    them: httpx.Client
    database: Path

    def theirs(self) -> dict[str, list[str]]:
        """Return every row of the store that is theirs."""
        with closing(sqlite3.connect(self.database)) as file:
            tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            rows: dict[str, list[str]] = {}
            for table in tables:
                if "namespace" in [row[1] for row in file.execute(f"PRAGMA table_info('{table}')")]:
                    found = file.execute(f'SELECT * FROM "{table}" WHERE namespace = ?', [THEIRS])  # noqa: S608
                    rows[table] = sorted(map(repr, found))
            return rows


def judge() -> TableJudge:
    """Return a judge that knows what the two tenants say."""
    table: dict[tuple[str, str], Any] = {}
    for who in (US, THEM):
        table[f"{who} lives in Lisbon.", f"{who} moved to Porto."] = verdict("update", mutability="mutable")
        births = [f"{who} was born in {city}." for city in ("Porto", "Faro", "Braga")]
        fixed = verdict("contradiction", mutability="immutable", stakes="high")
        table |= {(one, other): fixed for one in births for other in births if one != other}
    return TableJudge(table)


@contextmanager
def service(folder: Path, made: Mapping[str, Made]) -> Iterator[Service]:
    """Run a service with these keys."""
    database = folder / "facts.db"
    store = SqlStore(database, lambda: day(100))
    for key in made.values():
        store.keys.add(key.key, key.digest)
    with http_server(Arbiter(context_on(store, judge())), serve_retry_s=0) as running:
        clients = {
            name: httpx.Client(
                base_url=running.url,
                headers={"Authorization": f"Bearer {key.token}"},
                trust_env=False,
                timeout=60,
            )
            for name, key in made.items()
        }
        with clients[OURS] as us, clients[THEIRS] as them:
            yield Service(running.url, us, them, database)


def settle_in(client: httpx.Client, who: str) -> Things:
    """Let a tenant say things, get questions, answer one, work on another, and take a decision back."""
    says = ("lives in Lisbon", "moved to Porto", "was born in Porto", "was born in Faro", "was born in Braga")
    shared = ("The house is green.", "The house has a cellar.")
    texts = [*(f"{who} {what}." for what in says), *shared]
    records = [
        told(text, number, by=f"chat:{who}", ref=f"ref {who} {number}", subject=who, tags=[who])
        for number, text in enumerate(texts, 1)
    ]
    header = {"Idempotency-Key": f"key-of-{who}"}
    receipts = client.post("/v1/records", json={"records": records}, headers=header).json()["receipts"]
    queue = client.get("/v1/reviews", params={"limit": 1}).json()
    (first,) = queue["items"]
    seen = {name: first[name] for name in ("digest_a", "digest_b")}
    ruled = client.post(f"/v1/reviews/{first['id']}/ruling", json={"ruling": "keep_a", "reason": who, **seen})
    waiting, *_ = client.get("/v1/reviews").json()["items"]
    for step, body in (
        ("comments", {"text": f"{who} knows.", "author": who}),
        ("assign", {"assignee": who}),
        ("claim", {"reviewer": who}),
    ):
        client.post(f"/v1/reviews/{waiting['id']}/{step}", json=body).raise_for_status()
    exported = client.get("/v1/reviews/export", params={"format": "jsonl"}).text
    fact = client.get(f"/v1/facts/{receipts[1]['fact_id']}").json()
    ids = {
        "fact_id": receipts[3]["fact_id"],
        "receipt_id": receipts[0]["receipt_id"],
        "review_id": waiting["id"],
        "ruling_id": ruled.json()["ruling"]["id"],
        "decision_id": fact["decisions"][0]["id"],
    }
    namespace = receipts[0]["namespace"]
    return Things(
        ids=ids,
        query={
            "namespace": (namespace,),
            "after": (ids["fact_id"], queue["next"]),
            "subject": (who,),
            "text": (who, texts[2]),
            **dict.fromkeys(("assignee", "claimed_by", "free_for", "reviewer"), (who,)),
            "user": (f"{who}={who}",),
        },
        words=(*ids.values(), namespace, who, texts[1], f"chat:{who}", f"ref {who} 1", first["digest_a"]),
        answers="".join(
            json.dumps({**json.loads(line), "ruling": "keep_b", "reviewer": who}) + "\n"
            for line in exported.splitlines()
        ),
    )
