"""``arbiter serve`` as whoever runs it sees it: open or refused, on several processes, and stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx

from arbiter import Arbiter, Settings
from tests.chat import item, reply
from tests.http_server import serve_process
from tests.scripted_server import Answer, Request, scripted_server

LISBON, PORTO = "Ana lives in Lisbon.", "Ana moved to Porto."


def told(content: str, day: int = 1, **fields: object) -> dict[str, Any]:
    """Return a record of what a user said."""
    return {
        "content": content,
        "source": {"id": "chat:1", "kind": "user_stated"},
        "observed_at": f"2026-01-{day:02}T09:00:00Z",
        "subject": "ana",
        **fields,
    }


def post(url: str, *records: dict[str, Any]) -> httpx.Response:
    """Submit records."""
    return httpx.post(f"{url}/v1/records", json={"records": records}, timeout=60, trust_env=False)


def test_it_starts_open_and_says_so(tmp_path: Path) -> None:
    """One command, no key: it serves this machine, warns whoever started it, and stops when it is told to."""
    with serve_process(tmp_path, "--judge", "none", "--db", "mine.db") as served:
        answer = post(served.url, told(LISBON))
        assert answer.json()["receipts"][0]["outcome"] == "stored"
        served.process.send_signal(signal.SIGTERM)
        assert served.wait() in (0, -signal.SIGTERM)
    assert any("THE SERVICE IS OPEN" in line for line in served.lines)
    assert not any(LISBON in line for line in served.lines)
    with Arbiter.open(tmp_path / "mine.db") as arbiter:
        assert [view.fact.content for view in arbiter.facts()] == [LISBON]


def test_without_keys_it_listens_nowhere_else(tmp_path: Path) -> None:
    """Another address is refused before anything listens there."""
    done = subprocess.run(
        [sys.executable, "-m", "arbiter", "serve", "--port", "0", "--host", "0.0.0.0"],  # noqa: S104
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: configuration: serve_host: other machines reach 0.0.0.0")


def test_settings_come_from_flags_variables_and_a_file(tmp_path: Path) -> None:
    """Also those that no flag has: the file's limit of records holds."""
    (tmp_path / "arbiter.toml").write_text('judge = "none"\nserve_max_records = 1\ndatabase = "file.db"\n')
    with serve_process(tmp_path, "--config", "arbiter.toml", database="variable.db") as served:
        answer = post(served.url, told(LISBON), told(PORTO))
        assert (answer.status_code, answer.json()["field"]) == (413, "records")
    assert (tmp_path / "variable.db").exists()
    assert not (tmp_path / "file.db").exists()


def test_it_finishes_what_it_accepted(tmp_path: Path) -> None:
    """Told to stop while a model is still being asked, it answers and keeps the record first."""
    asked, go = Event(), Event()

    def held(request: Request) -> Answer:
        asked.set()
        shown = request.pairs
        return Answer(reply(*(item(pair["pair"], "update", current="b") for pair in shown)), hold=go)

    with scripted_server(held) as model, ThreadPoolExecutor(1) as threads:
        variables = {"llm_model": "openai/scripted", "llm_api_base": model.api_base, "llm_api_key": "none"}
        with serve_process(tmp_path, "--judge", "llm", **variables) as served:
            post(served.url, told(LISBON))
            answer = threads.submit(post, served.url, told(PORTO, 2))
            assert asked.wait(60)
            served.process.send_signal(signal.SIGTERM)
            go.set()
            (receipt,) = answer.result(60).json()["receipts"]
            served.wait()
    assert (receipt["outcome"], receipt["relations"][0]["relation"]) == ("stored", "update")
    with Arbiter.open(tmp_path / "arbiter.db", Settings(judge="none")) as arbiter:
        states = {view.fact.content: view.state.state.value for view in arbiter.facts(state=None)}
    assert states == {LISBON: "superseded", PORTO: "active"}


def test_two_processes_serve_one_store(tmp_path: Path) -> None:
    """Sixteen clients send the same record to both at once: one fact, sixteen consistent receipts."""
    with (
        serve_process(tmp_path, "--workers", "2", "--judge", "none") as served,
        ThreadPoolExecutor(16) as threads,
    ):
        answers = list(threads.map(lambda _: post(served.url, told(LISBON)), range(16)))
        (fact,) = httpx.get(f"{served.url}/v1/facts", trust_env=False).json()["facts"]
    receipts = [answer.json()["receipts"][0] for answer in answers]
    assert {receipt["fact_id"] for receipt in receipts} == {fact["fact_id"]}
    assert sorted(receipt["outcome"] for receipt in receipts) == ["stored"] + ["unchanged"] * 15
    assert fact["seen_count"] == 16
    assert json.dumps(fact).count(LISBON) == 1
