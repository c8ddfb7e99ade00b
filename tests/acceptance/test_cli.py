"""The command line as a person uses it: real processes, a real store, the packaged models."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

HEAVY = ("faiss", "fastapi", "litellm", "numpy", "onnxruntime", "pydantic", "spacy", "sqlalchemy", "torch")
PORTO = "Ana was born in Porto."
FARO = "Ana was born in Faro."
HOMES = ("Ana lives in Lisbon.", "Ana lives in Braga.", "Ana lives in Oslo.")


@dataclass(frozen=True)
class Shell:
    """A folder in which commands run, each in a process of its own."""

    folder: Path

    def run(self, *arguments: str, stdin: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run ``arbiter`` with arguments and expect an exit status."""
        done = subprocess.run(
            [sys.executable, "-m", "arbiter", *arguments],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def json(self, *arguments: str, stdin: str = "", status: int = 0) -> list[Any]:
        """Run a command with --json and return what its lines hold."""
        lines = self.run(*arguments, "--json", stdin=stdin, status=status).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def submit(self, *records: dict[str, object]) -> list[Any]:
        """Submit records and return their receipts."""
        return self.json("submit", "-", stdin="".join(json.dumps(record) + "\n" for record in records))

    def states(self) -> dict[str, tuple[str, bool]]:
        """Return where each statement stands, and whether it is contested."""
        facts = self.json("facts", "list", "--state", "all")
        return {fact["content"]: (fact["state"], fact["contested"]) for fact in facts}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Return an empty folder to work in, without a model that reads."""
    for name, value in (("ARBITER_JUDGE", "none"), ("COLUMNS", "160"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    return Shell(tmp_path)


def told(content: str, day: int, **fields: object) -> dict[str, object]:
    """Return a record of what a user said about Ana; its last word is the value."""
    return {
        "content": content,
        "source": {"id": "chat:1", "kind": "user_stated"},
        "observed_at": f"2026-01-{day:02}T09:00:00Z",
        "subject": "ana",
        "claim_key": "person.residence" if "lives" in content else "person.birthplace",
        "value": content.rsplit(maxsplit=1)[-1].rstrip("."),
        **fields,
    }


def born_twice(shell: Shell) -> str:
    """Let two users give Ana another birthplace and return the review that asks about it."""
    receipts = shell.submit(told(PORTO, 1), told(FARO, 2, source={"id": "chat:2", "kind": "user_stated"}))
    (review,) = receipts[1]["review"]
    assert shell.states() == {PORTO: ("active", True), FARO: ("active", True)}
    return str(review)


def fill_in(path: Path, **answer: str) -> None:
    """Fill in the first row of an exported sheet."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows([rows[0] | answer, *rows[1:]])


def test_help_is_light() -> None:
    """To list the commands loads nothing heavy, and neither does the help of any of them."""
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from arbiter.cli import main\n"
        "for name in ['', *main.commands]:\n"
        "    assert CliRunner().invoke(main, [*name.split(), '--help']).exit_code == 0\n"
        f"print([name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_conflict_is_settled_through_a_sheet(shell: Shell) -> None:
    """Conflict, export, a person's ruling, import: the states change, and compiling keeps them."""
    review = born_twice(shell)
    shell.run("review", "export", "--out", "sheet.csv")
    fill_in(shell.folder / "sheet.csv", ruling="keep-b", reviewer="kim", reason="=passport")
    (done,) = shell.json("review", "import", "sheet.csv")
    assert (done["review_id"], done["status"]) == (review, "applied")
    settled = {PORTO: ("tombstoned", False), FARO: ("active", False)}
    assert shell.states() == settled
    shell.run("compile", "--from-scratch")
    assert shell.states() == settled
    assert shell.json("review", "import", "sheet.csv")[0]["status"] == "already_settled"
    assert shell.json("review", "list") == []
    (page,) = shell.json("review", "show", review)
    assert [(r["ruling"], r["reviewer"], r["reason"]) for r in page["rulings"]] == [
        ("keep_b", "kim", "=passport")
    ]


def test_a_sheet_from_before_a_change_is_refused(shell: Shell) -> None:
    """A fact that was told with other certainty since the export is not what the reviewer read."""
    review = born_twice(shell)
    shell.run("review", "export", "--out", "sheet.csv")
    fill_in(shell.folder / "sheet.csv", ruling="keep-a", reviewer="kim")
    shell.submit(told(FARO, 3, source={"id": "registry", "kind": "verified_observation"}))
    before = shell.states()
    (done,) = shell.json("review", "import", "sheet.csv", status=1)
    assert (done["review_id"], done["status"]) == (review, "stale")
    assert shell.states() == before


def test_a_decision_with_later_ones_on_top_is_undone_together_or_not_at_all(shell: Shell) -> None:
    """The refusal says why and names what rests on it; --cascade takes all back."""
    first_two = shell.submit(told(HOMES[0], 10), told(HOMES[1], 11))
    (third,) = shell.submit(told(HOMES[2], 12))
    settled = {HOMES[0]: ("superseded", False), HOMES[1]: ("superseded", False), HOMES[2]: ("active", False)}
    assert shell.states() == settled
    (first,) = [d["id"] for d in first_two[1]["decisions"] if d["winner"] == first_two[1]["fact_id"]]
    earlier = {receipt["fact_id"] for receipt in first_two}
    later = [d["id"] for d in third["decisions"] if d["loser"] in earlier]
    assert len(later) == 2
    refused = shell.run("undo", first, status=1)
    assert refused.stderr.startswith("Error: dependent_decision: ")
    assert [decision for decision in later if decision in refused.stderr] == later
    assert shell.states() == settled
    shell.run("undo", first, "--cascade", "--reviewer", "kim")
    assert shell.states() == dict.fromkeys(HOMES, ("active", False))


def test_another_policy_is_seen_before_it_is_used(shell: Shell) -> None:
    """The diff lists exactly what would flip and changes nothing; compiling under it then flips just that."""
    shell.submit(told(HOMES[0], 10), told(HOMES[1], 11))
    text = (resources.files("arbiter") / "assets" / "policy.toml").read_text("utf-8")
    change = text.index('id = "change"')
    rest = text[change:].replace('action = "supersede"\nstrategy = "recency"\n', 'action = "keep_both"\n', 1)
    (shell.folder / "other.toml").write_text(text[:change] + rest, encoding="utf-8")
    before = shell.states()
    assert before == {HOMES[0]: ("superseded", False), HOMES[1]: ("active", False)}
    (flip,) = shell.json("policy", "diff", "other.toml")
    assert (flip["content"], flip["before"]["state"], flip["after"]["state"]) == (
        HOMES[0],
        "superseded",
        "active",
    )
    assert shell.states() == before
    (shell.folder / "arbiter.toml").write_text('policy_file = "other.toml"\n', encoding="utf-8")
    (done,) = shell.json("compile", "--config", "arbiter.toml")
    assert (done["created"], done["changed"], done["llm_calls"]) == (1, 1, 0)
    assert shell.states() == before | {HOMES[0]: ("active", False)}


def on_a_terminal(shell: Shell, *arguments: str, status: int) -> list[str]:
    """Run a command whose output is a terminal and return the lines that it shows."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "arbiter", *arguments],
        cwd=shell.folder,
        stdout=theirs,
        check=False,
        timeout=120,
    )
    os.close(theirs)
    assert done.returncode == status
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    return shown.splitlines()


def test_a_terminal_gets_a_table(shell: Shell) -> None:
    """The same command that prints JSON Lines into a pipe prints a table where a person looks on."""
    pair = ["classify", "--a", "Ana lives in Oslo.", "--b", "ana lives in OSLO"]
    assert json.loads(shell.run(*pair).stdout)["relation"] == "duplicate"
    rows = [line.split()[:3] for line in on_a_terminal(shell, *pair, status=0)]
    assert ["1", "duplicate", "1.00"] in rows


def test_a_terminal_gets_a_summary(shell: Shell) -> None:
    """A submission is told in a line a record and one for all of them."""
    shell.submit(told(PORTO, 1))
    (shell.folder / "records.jsonl").write_text(json.dumps(told(PORTO, 1)) + "\n[]\n", encoding="utf-8")
    lines = on_a_terminal(shell, "submit", "records.jsonl", status=1)
    assert [line.split()[:2] for line in lines if line[:2] in ("0 ", "1 ")] == [
        ["0", "unchanged"],
        ["1", "refused"],
    ]
    assert lines[-1] == "2 records: 1 refused, 1 unchanged; 0 to review"


def test_an_interrupt_ends_with_its_own_status(shell: Shell) -> None:
    """Ctrl-C while waiting for more input is told in a word, without a traceback."""
    with subprocess.Popen(
        [sys.executable, "-m", "arbiter", "submit", "-"],
        cwd=shell.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(told(PORTO, 1)) + "\n")
        process.stdin.flush()
        store = shell.folder / "arbiter.db"
        # The store is opened once there is a record, and then the next one is waited for.
        while not store.exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "interrupted"


def test_a_reader_that_leaves_is_no_error(shell: Shell) -> None:
    """``arbiter policy show | head -1`` is quiet."""
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m arbiter policy show --json | head -c 20"],
        cwd=shell.folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ('{"digest": "' + done.stdout[12:], "")
