"""``arbiter scan`` as people run it: a process of its own, the packaged models, a store in a file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.scanning import raw, read_lines, write_lines

FILES = ["facts.jsonl", "receipts.jsonl", "report.html", "review.jsonl", "summary.json"]
HOME = {"subject": "user:42", "claim_key": "user.residence"}
LIKES = {"subject": "user:42", "claim_key": "user.likes"}
RECORDS: list[object] = [
    raw("User lives in Lisbon.", at=0, value="Lisbon", **HOME),
    raw("User lives in Lisbon.", at=1, value="Lisbon", **HOME),
    raw("User lives in Porto.", at=60, value="Porto", **HOME),
    raw("User lives in Porto.", at=61, source="crm", kind="third_party", value="Porto", **HOME),
    raw("User likes tea.", at=62, value="tea", **LIKES),
    raw("User likes jazz.", at=63, value="jazz", **LIKES),
    raw("User likes chess.", at=63, confidence=7),
    "{",
]
STATES = {
    "User lives in Lisbon.": ("superseded", "update", 2),
    "User lives in Porto.": ("active", None, 2),
    "User likes tea.": ("active", None, 1),
    "User likes jazz.": ("active", None, 1),
}


def command(*arguments: object) -> list[str]:
    """Return the command line of a scan without a judge that reads."""
    return [sys.executable, "-m", "arbiter", "scan", "--judge", "none", *map(str, arguments)]


def run(folder: Path, *arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Scan in a folder and return what came of it."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def summary_of(out: Path) -> dict[str, Any]:
    """Return the summary that lies in a report folder."""
    found: dict[str, Any] = json.loads((out / "summary.json").read_text("utf-8"))
    return found


def states(out: Path) -> dict[str, tuple[str, str | None, int]]:
    """Return state, reason and times seen of each fact by content."""
    return {
        f["content"]: (f["state"], f["state_reason"], f["seen_count"])
        for f in read_lines(out / "facts.jsonl")
    }


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Return a folder in which the records were scanned into ``facts.db``, and how that ended."""
    folder = tmp_path_factory.mktemp("scanned")
    write_lines(folder / "dump.jsonl", RECORDS)
    return folder, run(folder, "dump.jsonl", "--db", "facts.db", "--out", "out")


def test_a_scan(scanned: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Exit status, summary, files and numbers."""
    folder, ended = scanned
    assert ended.returncode == 1
    seventh, eighth = ended.stderr.splitlines()
    assert seventh == "dump.jsonl, line 7: refused: confidence: Input should be less than or equal to 1"
    assert eighth.startswith("dump.jsonl, line 8: refused: not JSON: Expecting property name ")
    assert eighth.endswith(" at column 2")
    lines = dict(line.split(None, 1) for line in ended.stdout.splitlines())
    assert lines["records"] == "8 (stored 4, unchanged 1, merged 1, refused 2)"
    assert lines["duplicates"] == "33.3 %, 2 redundant copies"
    assert lines["report"] == "out/report.html"
    assert sorted(path.name for path in (folder / "out").iterdir()) == FILES
    counts = summary_of(folder / "out")
    assert {name: counts[name] for name in ("records", "stored", "unique_facts", "new_facts", "merged")} == {
        "records": 8,
        "stored": 4 + 1,
        "unique_facts": 4,
        "new_facts": 4,
        "merged": 0,
    }
    assert counts["not_stored"] == {"seen_before": 1, "invalid_record": 1, "not_json": 1}
    assert (counts["updates"], counts["contradictions"], counts["to_review"]) == (1, 0, 0)
    assert (counts["duplicate_ratio"], counts["judge_calls"], counts["stopped"]) == (0.333333, 0, False)
    assert states(folder / "out") == STATES
    receipts = read_lines(folder / "out" / "receipts.jsonl")
    assert [r["outcome"] for r in receipts] == [
        "stored",
        "unchanged",
        "stored",
        "merged",
        "stored",
        "stored",
        "refused",
        "refused",
    ]
    assert [r["record_index"] for r in receipts] == list(range(8))
    assert receipts[-1]["reason"]["code"] == "not_json"
    assert receipts[-1]["line"] == 8


def test_scanned_again_and_on_trial(
    scanned: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A dry run tells what would come of it and leaves every byte; a second scan adds nothing."""
    folder, _ = scanned
    database = tmp_path / "facts.db"
    database.write_bytes((folder / "facts.db").read_bytes())
    before = sha256(database.read_bytes()).hexdigest()
    new = raw("User lives in Faro.", at=90, value="Faro", **HOME)
    write_lines(tmp_path / "more.jsonl", [*RECORDS[:6], new])
    tried = run(tmp_path, "more.jsonl", "--db", "facts.db", "--out", "trial", "--dry-run")
    assert (tried.returncode, tried.stderr) == (0, "nothing was written to a store\n")
    assert sha256(database.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["facts.db", "more.jsonl", "trial"]
    counts = summary_of(tmp_path / "trial")
    assert (counts["dry_run"], counts["new_facts"], counts["updates"]) == (True, 1, 3)
    assert states(tmp_path / "trial")["User lives in Porto."] == ("superseded", "update", 4)
    write_lines(tmp_path / "same.jsonl", RECORDS[:6])
    again = run(tmp_path, "same.jsonl", "--db", "facts.db", "--out", "again")
    assert again.returncode == 0
    counts = summary_of(tmp_path / "again")
    assert (counts["new_facts"], counts["stored"], counts["not_stored"]) == (0, 0, {"seen_before": 6})
    assert {content: state[:2] for content, state in states(tmp_path / "again").items()} == {
        content: state[:2] for content, state in STATES.items()
    }


def test_standard_input_and_a_store_that_is_not_there(tmp_path: Path) -> None:
    """A table through a pipe; a dry run makes no store; --json prints the summary."""
    table = (
        "content,source.id,source.kind,observed_at,subject,claim_key,value\n"
        "User lives in Lisbon.,chat:1,user_stated,2026-01-01T09:00:00Z,user:42,user.residence,Lisbon\n"
        "User lives in Porto.,chat:1,user_stated,2026-03-02T09:00:00Z,user:42,user.residence,Porto\n"
    )
    ended = run(tmp_path, "-", "--dry-run", "--json", "--db", "facts.db", stdin=table)
    assert ended.returncode == 0
    assert json.loads(ended.stdout) == summary_of(tmp_path / "arbiter-report")
    assert (json.loads(ended.stdout)["sources"], json.loads(ended.stdout)["updates"]) == (["-"], 1)
    assert [path.name for path in tmp_path.iterdir()] == ["arbiter-report"]


def test_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packaged sample is scanned without a fault, and without touching the store that is configured."""
    monkeypatch.setenv("ARBITER_DATABASE", str(tmp_path / "mine.db"))
    ended = run(tmp_path, "--sample", "--out", "out")
    assert (ended.returncode, ended.stderr) == (0, "nothing was written to a store\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    counts = summary_of(tmp_path / "out")
    assert (counts["records"], counts["outcomes"]["refused"], counts["corrections"]) == (73, 0, 2)
    assert counts["outcomes"]["unchanged"] == 11
    found = states(tmp_path / "out")
    assert found["I live in Lisbon."][:2] == ("superseded", "update")
    assert found["Noor was born in Tripoli."][:2] == ("superseded", "authority")
    assert found["I live in Porto now."][0] == "active"
    assert counts["to_review_high_stakes"] >= 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.jsonl"], "none.jsonl cannot be read"),
        (["bad.csv"], "no such column: 'contents'; did you mean content?"),
        ([], "Give the files to scan"),
        (["bad.csv", "--sample"], "Give the files to scan"),
        (["dump.jsonl", "--dry-run", "--db", "postgresql://nowhere/x"], "this store has none"),
        (["dump.jsonl", "--judge", "llm"], "llm_model"),
        (["dump.jsonl", "--batch-size", "0"], "0 is not in the range"),
    ],
)
def test_usage_and_configuration(tmp_path: Path, arguments: Sequence[str], told: str) -> None:
    """Exit status 2, a message on stderr, nothing on stdout, and neither store nor report."""
    (tmp_path / "bad.csv").write_text("contents,source.id,source.kind,observed_at\n")
    write_lines(tmp_path / "dump.jsonl", RECORDS)
    ended = run(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv", "dump.jsonl"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_stopped_and_run_again(tmp_path: Path, how: signal.Signals) -> None:
    """Ctrl-C ends a scan with its files written, a kill without; the next run ends where one would have."""
    write_lines(tmp_path / "dump.jsonl", RECORDS)
    out = tmp_path / "out"
    process = subprocess.Popen(
        command("-", "--db", "facts.db", "--out", "out", "--batch-size", "1"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write("".join(f"{json.dumps(record)}\n" for record in RECORDS[:3]).encode())
    process.stdin.flush()
    while not (out / "receipts.jsonl").exists() or len(read_lines(out / "receipts.jsonl")) < 3:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)
    process.send_signal(how)
    _, errors = process.communicate(timeout=120)
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert errors.decode().endswith("stopped; scan the same again to go on\n")
        counts = summary_of(out)
        assert (counts["stopped"], counts["records"], counts["new_facts"]) == (True, 3, 2)
        assert sorted(path.name for path in out.iterdir()) == FILES
    else:
        assert [path.name for path in out.iterdir()] == ["receipts.jsonl"]
    ended = run(tmp_path, "dump.jsonl", "--db", "facts.db", "--out", "out")
    assert ended.returncode == 1
    counts = summary_of(out)
    assert (counts["stopped"], counts["records"], counts["new_facts"]) == (False, 8, 2)
    assert counts["not_stored"] == {"seen_before": 3, "invalid_record": 1, "not_json": 1}
    assert {content: state[:2] for content, state in states(out).items()} == {
        content: state[:2] for content, state in STATES.items()
    }
