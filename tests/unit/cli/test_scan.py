"""The options of ``arbiter scan``, what it prints, and what it leaves behind when it cannot begin."""

from __future__ import annotations

import io
import json
import socket
import sys
from pathlib import Path

import click
import pytest

from arbiter.cli.scan import command
from arbiter.errors import ConfigurationError
from arbiter.interchange.readers import FORMATS, check_readable
from tests.scanning import raw, write_lines
from tests.unit.cli.conftest import Desk


def test_every_format_can_be_chosen() -> None:
    """The choices, which are written out so that help is quick, are those of the readers."""
    (option,) = [parameter for parameter in command.params if parameter.name == "file_format"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == FORMATS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands run, with a file of records that are in order or not."""
    monkeypatch.chdir(tmp_path)
    lines: list[object] = [raw("User likes tea.", claim_key="user.drnk"), *[raw("x", sorce=1)] * 6, "oops"]
    write_lines(tmp_path / "dump.jsonl", lines)
    (tmp_path / "wrong.csv").write_text("content,sorce\nUser likes tea.,crm\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["."], ". cannot be read: Is a directory"),
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read: No such file"),
        (["dump.jsonl", "nowhere.jsonl"], "nowhere.jsonl cannot be read: No such file"),
        (["wrong.csv"], "no such column: 'sorce'; did you mean source.id"),
        (["dump.jsonl", "--out", "dump.jsonl/out"], "dump.jsonl/out cannot be written, because of "),
        (["dump.jsonl", "--batch-size", "0"], "Invalid value for '--batch-size'"),
        ([], "Give the files to scan"),
    ],
)
def test_a_scan_that_cannot_begin_leaves_nothing(
    folder: Path, empty: Desk, arguments: list[str], words: str
) -> None:
    """Exit status 2, the reason, and neither a store nor a folder for the report."""
    before = sorted(folder.iterdir())
    result = empty.run("scan", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert sorted(folder.iterdir()) == before


def test_without_ray_nothing_is_left_either(
    folder: Path, empty: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is named; a cluster that does not answer is another matter than a wrong call."""
    before = sorted(folder.iterdir())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{taken.getsockname()[1]}")
        result = empty.run("scan", "dump.jsonl", "--engine", "ray")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: unreachable: the Ray cluster at 127.0.0.1:")
    monkeypatch.setitem(sys.modules, "ray", None)
    result = empty.run("scan", "dump.jsonl", "--engine", "ray")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "missing_extra: ray is not installed; it comes with arbiter[ray]" in result.stderr
    assert sorted(folder.iterdir()) == before


def test_the_first_records_that_are_refused_are_told(folder: Path, empty: Desk) -> None:
    """With their lines on standard error, fields as they are written, the rest by its number."""
    result = empty.run("scan", "dump.jsonl")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        *(
            f"dump.jsonl, line {line}: refused: sorce: no such field; did you mean source?"
            for line in range(2, 7)
        ),
        "and 2 more; receipts.jsonl has all of them",
    ]
    told = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    assert told["refused for"].strip() == "sorce 6"
    assert told["not registered"].strip() == "user.drnk 1"
    counts = json.loads((folder / "arbiter-report" / "summary.json").read_text(encoding="utf-8"))
    assert [refusal["line"] for refusal in counts["refusals"]] == [2, 3, 4, 5, 6, 7, 8]


def test_an_empty_file_has_no_records(folder: Path, empty: Desk) -> None:
    """There is nothing to list, and nothing wrong."""
    (folder / "none.jsonl").touch()
    result = empty.run("scan", "none.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].split() == ["records", "0"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"content,sorce\nUser likes tea.,crm\n", "no such column: 'sorce'"),
        (b"\xff\xfec\x00", "- is UTF-16"),
        (b"content,source.id,source.kind,observed_at\n", None),
        (b"content,sor", None),
        (b'{"content": 1}\n', None),
        (b"", None),
    ],
)
def test_standard_input_is_looked_at_without_taking_from_it(
    monkeypatch: pytest.MonkeyPatch, text: bytes, fault: str | None
) -> None:
    """What is wrong with its beginning is told, and everything can still be read."""
    stream = io.BufferedReader(io.BytesIO(text))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    if fault is None:
        check_readable(["-"])
    else:
        with pytest.raises(ConfigurationError, match=fault):
            check_readable(["-"])
    assert stream.read() == text
