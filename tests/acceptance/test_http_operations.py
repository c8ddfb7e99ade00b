"""``arbiter serve`` as those see it who run it: numbers of all workers, logs, and outages of judges."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families as families

from tests.http_server import ServeProcess, serve_process

SECRET = "Ana hides the emeralds under the third stair"
ROUNDS = 24
# One of several processes that retry at the same time. Its judge writes down every pair that it is asked.
RETRY = """
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from arbiter.adapters.sql_store import SqlStore
from arbiter.pipeline.retry import RetryPlan, retry
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import make_record, verdict
from tests.unit.pipeline.conftest import DOWN, context_on

folder, owner = Path(sys.argv[1]), sys.argv[2]

class Written(TableJudge):
    def judge(self, pairs):
        found = super().judge(pairs)
        with (folder / "asked.txt").open("a") as file:
            file.writelines(f"{pair.a.content} | {pair.b.content}\\n" for pair in pairs)
        return found

judge = Written(otherwise=verdict("update"))
clock = lambda: datetime.now(UTC)
context = replace(context_on(SqlStore(folder / "facts.db", clock), judge), clock=clock)
if owner == "fill":
    judge.otherwise = DOWN
    names = [f"{a}{b}" for a in "ABCDEFGH" for b in ("da", "eo", "im", "ul", "yn")]
    told = [f"{name} is {how}." for name in names for how in ("new here", "at home here")]
    submit([make_record(text, subject=text.split()[0]) for text in told], context)
else:
    print("ready", flush=True)
    sys.stdin.readline()
    print(retry(context, RetryPlan(), owner, at_once=True).answered)
"""


def told(content: str, day: int = 1, **fields: object) -> dict[str, Any]:
    """Return a record of what a user said."""
    return {
        "content": content,
        "source": {"id": "chat:1", "kind": "user_stated"},
        "observed_at": f"2026-01-{day:02}T09:00:00Z",
        **fields,
    }


def post(served: ServeProcess, path: str, body: Mapping[str, object], **headers: str) -> httpx.Response:
    """Send JSON on a connection of its own, so that any worker may get it."""
    return httpx.post(f"{served.url}{path}", json=body, headers=headers, timeout=60, trust_env=False)


def numbers(served: ServeProcess) -> dict[str, float]:
    """Scrape, and return the sum of each name over its labels."""
    text = httpx.get(f"{served.url}/metrics", timeout=60, trust_env=False).text
    found: dict[str, float] = {}
    for family in families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0) + sample.value
    return found


def logged(served: ServeProcess) -> list[dict[str, Any]]:
    """Return the lines of the log; every line is JSON."""
    return [json.loads(line) for line in served.lines]


def test_every_worker_tells_the_numbers_of_all(tmp_path: Path) -> None:
    """Whichever of two workers is asked: all records are counted, those of the other one, too."""
    with serve_process(tmp_path, "--workers", "2", "--judge", "none") as served:
        for n in range(ROUNDS):
            post(served, "/v1/records", {"records": [told(f"Fact number {n}.")]}).raise_for_status()
        scraped = [numbers(served) for _ in range(8)]
        workers = {line["message"] for line in logged(served) if "Started server process" in line["message"]}
    assert len(workers) == 2
    assert {found["arbiter_records_total"] for found in scraped} == {ROUNDS}
    assert {found["arbiter_batch_records_sum"] for found in scraped} == {ROUNDS}
    assert {found["arbiter_writer_waiting_records"] for found in scraped} == {0}
    assert {found["arbiter_store_up"] for found in scraped} == {1}


def test_the_log_is_json_without_facts_and_keys(tmp_path: Path) -> None:
    """From the first line to the last one, whatever callers send; receipts lead back to what was done."""
    made = subprocess.run(
        [sys.executable, "-m", "arbiter", "keys", "create", "crm", "--scope", "submit", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    token = json.loads(made.stdout)["token"]
    with serve_process(tmp_path, "--judge", "none") as served:
        key = {"Authorization": f"Bearer {token}"}
        record = told(SECRET, subject="emeralds")
        answer = post(served, "/v1/records", {"records": [record]}, **key, **{"X-Request-Id": "run-7"})
        post(served, "/v1/search", {"text": SECRET}, Authorization=f"Bearer {token}x")
        post(served, f"/v1/{SECRET}?text={SECRET}", {"text": SECRET}, **key)
        served.process.terminate()
        served.wait()
        lines, text = logged(served), "".join(served.lines)
    (line,) = [line for line in lines if line.get("request_id") == "run-7"]
    assert (line["route"], line["status"], line["caller"]) == ("/v1/records", 200, "crm")
    assert line["receipts"] == [receipt["receipt_id"] for receipt in answer.json()["receipts"]]
    assert [line["status"] for line in lines if line["logger"] == "arbiter.requests"] == [200, 401, 404]
    assert "emeralds" not in text
    assert token.split("_", 2)[2] not in text


def test_processes_that_retry_at_once_ask_about_every_pair_once(tmp_path: Path) -> None:
    """Four processes find forty held pairs at the same moment; each pair is put before a judge once."""
    script = [sys.executable, "-c", RETRY, str(tmp_path)]
    subprocess.run([*script, "fill"], check=True)
    assert len((tmp_path / "asked.txt").read_text().splitlines()) == 40
    (tmp_path / "asked.txt").unlink()
    running = [
        subprocess.Popen([*script, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("ada", "ben", "cem", "dua")
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    answered = [int(process.communicate("go\n", timeout=120)[0]) for process in running]
    asked = (tmp_path / "asked.txt").read_text().splitlines()
    assert (sum(answered), len(asked), len(set(asked))) == (40, 40, 40)
