"""A day of a service: what records say, and keys, are nowhere but where they belong.

Every text of a record has one word in it that nothing else has. It may come back where a person asked for
texts: in facts, searches, questions and exports, and where a receipt tells what a judge said of a pair. It
may stand in no log line, number, trace, error or summary. Keys may stand nowhere at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.domain.access import SCOPES
from tests.acceptance.calling import told
from tests.acceptance.databases import refusing
from tests.acceptance.leaks import (
    LLM_KEY,
    MOODS,
    ODD,
    TEXTS_MAY_STAND,
    WORD,
    Moods,
    places_of,
    secret,
    variables,
)
from tests.acceptance.test_http_keys import caller, keys
from tests.collector import Collector, collecting
from tests.http_server import ServeProcess, serve_process
from tests.scripted_server import scripted_server

if TYPE_CHECKING:
    import httpx

GONE = "frobozz"
"""In a text that is erased."""
PROBLEM = "application/problem+json"


@dataclass
class Day:
    """A running service and everything that it has said."""

    served: ServeProcess
    client: httpx.Client
    model: Moods
    answers: list[httpx.Response] = field(default_factory=list)

    def ask(self, method: str, path: str, **how: Any) -> httpx.Response:
        """Send a request and keep the answer."""
        answer = self.client.request(method, path, **how)
        self.answers.append(answer)
        return answer

    def send(self, path: str, content: str, kind: str = "json") -> None:
        """Send a body as it is."""
        self.ask("POST", path, content=content.encode(), headers={"Content-Type": f"application/{kind}"})

    def say(self, *records: object, **headers: str) -> list[dict[str, Any]]:
        """Submit records."""
        answer = self.ask("POST", "/v1/records", json={"records": records}, headers=headers)
        receipts: list[dict[str, Any]] = answer.json().get("receipts", [])
        return receipts


def work(day: Day) -> None:
    """Submit while the model is well and while it is not, be refused, look, answer questions, undo, erase."""
    records = [secret("sleeps"), secret("sings", 2)]
    day.say(*records, **{"Idempotency-Key": "monday"})
    day.say(*records, **{"Idempotency-Key": "monday"})
    day.say(records[0], **{"Idempotency-Key": "monday"})
    for number, mood in enumerate(MOODS, 3):
        day.model.mood = mood
        day.say(secret(f"{mood} itself", number))
        day.ask("POST", "/v1/classify", json={"pairs": [{"id": WORD, "a": records[0], "b": secret("x", 9)}]})
    day.model.mood = "good"
    refused(day, records[0])
    day.ask("POST", "/v1/compile")
    day.ask("POST", "/v1/search", json={"text": f"Where is the {WORD}?"})
    day.send("/v1/records/stream", "\n".join(json.dumps(secret("runs", n)) for n in (1, 2)), "x-ndjson")
    for form in ("jsonl", "csv", "label-studio", "argilla"):
        day.ask("GET", "/v1/reviews/export", params={"format": form})
    first, second, *_ = day.ask("GET", "/v1/reviews", params={"text": WORD}).json()["items"]
    note = {"text": f"It is the {WORD}.", "author": "kim"}
    day.ask("POST", f"/v1/reviews/{first['id']}/comments", json=note)
    seen = {name: first[name] for name in ("digest_a", "digest_b")}
    ruling = {"ruling": "keep_a", "reason": f"the {WORD} said so", **seen}
    day.ask("POST", f"/v1/reviews/{first['id']}/ruling", json=ruling)
    merged = {"ruling": "merge", "text": f"The {WORD} is in Oslo.", "digest_a": second["digest_a"]}
    day.ask("POST", f"/v1/reviews/{second['id']}/ruling", json={**merged, "digest_b": second["digest_b"]})
    day.ask("GET", "/v1/rulings/export", params={"format": "jsonl"})
    day.send(
        "/v1/reviews/import", json.dumps({"review_id": WORD, "ruling": WORD, "reason": WORD}), "x-ndjson"
    )


def erased(day: Day) -> None:
    """Let a text be quoted wherever one can be, and erase it."""
    one, other = (told(f"The {WORD} {GONE} is in room {number}.", number, subject=WORD) for number in (7, 8))
    day.say(one)
    (receipt,) = day.say(other, **{"Idempotency-Key": "gone"})
    day.model.mood = "rejected"
    day.say(told(f"The {WORD} is gone from room 9.", 9, subject=WORD))
    day.model.mood = "good"
    (question, *_) = day.ask("GET", "/v1/reviews", params={"text": GONE}).json()["items"]
    seen = {name: question[name] for name in ("digest_a", "digest_b")}
    ruling = {"ruling": "keep_both", "reason": f"the {GONE} said so", **seen}
    day.ask("POST", f"/v1/reviews/{question['id']}/ruling", json=ruling)
    assert GONE in day.ask("GET", "/v1/facts", params={"state": "all"}).text
    for said in (one, other):
        (fact,) = (f for f in day.answers[-1].json()["facts"] if f["content"] == said["content"])
        assert day.client.delete(f"/v1/facts/{fact['fact_id']}").status_code == 200
    for path in (
        f"/v1/receipts/{receipt['receipt_id']}",
        f"/v1/facts/{receipt['fact_id']}",
        f"/v1/facts/{receipt['fact_id']}/history",
        f"/v1/reviews/{question['id']}",
        "/v1/facts?state=all&limit=1000",
        "/v1/reviews?status=all",
        "/v1/reviews/export?status=all",
        "/v1/rulings/export",
    ):
        answer = day.ask("GET", path)
        assert (answer.status_code, GONE in answer.text) == (200, False), path
    again = {"json": {"records": [other]}, "headers": {"Idempotency-Key": "gone"}}
    assert GONE not in day.ask("POST", "/v1/records", **again).text


def refused(day: Day, record: Mapping[str, Any]) -> None:
    """Send what cannot be taken, with the word wherever a text can stand."""
    for name in record:
        day.say({**record, name: [WORD]}, {**record, name: WORD * 5_000}, {**record, name: f"{WORD}\x00"})
    day.say({**record, ODD: WORD}, WORD, [WORD])
    day.send("/v1/records", f'{{"records": [{{"content": "{WORD}')
    day.send("/v1/records", f'{{"{WORD}": ' * 2_000)
    day.ask("POST", "/v1/search", json={"text": WORD, "limit": WORD})
    day.ask("POST", "/v1/policy/diff", json={"policy": WORD})
    day.ask("GET", "/v1/facts", params={"state": WORD, "as_of": WORD})
    day.ask("GET", f"/v1/facts/{WORD}")
    day.ask("GET", f"/{WORD}?text={WORD}", headers={"X-Request-Id": f"{WORD} {WORD}", "traceparent": WORD})
    day.ask(
        "POST",
        "/v1/records",
        json={},
        headers={"Idempotency-Key": "\u00e9".encode("latin-1") + WORD.encode()},
    )


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Return a running collector of traces."""
    with collecting() as server:
        yield server


def test_a_day_of_the_service(
    tmp_path: Path, collector: Collector, capfd: pytest.CaptureFixture[str]
) -> None:
    """Logs, numbers, traces and errors have no word of a record; nothing at all has a key."""
    token = keys(tmp_path, "create", "kim", *(f"--scope={scope}" for scope in SCOPES))["token"]
    wrong = token[:-3] + "abc"
    moods = Moods()
    with scripted_server(moods) as model:
        more = {"serve_traces_url": collector.url, "serve_retry_s": "0.2", "serve_metrics_namespaces": "1"}
        with (
            serve_process(tmp_path, **variables(model), **more) as served,
            caller(served.url, token) as client,
        ):
            day = Day(served, client, moods)
            work(day)
            erased(day)
            with refusing(str(tmp_path / "arbiter.db"), f"The {WORD} is refused."):
                assert day.say(told(f"The {WORD} is refused.")) == []
            for path in ("/v1/facts", f"/v1/facts?key={token}", f"/{token}"):
                day.ask("GET", path, headers={"Authorization": f"Bearer {wrong}"})
            signed_in = sign_in(day, token, wrong)
            numbers = day.ask("GET", "/metrics").text
            served.process.terminate()
            served.wait()
    traces = b"".join(body for _, body in collector.got).decode("utf-8", "replace")
    printed = capfd.readouterr().out
    log = "".join(served.lines)
    assert "arbiter.judge" in traces
    assert all(json.loads(line)["level"] for line in served.lines)
    for place, text in {"log": log, "output": printed, "traces": traces, "numbers": numbers}.items():
        assert WORD not in text.lower(), place
        assert ODD not in text.lower(), place
    problems = [answer for answer in day.answers if answer.status_code >= 400]
    assert {answer.status_code for answer in problems} >= {400, 401, 404, 422}
    # The form that asks for a key leads back to the page that was asked for.
    told_of = [answer.text for answer in problems if answer.headers["content-type"] == PROBLEM]
    assert len(problems) == len(told_of) + 1
    assert [text for text in told_of if WORD in text] == []
    receipts = list(receipts_of(day))
    assert len(receipts) > 12
    assert {place for receipt in receipts for place in places_of(WORD, receipt)} <= TEXTS_MAY_STAND
    assert [file.name for file in tmp_path.iterdir() if GONE.encode() in file.read_bytes()] == []
    everything = "".join([log, printed, traces, *(f"{a.headers}{a.text}" for a in day.answers)])
    for key in (token, token.split("_", 2)[2], wrong, LLM_KEY, LLM_KEY[3:], signed_in):
        assert key not in everything


def sign_in(day: Day, token: str, wrong: str) -> str:
    """Sign in on the page, once in vain, look at a question, and return the cookie."""
    own = {
        "origin": day.served.url,
        "Content-Type": "application/x-www-form-urlencoded",
        "accept": "text/html",
    }
    day.ask("POST", "/review/login", data={"key": wrong, "next": f"/review?text={WORD}"}, headers=own)
    answer = day.client.post("/review/login", data={"key": token}, headers=own)
    assert answer.status_code == 303
    day.ask("GET", "/review", params={"text": WORD})
    return str(day.client.cookies["arbiter_session"])


def receipts_of(day: Day) -> Iterator[dict[str, Any]]:
    """Yield every receipt that was given."""
    for answer in day.answers:
        if answer.request.url.path == "/v1/records" and answer.status_code < 400:
            yield from answer.json()["receipts"]
        if answer.request.url.path == "/v1/records/stream":
            yield from map(json.loads, answer.text.splitlines())
