"""Long streams through the whole stack: replays, floods of bad records, and memory that does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.api import Arbiter
from arbiter.scan import scan
from arbiter.settings import Settings
from tests.scanning import raw, read_lines, write_lines

LIKED = (
    "tea jazz chess opera dumplings cycling sudoku falconry origami karaoke fencing rye snow moths".split()
)
NAMES = "Ada Bruno Chidi Dalia Emeka Farah Goran Hana Idris Jonna Kofi Leila Mateo Nadia Omar Petra".split()


MEASURE = """
import resource
from arbiter import Arbiter, Settings
from arbiter.scan import scan
with Arbiter.open("facts.db", Settings(judge="none", embedding_threads=1)) as arbiter:
    for count in (1_000, 15_000):
        assert scan(arbiter, [f"{count}.jsonl"], "out").records == count
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture
def arbiter(tmp_path: Path) -> Iterator[Arbiter]:
    """Return an arbiter on a new store that defers ambiguous subjects and has no judge that reads."""
    settings = Settings(judge="none", on_ambiguous_subject="defer", embedding_threads=1)
    with Arbiter.open(tmp_path / "facts.db", settings) as opened:
        yield opened


def repository(number: int, at: float) -> dict[str, object]:
    """Return what a crawler says about a repository each morning, under a new delivery id."""
    return raw(
        f"Repository {NAMES[number % 16]}-{number} is archived.",
        at=at,
        source="crawler",
        kind="verified_observation",
        subject=f"repository {NAMES[number % 16]}-{number}",
        metadata={"delivery": f"{number}@{at}"},
    )


def test_a_replayed_source(tmp_path: Path, arbiter: Arbiter) -> None:
    """Sixty repositories on forty mornings are sixty facts seen forty times; a year later, once more each."""
    mornings = [repository(number, at) for at in range(40) for number in range(60)]
    summary = scan(arbiter, [write_lines(tmp_path / "forty.jsonl", mornings)], tmp_path / "out")
    assert (summary.records, summary.unique_facts, summary.new_facts) == (2400, 60, 60)
    assert (summary.duplicate_ratio, summary.redundant_copies) == (0.975, 2340)
    assert (summary.duplicate_clusters, summary.records_in_duplicate_clusters) == (60, 2400)
    assert summary.not_stored == {"seen_before": 2340}
    facts = read_lines(tmp_path / "out" / "facts.jsonl")
    assert Counter((f["seen_count"], len(f["sightings"]), len(f["sources"])) for f in facts) == {
        (40, 1, 1): 60
    }
    before = {f["fact_id"]: f["state"] for f in facts}
    later = [repository(number, 300.0) for number in range(60)]
    summary = scan(arbiter, [write_lines(tmp_path / "later.jsonl", later)], tmp_path / "out")
    assert (summary.records, summary.new_facts, summary.not_stored) == (60, 0, {"seen_before": 60})
    facts = read_lines(tmp_path / "out" / "facts.jsonl")
    assert Counter((f["seen_count"], len(f["sightings"])) for f in facts) == {(41, 1): 60}
    assert {f["fact_id"]: f["state"] for f in facts} == before


def test_nobody_counts_a_success_that_was_none(tmp_path: Path, arbiter: Arbiter) -> None:
    """Of 26,633 records, nearly all ambiguous, repeated or not valid, each is answered for; all add up."""
    known = [
        raw("Dana Okafor plays chess.", subject="Dana Okafor"),
        raw("Dana Smith sails a dinghy.", at=1, subject="Dana Smith"),
        raw("Kim Lee lives in Oslo.", at=1, subject="Kim Lee"),
        raw("Studio 4 is open.", at=1, subject="Studio 4"),
        *(
            raw(f"Kim likes {thing}.", at=2, subject="Kim", claim_key="user.likes", value=thing)
            for thing in LIKED
        ),
    ]
    invalid = ["{", raw(""), raw("Tea is hot.", confidence=7), "[1]"]

    def records() -> Iterator[object]:
        yield from known * 25
        for number in range(26_633 - 450):
            if number % 2:
                yield raw(f"Dana said {number}.", at=number % 300, subject="Dana")
            elif number % 20 == 0:
                yield invalid[number // 20 % 4]
            else:
                yield {**known[number % len(known)], "metadata": {"delivery": number}}

    path = tmp_path / "flood.jsonl"
    with path.open("w") as lines:
        lines.writelines(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records())
    summary = scan(arbiter, [path], tmp_path / "out", batch_size=450)
    deferred, refused = 26_183 // 2, 1_310
    unchanged = 26_633 - 18 - deferred - refused
    assert summary.outcomes == {
        "stored": 18,
        "unchanged": unchanged,
        "merged": 0,
        "held": 0,
        "deferred": deferred,
        "refused": refused,
    }
    assert summary.stored + sum(summary.not_stored.values()) == summary.records == 26_633
    receipts = read_lines(tmp_path / "out" / "receipts.jsonl")
    assert [r["record_index"] for r in receipts] == list(range(26_633))
    assert Counter((r["stored"], r["outcome"], r["reason"] and r["reason"]["code"]) for r in receipts) == {
        (True, "stored", None): 18,
        (False, "unchanged", "seen_before"): unchanged,
        (False, "deferred", "ambiguous_subject"): deferred,
        (False, "refused", "not_json"): 328,
        (False, "refused", "invalid_record"): 982,
    }
    assert sum(f["seen_count"] for f in read_lines(tmp_path / "out" / "facts.jsonl")) == 18 + unchanged


def test_memory_does_not_grow_with_the_records(tmp_path: Path) -> None:
    """In a process of its own, fifteen thousand more re-reads need no more memory than the first thousand."""
    for count in (1_000, 15_000):
        with (tmp_path / f"{count}.jsonl").open("w") as lines:
            lines.writelines(f"{json.dumps(repository(n % 20, n % 300))}\n" for n in range(count))
    ended = subprocess.run(
        [sys.executable, "-c", MEASURE], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    first, then = map(int, ended.stdout.split())
    assert then - first < 10_000  # kilobytes; the second file has 4,000 and its receipts 12,000
