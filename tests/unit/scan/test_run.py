"""Scanning with fakes: what is counted, what is written, and what happens when it is stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.interchange.outputs import ALL, FACTS, RECEIPTS, REPORT, REVIEW, SUMMARY
from arbiter.scan import scan, summary_json
from arbiter.testing import TableJudge
from tests.factories import verdict
from tests.scanning import Ticking, memory_arbiter, raw, read_lines, write_lines

LISBON = "User lives in Lisbon."
PORTO = "User lives in Porto."
RESIDES = "The user resides in Porto."
TOLD = {
    (LISBON, PORTO): verdict("update"),
    (PORTO, RESIDES): verdict("duplicate"),
    (LISBON, RESIDES): verdict("update"),
}
HOME: list[object] = [
    raw(LISBON, at=0, subject="u"),
    raw(PORTO, at=30, subject="u"),
    raw(PORTO, at=31, subject="u"),
    "oops",
    raw(RESIDES, at=40, source="crm", kind="third_party", subject="u"),
    raw("", at=41),
    raw("Kim likes tea", at=42, subject="v", colour="green"),
    raw(LISBON, at=0, subject="u"),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a file of eight records: a move, a restatement, two re-reads, three that are not valid."""
    return write_lines(tmp_path / "home.jsonl", HOME)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 500])
def test_everything_is_counted(tmp_path: Path, home: Path, batch_size: int) -> None:
    """The numbers are the same however the records are batched, and add up."""
    summary = scan(memory_arbiter(TOLD), [home], tmp_path / "out", batch_size=batch_size)
    assert replace(summary, sources=(), cost=Spend()) == replace(
        summary,
        sources=(),
        records=8,
        outcomes={"stored": 2, "unchanged": 2, "merged": 1, "held": 0, "deferred": 0, "refused": 3},
        stored=3,
        not_stored={"seen_before": 2, "not_json": 1, "invalid_record": 2},
        refused_fields={"content": 1, "colour": 1},
        unique_facts=2,
        new_facts=3,
        redundant_copies=3,
        duplicate_ratio=0.6,
        duplicate_clusters=2,
        records_in_duplicate_clusters=5,
        facts={"active": 1, "superseded": 2, "tombstoned": 0, "pending": 0},
        merged=1,
        corrected=0,
        contested=0,
        relations={"update": 2, "duplicate": 1},
        judges={"test": 3},
        unjudged={},
        to_review=0,
        to_review_high_stakes=0,
        cost=Spend(),
        resumed=0,
        seconds=0.0,
        stopped=False,
        dry_run=False,
    )
    assert summary.cost.prompt_tokens == 300


def test_receipts_follow_the_records(tmp_path: Path, home: Path) -> None:
    """One line a record, numbered over all files, each with the place where it was read."""
    more = write_lines(tmp_path / "more.jsonl", ["", raw(PORTO, at=50, subject="u")])
    scan(memory_arbiter(TOLD), [home, more], tmp_path / "out", batch_size=3)
    receipts = read_lines(tmp_path / "out" / RECEIPTS)
    assert [r["record_index"] for r in receipts] == list(range(9))
    assert [(Path(r["file"]).name, r["line"]) for r in receipts] == [
        *(("home.jsonl", n) for n in range(1, 9)),
        ("more.jsonl", 2),
    ]
    assert [(r["stored"], r["outcome"]) for r in receipts] == [
        (True, "stored"),
        (True, "stored"),
        (False, "unchanged"),
        (False, "refused"),
        (True, "merged"),
        (False, "refused"),
        (False, "refused"),
        (False, "unchanged"),
        (False, "unchanged"),
    ]
    assert [r["reason"]["code"] for r in receipts if r["outcome"] == "refused"] == [
        "not_json",
        "invalid_record",
        "invalid_record",
    ]
    assert len({frozenset(r) for r in receipts}) == 1


def test_facts_tell_where_they_came_from(tmp_path: Path, home: Path) -> None:
    """Each sighting names the record that brought it first, by its number in the scan."""
    scan(memory_arbiter(TOLD), [home], tmp_path / "out", batch_size=3)
    facts = {f["content"]: f for f in read_lines(tmp_path / "out" / FACTS)}
    assert {
        content: (f["state"], f["state_reason"], f["seen_count"], [s["record_index"] for s in f["sightings"]])
        for content, f in facts.items()
    } == {
        LISBON: ("superseded", "update", 2, [0]),
        PORTO: ("active", None, 2, [1]),
        RESIDES: ("superseded", "duplicate", 1, [4]),
    }
    assert facts[LISBON]["successor"] == facts[RESIDES]["successor"] == facts[PORTO]["fact_id"]


def test_the_files_agree(tmp_path: Path) -> None:
    """Summary, review file and page tell the same numbers; every namespace is in them."""
    told = {("The door is red.", "The door is blue."): verdict("contradiction", stakes="high")}
    records: list[object] = [
        raw(text, at=at, subject="door", namespace=namespace)
        for namespace in ("a", "b")
        for text, at in (("The door is red.", 0), ("The door is blue.", 0.5))
    ]
    path = write_lines(tmp_path / "doors.jsonl", records)
    out = tmp_path / "out"
    summary = scan(memory_arbiter(told), [path], out)
    assert sorted(p.name for p in out.iterdir()) == sorted(ALL)
    assert (summary.contested, summary.to_review, summary.to_review_high_stakes) == (4, 2, 2)
    assert json.loads((out / SUMMARY).read_text()) == json.loads(json.dumps(summary_json(summary)))
    assert summary_json(summary)["contradictions"] == 2
    assert [(r["namespace"], r["kind"], r["stakes"]) for r in read_lines(out / REVIEW)] == [
        ("a", "conflict", "high"),
        ("b", "conflict", "high"),
    ]
    assert "4 records hold 4 different facts." in (out / REPORT).read_text("utf-8")


def test_a_replayed_source(tmp_path: Path) -> None:
    """Sixty statements delivered forty times are sixty facts; a year later they still are."""
    clock = Ticking()
    arbiter = memory_arbiter(clock=clock)

    def morning(number: int) -> list[object]:
        return [
            raw(f"r{n} x{n} y{n}", at=number, source="github", metadata={"delivery": f"{number}-{n}"})
            for n in range(60)
        ]

    path = write_lines(
        tmp_path / "forty.jsonl", [record for number in range(40) for record in morning(number)]
    )
    summary = scan(arbiter, [path], tmp_path / "out", batch_size=700)
    assert (summary.records, summary.unique_facts, summary.duplicate_ratio) == (2400, 60, 0.975)
    assert (summary.duplicate_clusters, summary.records_in_duplicate_clusters) == (60, 2400)
    assert summary.outcomes == {
        "stored": 60,
        "unchanged": 2340,
        "merged": 0,
        "held": 0,
        "deferred": 0,
        "refused": 0,
    }
    assert {f["seen_count"] for f in read_lines(tmp_path / "out" / FACTS)} == {40}
    clock.forward(timedelta(days=365))
    path = write_lines(tmp_path / "later.jsonl", morning(405))
    again = scan(arbiter, [path], tmp_path / "out")
    assert (again.records, again.new_facts, again.stored, again.not_stored) == (60, 0, 0, {"seen_before": 60})
    assert {(f["seen_count"], len(f["sightings"])) for f in read_lines(tmp_path / "out" / FACTS)} == {(41, 1)}


def test_what_could_not_be_judged_is_counted(tmp_path: Path) -> None:
    """Failures of judges are told by code, and the questions they leave wait."""
    down = Unjudged("judge_unavailable", "down", retryable=True)
    path = write_lines(tmp_path / "two.jsonl", [raw(LISBON, subject="u"), raw(PORTO, at=1, subject="u")])
    summary = scan(memory_arbiter({(LISBON, PORTO): down}), [path], tmp_path / "out")
    assert (summary.unjudged, summary.judges, summary.relations) == ({"judge_unavailable": 1}, {}, {})
    assert (summary.outcomes["held"], summary.facts["pending"], summary.to_review) == (1, 1, 1)


def test_a_later_scan_asks_again(tmp_path: Path) -> None:
    """Pairs that found no judge in one scan are judged at the start of the next."""
    arbiter = memory_arbiter({(LISBON, PORTO): Unjudged("judge_unavailable", "down", retryable=True)})
    path = write_lines(tmp_path / "two.jsonl", [raw(LISBON, subject="u"), raw(PORTO, at=1, subject="u")])
    scan(arbiter, [path], tmp_path / "out")
    judge = arbiter.context.judge
    assert isinstance(judge, TableJudge)
    judge.table = TOLD
    summary = scan(arbiter, [path], tmp_path / "out")
    assert (summary.resumed, summary.unjudged, summary.relations) == (1, {}, {"update": 1})
    assert (summary.not_stored, summary.facts["superseded"]) == ({"seen_before": 2}, 1)
    assert summary.cost.llm_calls == 1


def test_ambiguous_subjects_are_told(tmp_path: Path) -> None:
    """Deferred records count as not stored, with their reason."""
    records: list[object] = [
        raw("Dana Okafor plays chess.", subject="Dana Okafor"),
        raw("Dana Smith sails.", subject="Dana Smith"),
        raw("Dana is ill.", at=1, subject="Dana"),
    ]
    path = write_lines(tmp_path / "dana.jsonl", records)
    summary = scan(memory_arbiter(defer=True), [path], tmp_path / "out", batch_size=2)
    assert (summary.outcomes["deferred"], summary.not_stored) == (1, {"ambiguous_subject": 1})
    assert "dana okafor, dana smith" in (tmp_path / "out" / REPORT).read_text("utf-8")


def test_stopped_and_run_again(tmp_path: Path, home: Path) -> None:
    """What was committed before Ctrl-C stays; the second run counts it and ends where one run would."""
    arbiter = memory_arbiter(TOLD)
    told: list[tuple[int, int]] = []

    def stop(records: int, source: str, line: int) -> None:
        told.append((records, line))
        assert source == str(home)
        if records == 4:
            raise KeyboardInterrupt

    first = scan(arbiter, [home], tmp_path / "out", batch_size=2, progress=stop)
    assert told == [(2, 2), (4, 4)]
    assert (first.stopped, first.records, first.new_facts) == (True, 4, 2)
    assert [r["outcome"] for r in read_lines(tmp_path / "out" / RECEIPTS)] == [
        "stored",
        "stored",
        "unchanged",
        "refused",
    ]
    assert "stopped before the end" in (tmp_path / "out" / REPORT).read_text("utf-8")
    second = scan(arbiter, [home], tmp_path / "out", batch_size=2)
    assert (second.stopped, second.records, second.new_facts) == (False, 8, 1)
    assert second.outcomes["unchanged"] == 4
    straight = scan(memory_arbiter(TOLD), [home], tmp_path / "straight")
    assert (second.facts, second.merged, second.relations, second.duplicate_ratio) == (
        straight.facts,
        straight.merged,
        straight.relations,
        straight.duplicate_ratio,
    )


def test_files_are_looked_at_first(tmp_path: Path, home: Path) -> None:
    """A second file that cannot be read stops the scan before the first one is read or anything removed."""
    arbiter = memory_arbiter(TOLD)
    bad = tmp_path / "bad.csv"
    bad.write_text("contents\nx\n")
    scan(arbiter, [home], tmp_path / "out")
    for missing in (tmp_path / "none.jsonl", bad):
        with pytest.raises(ConfigurationError):
            scan(arbiter, [home, missing], tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(ALL)


def test_text_that_is_no_text(tmp_path: Path) -> None:
    """Lone surrogates, in values and in names, are refused and can be written about."""
    records: list[object] = [
        raw("\ud800"),
        '{"content": "x", "\\udfff": 1, "namespace": "\\ud801"}',
    ]
    path = write_lines(tmp_path / "bad.jsonl", records)
    summary = scan(memory_arbiter(), [path], tmp_path / "out")
    assert summary.outcomes["refused"] == 2
    first, second = read_lines(tmp_path / "out" / RECEIPTS)
    assert (first["reason"]["field"], second["namespace"]) == ("content", "default")


def test_nothing_to_scan(tmp_path: Path) -> None:
    """An empty file is a scan of nothing."""
    summary = scan(memory_arbiter(), [write_lines(tmp_path / "none.jsonl", [])], tmp_path / "out")
    assert (summary.records, summary.duplicate_ratio, summary.records_per_second) == (0, 0.0, 0.0)
    assert "0 records hold 0 different facts." in (tmp_path / "out" / REPORT).read_text("utf-8")
