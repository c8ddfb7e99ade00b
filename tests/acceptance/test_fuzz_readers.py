"""Changed records and files, and arbitrary ones: read as they stand, or refused by one of our own errors.

``--inputs 100000`` says how many are tried, here and in the tests of the service together.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.facts import EventKeyPolicy, Record, fact_id, sighting_of
from arbiter.errors import ConfigurationError, InvalidRecordError
from arbiter.interchange.outputs import json_line
from arbiter.interchange.readers import FORMATS, read_records
from arbiter.interchange.record_in import parse_pair, parse_record, record_json
from arbiter.interchange.review_answers import ImportedRuling, RulingFault
from arbiter.interchange.review_files import ImportForm, read_rulings
from tests.acceptance.bench import NOW
from tests.acceptance.mutations import Mutator
from tests.acceptance.valid_inputs import FILES, MEDIA_TYPES, RECORDS, review_files
from tests.exchange_cases import asking

WHOLE = ("a record is a JSON object", "the record is nested too deeply")
"""What can be wrong with a record as a whole; everything else is wrong with a field."""
UNREAD = {"not_json", "not_utf8", "not_csv", "too_long", "too_deep", "repeated_key"}
"""Why something is no record at all."""
FORMS = tuple(MEDIA_TYPES)


@pytest.fixture
def inputs(request: pytest.FixtureRequest) -> int:
    """Return how many inputs to try altogether."""
    count: int = request.config.getoption("--inputs")
    return count


@pytest.fixture(scope="module")
def reviews() -> dict[ImportForm, bytes]:
    """Return a filled-in review file of each form."""
    with asking() as arbiter:
        return review_files(arbiter)


def check_record(data: object) -> bool:
    """See that a value is a record that can be written and read again, or refused by its field."""
    try:
        record = parse_record(data, NOW)
    except InvalidRecordError as error:
        return check_told(error.message, error.field, must_name=error.message not in WHOLE)
    assert isinstance(record, Record)
    written = json_line(record_json(record))
    assert parse_record(json.loads(written), NOW) == record
    assert sighting_of(record, EventKeyPolicy.AUTO).fact_id == fact_id(record)
    return True


def check_file(path: Path, file_format: str) -> int:
    """See that each record of a file is there or refused with its place; return how many are records."""
    good = 0
    try:
        for index, read in enumerate(read_records(path, file_format)):
            assert (read.index, read.line >= 1) == (index, True)
            if read.problem is not None:
                assert read.data is None
                assert read.problem.code in UNREAD
                check_told(read.problem.message, read.problem.field)
            else:
                good += check_record(read.data)
    except ConfigurationError as error:
        check_told(error.message)
    return good


def check_told(message: str, field: str | None = None, *, must_name: bool = False) -> bool:
    """See that it can be told, and in short, what is wrong; return that something is not right."""
    assert 0 < len(message.encode()) < 4_000
    assert field is None or 0 < len(field.encode()) < 1_000
    assert field is not None or not must_name
    return False


def check_rulings(data: bytes, form: ImportForm) -> int:
    """See that each answer of a file is one, or refused with its place; return how many are answers."""
    try:
        found = read_rulings(BytesIO(data), form, reviewer="kim")
    except ConfigurationError as error:
        return int(check_told(error.message))
    for one in found:
        assert one.line >= 1
        if isinstance(one, RulingFault):
            check_told(one.message, one.field)
            assert len((one.review_id or "").encode()) < 1_000
        elif one.answer is not None:
            one.answer.check()
    return sum(isinstance(one, ImportedRuling) for one in found)


def test_changed_records(inputs: int) -> None:
    """Of each ten inputs four are single records."""
    number, draw = inputs * 4 // 10, Mutator("records")
    good = sum(check_record(draw.value(RECORDS[n % len(RECORDS)])) for n in range(number))
    assert number // 20 < good < number * 3 // 4


def test_changed_pairs() -> None:
    """Whatever is no pair is refused by its side and field."""
    draw = Mutator("pairs")
    refused = 0
    for n in range(300):
        pair = draw.value({"id": "x", "a": RECORDS[n % 5], "b": RECORDS[(n + 1) % 5]})
        try:
            parse_pair(pair, NOW)
        except InvalidRecordError as error:
            refused += 1
            check_told(error.message, error.field, must_name=isinstance(pair, dict))
    assert refused > 100


def test_changed_files(inputs: int, tmp_path: Path) -> None:
    """Of each ten inputs three are files of records, some read as what they are not."""
    draw, kept = Mutator("files"), 0
    for n in range(inputs * 3 // 10):
        name = list(FILES)[n % len(FILES)]
        path = tmp_path / name
        path.write_bytes(draw.file(FILES[name]))
        kept += check_file(path, "auto" if n % 5 else draw.draw.choice(FORMATS))
    assert kept > inputs // 20


def test_changed_review_files(inputs: int, reviews: dict[ImportForm, bytes]) -> None:
    """Of each ten inputs two are answers of reviewers: changed as texts, or as what they hold."""
    draw, kept = Mutator("reviews"), 0
    for n in range(inputs * 2 // 10):
        form = FORMS[n % len(FORMS)]
        if form != "csv" and n % 8 < 4:
            data = draw.written(
                draw.value(json.loads(reviews[form]) if form != "jsonl" else first_line(reviews))
            )
        else:
            data = draw.file(reviews[form])
        kept += check_rulings(data, form)
    assert kept > inputs // 20


def first_line(reviews: dict[ImportForm, bytes]) -> object:
    """Return the first answer of the lines of JSON."""
    return json.loads(reviews["jsonl"].splitlines()[0])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(sorted({name for record in RECORDS for name in record}))


@given(st.dictionaries(FIELDS, JSON) | JSON, st.sampled_from(RECORDS))
def test_arbitrary_values_in_place_of_fields(given_values: object, record: dict[str, object]) -> None:
    """Whatever stands in a field, and whatever stands in place of a record."""
    check_record(given_values)
    if isinstance(given_values, dict):
        check_record({**record, **given_values})


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_arbitrary_bytes_in_place_of_files(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """By any name, as any form."""
    folder = tmp_path_factory.getbasetemp()
    for name in ("any.jsonl", "any.json", "any.csv", "any"):
        path = folder / name
        path.write_bytes(data)
        check_file(path, "auto")
    for form in FORMS:
        check_rulings(data, form)
