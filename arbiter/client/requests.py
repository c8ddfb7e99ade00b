"""What can be asked of the service: one function a call, the same for both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from arbiter.client.calls import Call, Page, encoded, json_of, key_for, of_key, page_of, path_to
from arbiter.client.facts import (
    Compiled,
    Fact,
    FactState,
    FadingFact,
    Flip,
    HistoryEntry,
    Hit,
    KnownFact,
    Policy,
    Ready,
)
from arbiter.client.records import KeptDecision, KeptReceipt, Receipt, Submitted, Verdicts
from arbiter.client.review_requests import ReviewRequests
from arbiter.client.sending import PairLike, RecordLike, batches_of, pair_json, record_json, several
from arbiter.client.words import State

if TYPE_CHECKING:
    import httpx

BATCH_RECORDS = 500


class Requests(ReviewRequests):
    """Makes calls.

    Whatever keeps to one namespace takes it by keyword; by default it is that of the client. A ``key`` is an
    Idempotency-Key: each call gets a new one, unless the caller has one of its own, by which the call stays
    the same even when it is made again by another process.
    """

    def submit(self, records: Iterable[RecordLike], *, key: str | None = None) -> Call[Submitted]:
        """Have records arbitrated and kept; each gets a receipt, also one that is refused."""
        told = [record_json(record, self.namespace) for record in several(records, "records")]
        content = encoded({"records": told}, "records")
        return Call("POST", "/v1/records", json_of, content=content, key=key_for(key), itemised="receipts")

    def submit_all(
        self, records: Iterable[RecordLike], *, batch: int = BATCH_RECORDS, key: str | None = None
    ) -> Iterator[Call[Page[Receipt]]]:
        """Have any number of records arbitrated, batch after batch; their places count through all of them.

        Batches get the keys ``key:0``, ``key:1``, and so on.
        """
        base, first = key_for(key), 0
        for number, bodies in enumerate(batches_of(records, self.namespace, batch)):
            yield Call(
                "POST",
                "/v1/records",
                _receipts_from(first),
                content=b'{"records":[' + b",".join(bodies) + b"]}",
                key=key_for(f"{base}:{number}"),
                itemised="receipts",
            )
            first += len(bodies)

    def receipt(self, receipt_id: str, *, namespace: str | None = None) -> Call[KeptReceipt]:
        """Read a receipt again, with what has become of the record since."""
        return Call("GET", path_to("receipts", receipt_id), json_of, self.place(namespace))

    def classify(self, pairs: Iterable[PairLike]) -> Call[Verdicts]:
        """Have pairs of records judged without keeping them: ``(a, b)``, or ``{"id", "a", "b"}``."""
        told = [pair_json(place, pair) for place, pair in enumerate(several(pairs, "pairs"))]
        content = encoded({"pairs": told}, "pairs")
        return Call("POST", "/v1/classify", json_of, content=content, itemised="verdicts")

    def facts(
        self,
        *,
        state: State | Literal["all"] = "active",
        subject: str | None = None,
        as_of: datetime | None = None,
        limit: int = 500,
        namespace: str | None = None,
    ) -> Iterator[Call[Page[Fact]]]:
        """List facts, oldest first, ``limit`` of them a request."""
        query = {"state": state, "subject": subject, "as_of": as_of, "limit": limit}
        yield Call("GET", "/v1/facts", page_of("facts"), {**query, **self.place(namespace)})

    def fact(self, fact_id: str, *, namespace: str | None = None) -> Call[KnownFact]:
        """Read one fact with the decisions that are in force about it."""
        return Call("GET", path_to("facts", fact_id), json_of, self.place(namespace))

    def history(self, fact_id: str, *, namespace: str | None = None) -> Call[list[HistoryEntry]]:
        """Read everything that happened to a fact, oldest first."""
        path = path_to("facts", fact_id, "history")
        return Call("GET", path, of_key("entries"), self.place(namespace))

    def unseen(self, *, namespace: str | None = None) -> Call[list[FadingFact]]:
        """List current facts that may have stopped being true."""
        return Call("GET", "/v1/facts/unseen", of_key("facts"), self.place(namespace))

    def search(self, text: str, limit: int = 10, *, namespace: str | None = None) -> Call[list[Hit]]:
        """Find the current facts nearest in meaning to a text."""
        content = encoded({"text": text, "limit": limit}, "text")
        return Call("POST", "/v1/search", of_key("hits"), self.place(namespace), content)

    def erase(self, fact_id: str, *, namespace: str | None = None) -> Call[None]:
        """Take the words of a fact out of everything that is kept; it cannot be undone."""
        return Call("DELETE", path_to("facts", fact_id), lambda _: None, self.place(namespace))

    def compile(
        self, *, namespace: str | None = None, from_scratch: bool = False, key: str | None = None
    ) -> Call[Compiled]:
        """Derive every state again, in one namespace, or in all where neither call nor client names one."""
        query = {"from_scratch": from_scratch, **self.place(namespace)}
        return Call("POST", "/v1/compile", json_of, query, key=key_for(key))

    def decision(self, decision_id: str, *, namespace: str | None = None) -> Call[KeptDecision]:
        """Read a decision."""
        return Call("GET", path_to("decisions", decision_id), json_of, self.place(namespace))

    def undo(
        self,
        decision_id: str,
        *,
        reviewer: str | None = None,
        cascade: bool = False,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[list[FactState]]:
        """Take a decision back, with ``cascade`` also those that rest on it; read the states that changed."""
        return Call(
            "POST",
            path_to("decisions", decision_id, "undo"),
            of_key("changed"),
            self.place(namespace),
            encoded({"reviewer": reviewer, "cascade": cascade}, "reviewer"),
            key=key_for(key),
        )

    def policy(self) -> Call[Policy]:
        """Read the policy in force."""
        return Call("GET", "/v1/policy", json_of)

    def policy_diff(self, policy: Mapping[str, Any], *, namespace: str | None = None) -> Call[list[Flip]]:
        """See which facts would stand otherwise under another policy."""
        content = encoded({"policy": policy}, "policy")
        return Call("POST", "/v1/policy/diff", of_key("facts"), self.place(namespace), content)

    def ready(self) -> Call[Ready]:
        """Ask whether the service can work; where it cannot, the error says so at once."""
        return Call("GET", "/readyz", json_of, repeatable=False)


def _receipts_from(first: int) -> Callable[[httpx.Response], Page[Receipt]]:
    def read(response: httpx.Response) -> Page[Receipt]:
        receipts: list[Receipt] = json_of(response)["receipts"]
        for place, receipt in enumerate(receipts, first):
            receipt["record_index"] = place
        return Page(receipts)

    return read
