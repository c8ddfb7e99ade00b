"""Responses of a model that are out of joint: what they say, what they claim to cost, how they are sent."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from arbiter.adapters.litellm_client import LitellmClient
from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Spend, Unjudged
from arbiter.judges.budget import CostLedger
from arbiter.judges.llm import LlmJudge
from tests.chat import item, labels, pairs, reply
from tests.processes import ROOT
from tests.scripted_server import Answer, ScriptedServer, scripted_server

# litellm and pydantic silence these themselves; pytest's own filters undo that.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
]

PROMPT = load("relation.v2")
GOOD = reply(item(1), item(2, "unrelated"))
JUDGED, IN_VAIN, NO_USE = ["duplicate", "unrelated"], ["judge_unavailable"] * 2, ["judge_reply"] * 2
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@pytest.fixture(scope="module", autouse=True)
def _litellm_is_loaded() -> None:
    """Import litellm beforehand, so that this does not count against a deadline."""
    assert LitellmClient("openai/gpt-4o-mini").has_price


def judge_of(server: ScriptedServer, *, budget: CostLedger | None = None, **options: Any) -> LlmJudge:
    """Return a judge of a server, at two dollars a million tokens, that does not wait between attempts."""
    client = LitellmClient(
        "openai/scripted",
        api_base=server.api_base,
        api_key="none",
        sleep=lambda _: None,
        usd_per_million=(2.0, 2.0),
    )
    return LlmJudge(client, PROMPT, budget=budget, **options)


def completion(**fields: object) -> str:
    """Return the body of a good response with other fields."""
    return json.dumps(json.loads(Answer(GOOD).payload()) | fields)


def saying(**message: object) -> str:
    """Return such a body with another message."""
    return completion(choices=[{"index": 0, "finish_reason": "stop", "message": message}])


def costing(prompt: object, written: object) -> str:
    """Return such a body with another usage."""
    return completion(usage={"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": 1})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("<html>Sign in to the hotel's network</html>", IN_VAIN, id="a page"),
        pytest.param("", IN_VAIN, id="nothing"),
        pytest.param("null", IN_VAIN, id="null"),
        pytest.param("[" * 100_000, IN_VAIN, id="deep"),
        pytest.param(completion()[:80], IN_VAIN, id="half"),
        pytest.param(f"data: {completion()}\n\ndata: [DONE]\n\n", IN_VAIN, id="a stream"),
        pytest.param(completion(choices=None), IN_VAIN, id="choices null"),
        pytest.param(completion(choices=[]), NO_USE, id="no choice"),
        pytest.param(completion(choices=[None]), IN_VAIN, id="choice null"),
        pytest.param(completion(choices=[{"message": None}]), IN_VAIN, id="message null"),
        pytest.param(saying(content=None), NO_USE, id="content null"),
        pytest.param(saying(content=7), IN_VAIN, id="content of another type"),
        pytest.param(saying(content={"relation": "duplicate"}), IN_VAIN, id="content as an object"),
        pytest.param(saying(content=None, refusal="no"), NO_USE, id="a refusal"),
        pytest.param(saying(content=None, tool_calls=[{}]), IN_VAIN, id="a call of no tool"),
        pytest.param(saying(content="\ud800"), NO_USE, id="a lone surrogate"),
        pytest.param(completion(model=7, id=None, created="x", object="list"), JUDGED, id="odd and whole"),
        pytest.param('{"error": {"message": "overloaded"}}', IN_VAIN, id="an error with status 200"),
        pytest.param('{"error": {"message": "slow down", "code": 429}}', IN_VAIN, id="a 429 with status 200"),
    ],
)
def test_a_body_out_of_joint_may_be_asked_for_again(body: str, expected: list[str]) -> None:
    """What stands at that address for a while gives no label, and is no reason to give a pair up."""
    with scripted_server(lambda _: Answer(body=body)) as server:
        judge = judge_of(server)
        judged, _ = judge.judge(pairs(2))
        assert labels(judged) == expected
        assert [found.retryable for found in judged if isinstance(found, Unjudged)] == [True] * (
            0 if expected == JUDGED else 2
        )
        assert "Traceback" not in repr(judged)
        assert len(server.requests) == (1 if expected == JUDGED else 3)
        server.script = lambda _: Answer(GOOD)
        assert labels(judge.judge(pairs(2))[0]) == JUDGED


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"HTTP/9.9 900 Hello\r\n\r\n", id="no HTTP"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00", id="TLS"),
        pytest.param(HEAD + b"content-length: 9999\r\n\r\n{}", id="cut off"),
        pytest.param(HEAD + b"content-length: -1\r\n\r\n{}", id="a length below zero"),
        pytest.param(HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}", id="no chunk"),
        pytest.param(HEAD + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}", id="no gzip"),
        pytest.param(HEAD + b"content-length: 4\r\n\r\n\xff\xfe\xc0\x80", id="no UTF-8"),
        pytest.param(HEAD + b"x: " + b"y" * 200_000 + b"\r\n\r\n", id="a huge header"),
    ],
)
def test_bytes_out_of_joint_may_be_asked_for_again(raw: bytes) -> None:
    """Whatever the connection carries, the pairs are held."""
    with scripted_server(lambda _: Answer(raw=raw)) as server:
        judged, _ = judge_of(server).judge(pairs(2))
        assert (labels(judged), len(server.requests)) == (IN_VAIN, 3)
    assert [found.retryable for found in judged if isinstance(found, Unjudged)] == [True] * 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(costing(-1_000_000, -5), id="below zero"),
        pytest.param(costing(100, -1_000_000), id="one below zero"),
        pytest.param(costing(10**30, 1), id="beyond counting"),
        pytest.param(costing(None, None), id="null"),
        pytest.param(completion(usage=None), id="none"),
    ],
)
def test_a_price_that_cannot_be_is_taken_for_the_highest(body: str) -> None:
    """A provider that says it gave tokens back does not lift the ceiling."""
    budget = CostLedger(max_usd=0.02)
    with scripted_server(lambda _: Answer(body=body)) as server:
        judge = judge_of(server, budget=budget)
        found = [labels(judge.judge(pairs(2))[0]) for _ in range(6)]
        asked = len(server.requests)
    assert found == [JUDGED] * asked + [["budget_exceeded"] * 2] * (6 - asked)
    assert 0 < asked < 6
    assert budget.spent.llm_calls == asked
    assert budget.spent.completion_tokens == asked * 900
    assert 0 < budget.spent.usd <= 0.02


def test_a_response_that_never_ends_takes_nobody_elses_place() -> None:
    """Each byte begins a time-out anew; the deadline holds all the same, and the next pairs are judged."""
    with scripted_server(lambda _: Answer(endless=True)) as server:
        slow = judge_of(server, deadline_s=0.3, concurrency=2, pairs_per_call=1)
        for _ in range(2):
            assert labels(slow.judge(pairs(2))[0]) == ["deadline"] * 2
        assert len(server.requests) == 4
        assert not server.closing.is_set()
        server.script = lambda _: Answer(reply(item(1)))
        judged, spend = slow.judge(pairs(2))
    assert labels(judged) == ["duplicate"] * 2
    assert spend == Spend(2, 200, 40, 0.00048)


PLANTED = "xyzzy under the third stair"
SPEAKING = """
import sys
from arbiter.adapters.litellm_client import LitellmClient
from arbiter.adapters.prompts import load
from arbiter.judges.llm import LlmJudge
from tests.chat import pairs
client = LitellmClient("openai/scripted", api_base=sys.argv[1], api_key="none", max_attempts=1)
for _ in range(int(sys.argv[2])):
    LlmJudge(client, load("relation.v2")).judge(pairs(1))
"""


def test_what_a_response_holds_is_not_printed() -> None:
    """It may quote a record; a library's warnings on standard error would bring it into the logs."""
    answers = [
        Answer(body=saying(content={"said": PLANTED})),
        Answer(body=completion(choices=[{"message": {"content": [PLANTED]}}])),
        Answer(body=f"<html>{PLANTED}</html>"),
        Answer(f"boom at {PLANTED}", 500),
        Answer(f"cannot read {PLANTED}", 401),
    ]
    with scripted_server(answers) as server:
        command = [sys.executable, "-c", SPEAKING, server.api_base, str(len(answers))]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert len(server.requests) == len(answers)
    assert (done.stdout, done.stderr) == ("", "")
