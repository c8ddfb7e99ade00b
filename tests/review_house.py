"""A team's review queue with something of every kind in it, served for a browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from arbiter.adapters.secret_tokens import new_key
from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.domain.access import Scope
from arbiter.domain.evidence import GuardFinding, Judgement, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import RulingKind
from arbiter.judges.guards import TextGuards
from arbiter.testing import TableJudge
from tests.factories import day, verdict
from tests.http_server import HttpServer, http_server
from tests.unit.pipeline.conftest import context_on

BORN_A, BORN_B = (
    "Ana Ribeiro was born on 4 March 1987 in Porto.",
    "Ana Ribeiro was born on 4 March 1978 in Porto.",
)
DOSE_A = "The patient takes 5 mg of apixaban twice a day, as agreed with Dr Okafor in January."
DOSE_B = "The patient takes 2.5 mg of apixaban twice a day, since her kidneys work less well."
RATE_A, RATE_B = "Northwind pays 84 euros an hour.", "Northwind pays 92 euros an hour."
PLAN_A = "Acme is on the Team plan and renews in June."
PLAN_B = "Acme uses the Team plan; the renewal is due in June, with 40 seats."
MOVE_A, MOVE_B = "Ana works from the Lisbon office.", "Ana is seen in the Berlin office most weeks."
ALLERGY_A, ALLERGY_B = "She is allergic to penicillin.", "She tolerates amoxicillin well."
BOTH = "Acme is on the Team plan with 40 seats and renews in June."


def odds(**shares: float) -> dict[str, float]:
    """Return the probabilities of the five relations."""
    return {
        "duplicate": 0.0,
        "update": 0.0,
        "contradiction": 0.0,
        "complementary": 0.0,
        "unrelated": 0.0,
    } | shares


def found(relation: str, **fields: Any) -> Verdict:
    """Return a verdict of the packaged model."""
    return replace(verdict(relation, **fields), judge="local/3f2a91c7d04b")


TOLD: dict[tuple[str, str], Judgement] = {
    (BORN_A, BORN_B): found(
        "contradiction",
        confidence=0.91,
        mutability="immutable",
        stakes="high",
        attribute="date of birth",
        reason="Both name the birth date of one person, and the years differ.",
        probabilities=odds(contradiction=0.91, duplicate=0.05, update=0.04),
        guards=(GuardFinding("number", "1987", "1978"),),
    ),
    (DOSE_A, DOSE_B): found(
        "update",
        confidence=0.74,
        stakes="high",
        mutability="mutable",
        attribute="dose of apixaban",
        reason="The later note gives a smaller dose and says why.",
        probabilities=odds(update=0.74, contradiction=0.22, complementary=0.04),
        guards=(GuardFinding("unit", "5 mg", "2.5 mg"),),
    ),
    (RATE_A, RATE_B): found(
        "contradiction",
        confidence=0.58,
        mutability="mutable",
        probabilities=odds(contradiction=0.58, update=0.39, unrelated=0.03),
    ),
    (PLAN_A, PLAN_B): found(
        "duplicate",
        confidence=0.71,
        merged_text=BOTH,
        probabilities=odds(duplicate=0.71, update=0.2, complementary=0.09),
    ),
    (MOVE_A, MOVE_B): found(
        "complementary",
        confidence=0.66,
        stale_risk="a",
        probabilities=odds(complementary=0.66, update=0.3, contradiction=0.04),
    ),
    (ALLERGY_A, ALLERGY_B): Unjudged(
        "judge_unavailable", "The judge did not answer in time.", retryable=True
    ),
}


class Clock:
    """A clock that stands still, and can be set forward."""

    def __init__(self) -> None:
        self.now = day(100)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def forward(self, **units: float) -> None:
        """Let time pass."""
        self.now += timedelta(**units)


@dataclass(frozen=True)
class House:
    """A served store with its clock and its judge."""

    server: HttpServer
    clock: Clock
    judge: TableJudge

    @property
    def arbiter(self) -> Arbiter:
        """What is served."""
        return self.server.arbiter

    def key(self, name: str, *scopes: Scope, namespace: str | None = None) -> str:
        """Make an API key and return its token."""
        made = new_key(name, namespace, scopes or ("review", "read", "submit"), at=self.clock())
        self.arbiter.context.store.keys.add(made.key, made.digest)
        return made.token

    def tell(self, a: str, b: str, relation: str, **fields: Any) -> None:
        """Let the judge find this of two texts."""
        self.judge.table = {**self.judge.table, (a, b): verdict(relation, **fields)}

    def ask(self, a: str, b: str, **fields: Any) -> str:
        """Submit two statements that somebody has to settle, and return the id of the question."""
        receipts = self.arbiter.submit([said(a, at=1, **fields), said(b, at=2, **fields)])
        found = {review for receipt in receipts for review in receipt.review}
        (review_id,) = found
        return review_id


def said(
    content: str, *, at: float = 1, source: str = "chat:4711", kind: str = "user_stated", **fields: Any
) -> dict[str, Any]:
    """Return a record as JSON."""
    ref = fields.pop("ref", None)
    identity = {"id": source, "kind": kind} | ({"ref": ref} if ref else {})
    return {"content": content, "source": identity, "observed_at": day(at).isoformat(), **fields}


def team_records(namespace: str = "default") -> list[list[dict[str, Any]]]:
    """Return what a team's agents told, in the order and groups in which it came in."""
    ana = {"subject": "Ana Ribeiro", "namespace": namespace}
    patient = {"subject": "patient:118", "namespace": namespace}
    return [
        [
            said(BORN_A, at=1, source="crm:contacts", kind="verified_observation", ref="4711", **ana),
            said(MOVE_A, at=2, source="chat:ana", ref="msg:12", **ana),
            said(
                RATE_A,
                at=5,
                source="mail:northwind",
                kind="third_party",
                subject="Northwind",
                namespace=namespace,
            ),
        ],
        [
            said(DOSE_A, at=20, source="note:ward-3", kind="verified_observation", ref="note 81", **patient),
            said(ALLERGY_A, at=21, source="chat:patient", **patient),
            said(PLAN_A, at=30, source="chat:acme", subject="Acme", namespace=namespace),
        ],
        [
            said(
                BORN_B,
                at=60,
                source="hr:import",
                kind="verified_observation",
                ref="row 92",
                confidence=0.9,
                **ana,
            ),
            said(
                BORN_B,
                at=75,
                source="agent:onboarding",
                kind="agent_inference",
                explicitness="inferred",
                confidence=0.7,
                **ana,
            ),
            said(
                MOVE_B, at=80, source="agent:calendar", kind="agent_inference", explicitness="inferred", **ana
            ),
            said(
                RATE_B,
                at=82,
                source="mail:northwind",
                kind="third_party",
                ref="m-77",
                subject="Northwind",
                namespace=namespace,
            ),
        ],
        [
            said(DOSE_B, at=95, source="note:ward-3", kind="verified_observation", ref="note 97", **patient),
            said(ALLERGY_B, at=96, source="agent:summary", kind="agent_inference", **patient),
            said(
                PLAN_B,
                at=97,
                source="agent:sales",
                kind="agent_inference",
                subject="Acme",
                namespace=namespace,
            ),
        ],
    ]


def fill(house: House, namespace: str = "default") -> None:
    """Let a team's records come in over some days."""
    for group in team_records(namespace):
        house.arbiter.submit(group)
        house.clock.forward(days=2, hours=5)


def past(house: House, namespace: str = "default") -> None:
    """Let some weeks go by in which questions are asked and three people rule on most of them."""
    relations = ("duplicate", "update", "contradiction", "complementary")
    answers = (
        RulingKind.KEEP_B,
        RulingKind.KEEP_BOTH,
        RulingKind.KEEP_A,
        RulingKind.NEITHER,
        RulingKind.SKIP,
    )
    for week in range(24):
        for number in range(1 + week % 3):
            told = f"Site {week}-{number} opens at {6 + number} in the morning."
            later = f"Site {week}-{number} opens at {7 + number} in the morning."
            house.tell(told, later, relations[(week + number) % 4], confidence=0.6, stakes="high")
            about = {"subject": f"site {week}-{number}", "namespace": namespace}
            same = f"{told} It says so."
            house.tell(told, same, "duplicate", confidence=0.97)
            house.tell(same, later, relations[(week + number) % 4], confidence=0.6, stakes="high")
            house.arbiter.submit([said(told, at=week, source="site", kind="verified_observation", **about)])
            if number == 1:
                house.arbiter.submit(
                    [said(same, at=week + 0.5, source="agent:web", kind="agent_inference", **about)]
                )
            house.arbiter.submit(
                [said(later, at=week + 1, source="site", kind="verified_observation", **about)]
            )
        for place, view in enumerate(house.arbiter.review.page(namespace=namespace).items[: 1 + week % 2]):
            house.arbiter.review.rule(
                view.queued.item.id,
                answers[(week + place) % 5],
                reviewer=("Kim", "Noor", "Jonas")[week % 3],
                namespace=namespace,
                reason="The site’s own page says so.",
            )
        house.clock.forward(days=1, hours=3)


@contextmanager
def served(
    folder: Path, told: Mapping[tuple[str, str], Judgement] = TOLD, **settings: Any
) -> Iterator[House]:
    """Serve an empty store whose judge knows what it is told."""
    clock = Clock()
    store = SqlStore(folder / "facts.db", clock)
    judge = TableJudge(
        dict(told), per_call=Spend(llm_calls=1, prompt_tokens=420, completion_tokens=60, usd=0.004)
    )
    context = replace(context_on(store, judge), clock=clock, guard=TextGuards())
    with http_server(Arbiter(context), **settings) as server:
        yield House(server, clock, judge)
