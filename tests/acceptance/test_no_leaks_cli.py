"""A day of the command line: what records say, and keys, are nowhere but where they belong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.leaks import LLM_KEY, ODD, TEXTS_MAY_STAND, WORD, Moods, places_of, secret, variables
from tests.scanning import read_lines
from tests.scripted_server import scripted_server


@pytest.mark.parametrize("command", ["scan", "submit"])
def test_a_day_of_the_command_line(command: str, tmp_path: Path) -> None:
    """Texts stand in what was asked for: facts, questions and the report; the terminal shows none of them."""
    good = {**secret("sleeps"), "claim_key": None, "value": None}
    lines = [
        good,
        {**good, "content": f"The {WORD} sings."},
        {**good, "confidence": WORD},
        {**good, ODD: WORD},
    ]
    broken = f'{{"{WORD}": "{WORD}'
    (tmp_path / "told.jsonl").write_text("\n".join([*map(json.dumps, lines), broken, WORD]))
    (tmp_path / "told.csv").write_text(
        f'content,source.id,source.kind,observed_at\n{WORD},{WORD},{WORD},{WORD}\n"{WORD},{WORD}\n'
    )
    wanted = {"scan": ["--out", "out"], "submit": ["--json"]}[command]
    moods, told_of = Moods(), []
    with scripted_server(moods) as model:
        named = [f"ARBITER_{name.upper()}={value}" for name, value in variables(model).items()]
        for moods.mood, file in (("refused", "told.jsonl"), ("odd", "told.csv")):
            done = subprocess.run(
                ["env", *named, sys.executable, "-m", "arbiter", command, file, *wanted],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 1, done.stderr
            told_of.append(done.stderr)
            receipts = list(map(json.loads, done.stdout.splitlines())) if command == "submit" else []
            told_of += [done.stdout] if command == "scan" else []
            assert {place for receipt in receipts for place in places_of(WORD, receipt)} <= TEXTS_MAY_STAND
    if command == "scan":
        told_of.append((tmp_path / "out" / "summary.json").read_text())
        receipts = read_lines(tmp_path / "out" / "receipts.jsonl")
        assert {place for receipt in receipts for place in places_of(WORD, receipt)} <= TEXTS_MAY_STAND
        assert WORD in (tmp_path / "out" / "facts.jsonl").read_text()
    assert [text for text in told_of if WORD in text] == []
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file.name for file in written if LLM_KEY[3:].encode() in file.read_bytes()] == []
