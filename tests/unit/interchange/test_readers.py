"""Readers: what each format holds, and that no bad line harms another or fills the memory."""

from __future__ import annotations

import io
import json
import re
import sys
import tracemalloc
from pathlib import Path

import pytest

from arbiter.errors import ConfigurationError
from arbiter.interchange.csv_reader import COLUMNS
from arbiter.interchange.lines import MAX_RECORD_BYTES
from arbiter.interchange.readers import RawRecord, read_records
from arbiter.interchange.record_in import RecordIn, SourceIn

ONE = {"content": "one"}
TWO = {"content": "two"}
HEADER = "content,source.id,source.kind,observed_at"


def read(
    folder: Path, data: bytes | str, name: str = "dump.jsonl", file_format: str = "auto"
) -> list[RawRecord]:
    """Write a file and return what is read from it."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(read_records(path, file_format))


def told(records: list[RawRecord]) -> list[tuple[int, object]]:
    """Return the line of each record with its data, or with the code of its problem."""
    return [(r.line, r.problem.code if r.problem else r.data) for r in records]


@pytest.mark.parametrize(
    "data", ['{"content": "one"}\n{"content": "two"}\n', '{"content": "one"}\r\n{"content": "two"}']
)
def test_json_lines(tmp_path: Path, data: str) -> None:
    """A record a line, whatever ends the lines, and with or without an end of the last one."""
    assert read(tmp_path, data) == [RawRecord(0, 1, ONE), RawRecord(1, 2, TWO)]


def test_bom_and_blank_lines_are_no_records(tmp_path: Path) -> None:
    """Indexes count records, lines count lines."""
    data = b'\xef\xbb\xbf\n  \n{"content": "one"}\n\t\r\n{"content": "two"}\n\n'
    assert read(tmp_path, data) == [RawRecord(0, 3, ONE), RawRecord(1, 5, TWO)]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (b'{"content": "half', "not_json", "not JSON: Unterminated string starting at column 13"),
        (b'{"content": "one"} {"content": "two"}', "not_json", "not JSON: Extra data at column 20"),
        (b"see attached", "not_json", "not JSON: Expecting value at column 1"),
        (b'{"n": ' + b"9" * 5000 + b"}", "not_json", "not JSON: Exceeds the limit"),
        (b'{"content": "caf\xe9"}', "not_utf8", "byte 17 of the line is not UTF-8"),
        (b'{"a": ' * 100_000 + b"1" + b"}" * 100_000, "too_deep", "nested too deeply"),
        (b'{"content": "' + b"x" * MAX_RECORD_BYTES + b'"}', "too_long", "longer than 1,000,000 bytes"),
        (b'{"m": {"k": 1, "k": 2}}', "repeated_key", "the key 'k' stands twice"),
    ],
)
def test_a_bad_line_harms_no_other(tmp_path: Path, line: bytes, code: str, message: str) -> None:
    """The line is told with its number and reason, and the lines around it are read."""
    first, bad, last = read(tmp_path, b'{"content": "one"}\n' + line + b'\n{"content": "two"}\n')
    assert [first, last] == [RawRecord(0, 1, ONE), RawRecord(2, 3, TWO)]
    assert (bad.index, bad.line, bad.data) == (1, 2, None)
    assert bad.problem is not None
    assert bad.problem.code == code
    assert bad.problem.message.startswith(message)


def test_any_json_value_is_handed_on(tmp_path: Path) -> None:
    """Whether a value is a record is for the check of records to say."""
    assert told(read(tmp_path, '[]\n42\n"text"\nnull\n')) == [(1, []), (2, 42), (3, "text"), (4, None)]


@pytest.mark.parametrize("name", ["dump.json", "dump", "dump.jsonl"])
def test_json_array(tmp_path: Path, name: str) -> None:
    """An array is streamed element by element, with the line on which each begins."""
    data = '[\n  {"content":\n "one"},\n\n  {"content": "two"}\n]\n'
    assert read(tmp_path, data, name) == [RawRecord(0, 2, ONE), RawRecord(1, 5, TWO)]


def test_an_array_larger_than_a_chunk(tmp_path: Path) -> None:
    """Elements that lie across the edges of chunks are read whole, numbers too."""
    elements: list[object] = [{"content": "é" * 999, "n": n} for n in range(300)]
    elements += [123456789] * 20_000
    assert [r.data for r in read(tmp_path, json.dumps(elements), "dump.json")] == elements


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('[{"content": "one"}, oops, {"content": "two"}]', [(1, ONE), (1, "not_json")]),
        ('[{"content": "one"},\n{"content": "tw', [(1, ONE), (2, "not_json")]),
        ('[{"content": "one"},\n', [(1, ONE), (2, "not_json")]),
        ('[{"content": "one"}]\n{"content": "two"}', [(1, ONE), (2, "not_json")]),
        ('[{"a": 1, "a": 2}, {"content": "two"}]', [(1, "repeated_key"), (1, TWO)]),
        (f'["{"x" * 1_200_000}"]', [(1, "too_long")]),
        ("[" * 100_000, [(1, "too_deep")]),
        ("[]", []),
    ],
)
def test_a_broken_array(tmp_path: Path, data: str, expected: list[tuple[int, object]]) -> None:
    """What can be read is read; where the rest is lost, an item says so."""
    assert told(read(tmp_path, data, "dump.json")) == expected


def test_json_that_is_no_array_when_one_was_named(tmp_path: Path) -> None:
    """``--format json`` on something else is told, not read as nothing."""
    assert told(read(tmp_path, '{"content": "one"}', "dump", "json")) == [(1, "not_json")]


def test_csv(tmp_path: Path) -> None:
    """Dotted columns nest, empty cells are absent, tags are split, only numbers of ours are parsed."""
    data = (
        f"{HEADER},source.ref,confidence,tags,metadata.page,value\r\n"
        '"Tea, not ""coffee""",crm,third_party,2026-03-02T09:00:00Z,c-1,0.9,a; b,007,12\r\n'
        ",,,,,,,,\r\n"
        '"two\nlines",crm,third_party,2026-03-02T09:00:00Z,,high,,,\r\n'
    )
    first = {
        "content": 'Tea, not "coffee"',
        "observed_at": "2026-03-02T09:00:00Z",
        "confidence": 0.9,
        "tags": ["a", "b"],
        "value": "12",
        "source": {"id": "crm", "kind": "third_party", "ref": "c-1"},
        "metadata": {"page": "007"},
    }
    second = {
        "content": "two\nlines",
        "observed_at": "2026-03-02T09:00:00Z",
        "confidence": "high",
        "source": {"id": "crm", "kind": "third_party"},
    }
    assert read(tmp_path, data, "dump.csv") == [RawRecord(0, 2, first), RawRecord(1, 4, second)]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    """Tables of other locales are read by their header, without an extension too, past a BOM."""
    row = delimiter.join(["one", "crm", "third_party", "2026-03-02"])
    data = f"\ufeff\n{HEADER.replace(',', delimiter)}\n{row}\n"
    (record,) = read(tmp_path, data, "dump")
    assert record == RawRecord(
        0, 3, {"content": "one", "observed_at": "2026-03-02", "source": {"id": "crm", "kind": "third_party"}}
    )


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (b"one,crm", "not_csv"),
        (b"one,crm,third_party,now,more", "not_csv"),
        (b'"a"b,crm,third_party,now', "not_csv"),
        (b"caf\xe9,crm,third_party,now", "not_utf8"),
        (b"x" * 200_000 + b",crm,third_party,now", "not_csv"),
        (b"x" * 1_200_000 + b",crm,third_party,now", "too_long"),
    ],
)
def test_a_bad_row_harms_no_other(tmp_path: Path, row: bytes, code: str) -> None:
    """The row is told with its line, and the rows around it are read."""
    good = b"one,crm,third_party,now"
    found = read(tmp_path, b"\n".join([HEADER.encode(), good, row, good]), "dump.csv")
    record = {"content": "one", "observed_at": "now", "source": {"id": "crm", "kind": "third_party"}}
    assert told(found) == [(2, record), (3, code), (4, record)]


def test_a_quote_that_never_ends(tmp_path: Path) -> None:
    """The end of the file in the middle of a cell is told."""
    assert told(read(tmp_path, f'{HEADER}\n"one,crm,third_party,now\n', "dump.csv")) == [(2, "not_csv")]


def test_wrong_columns_are_refused_at_once(tmp_path: Path) -> None:
    """Every fault of a header is named together, with what was perhaps meant."""
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, "contents,source,observed_at,observed_at,colour\n", "dump.csv")
    assert caught.value.message.splitlines() == [
        "no such column: 'contents'; did you mean content?",
        "no such column: 'source'; did you mean source.id or source.ref?",
        "no such column: 'colour'; your own are named metadata.colour",
        "column 'observed_at' stands twice",
        "column 'content' is missing",
        "column 'source.id' is missing",
        "column 'source.kind' is missing",
    ]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (b"content\rsource.id,observed_at\r", "the header, line 1, cannot be read: new-line character"),
        (b"\ncontent,source.id\xff,observed_at\n", "the header, line 2, cannot be read: byte 18"),
        (b"content," + b"x" * 140_000, "the header, line 1, cannot be read: field larger than"),
        (b"content," + b"x" * 1_000_000, "the header, line 1, cannot be read: longer than 1,000,000 bytes"),
        (b"content," + b"x" * 9_000, f"no such column: '{'x' * 200}…'; your own are named"),
        (b"content" + b"," * 130_000, "and 129990 more unknown columns\ncolumn '' stands twice"),
    ],
    ids=[
        "old line ends",
        "not UTF-8",
        "a long name",
        "a long line",
        "a name to be shortened",
        "many columns",
    ],
)
def test_a_header_that_is_none(header: bytes, told: str, tmp_path: Path) -> None:
    """It is told of as any other fault of the file, at once and in short, whatever stands there."""
    path = tmp_path / "told.csv"
    path.write_bytes(header)
    with pytest.raises(ConfigurationError, match=re.escape(told)) as caught:
        list(read_records(path))
    assert len(caught.value.message) < 2_000


def test_the_columns_are_the_fields() -> None:
    """No field of a record is forgotten."""
    fields = set(RecordIn.model_fields) - {"source", "metadata"}
    assert set(COLUMNS) == fields | {f"source.{name}" for name in SourceIn.model_fields}


@pytest.mark.parametrize("name", ["dump.csv", "dump.jsonl", "dump"])
def test_an_empty_file_holds_nothing(tmp_path: Path, name: str) -> None:
    """No records, and no error."""
    assert read(tmp_path, b"", name) == []


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and UTF-16 are told by name."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ConfigurationError, match=str(path)):
            list(read_records(path))
    with pytest.raises(ConfigurationError, match="UTF-16"):
        read(tmp_path, '{"content": "one"}'.encode("utf-16"))


@pytest.mark.parametrize(
    "data", ['{"content": "one"}\n', f"{HEADER}\none,crm,third_party,now\n", '[{"content": "one"}]']
)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, data: str) -> None:
    """The format of a stream without a name is told by how it begins."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
    (record,) = read_records("-")
    assert isinstance(record.data, dict)
    assert record.data["content"] == "one"


@pytest.mark.parametrize("name", ["dump.jsonl", "dump.json", "dump.csv"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    """Ten times the file needs no more memory: less than one megabyte for four."""

    def peak(count: int) -> int:
        rows = {
            "dump.jsonl": '{"content": "' + "x" * 400 + '"}\n',
            "dump.json": '{"content": "' + "x" * 400 + '"},\n',
            "dump.csv": f"{'x' * 400},crm,third_party,now\n",
        }
        begin = {"dump.jsonl": "", "dump.json": "[", "dump.csv": f"{HEADER}\n"}[name]
        path = tmp_path / name
        path.write_text(begin + rows[name] * count + ("]" if name == "dump.json" else ""))
        tracemalloc.start()
        assert sum(1 for record in read_records(path) if record.problem is None) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    small, large = peak(1_000), peak(10_000)
    assert large < small + 50_000
    assert large < 1_000_000


def test_a_fault_in_an_array_has_its_line(tmp_path: Path) -> None:
    """The line is that of the file, however much of it was passed over."""
    data = '[\n{"content": "one"},\n\n{"content":\n"two",\n}]'
    problem = read(tmp_path, data, "dump.json")[1].problem
    assert problem is not None
    assert problem.message == (
        "not JSON: Expecting property name enclosed in double quotes at line 6; "
        "the rest of the array was not read"
    )
