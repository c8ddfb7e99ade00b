"""The suites: what they hold, that each has its card, and how they are found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from arbiter.errors import ConfigurationError
from evals.suite_files import FOLDER, SUITES, load_pairs, suite_digest
from tests.labelled_pairs import row, write_pairs

EVEN = dict.fromkeys(("duplicate", "update", "contradiction", "complementary", "unrelated"), 12)
HELD = {
    "gold_dev": (300, 300, dict.fromkeys(EVEN, 60)),
    "vault_bench": (325, 270, {"duplicate": 33, "update": 147, "contradiction": 66, "complementary": 79}),
    "vault_bench_core": (54, 42, {"duplicate": 8, "update": 20, "contradiction": 19, "complementary": 7}),
    "contrast": (
        1252,
        474,
        {"duplicate": 260, "update": 237, "contradiction": 266, "complementary": 262, "unrelated": 227},
    ),
    "negation": (60, 60, EVEN),
    "numbers": (60, 60, EVEN),
    "quantifiers": (60, 60, EVEN),
    "stream_pairs": (
        500,
        24,
        {"duplicate": 56, "update": 216, "contradiction": 58, "complementary": 113, "unrelated": 57},
    ),
}


@pytest.mark.parametrize("name", HELD)
def test_what_a_suite_of_pairs_holds(name: str) -> None:
    """So many pairs, in so many groups, so many of each relation."""
    cases = load_pairs(name)
    labels = Counter(case.relation.value for case in cases)
    assert (len(cases), len({case.group for case in cases}), dict(labels)) == HELD[name]
    assert all(case.pair.a.observed_at <= case.pair.b.observed_at for case in cases)


def test_every_suite_of_pairs_is_counted() -> None:
    """The table above leaves none out."""
    assert {name for name, suite in SUITES.items() if suite.kind == "pairs"} == set(HELD)


def test_every_file_has_its_card() -> None:
    """With origin and licence, and no card is left over."""
    files = {path.stem for path in FOLDER.glob("*.jsonl")}
    assert files == {Path(name).stem for suite in SUITES.values() for name in suite.files if ".jsonl" in name}
    cards = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert cards.keys() == files | {"README"}
    for heading in ("**Origin:**", "**Licence:**", "**Use:**", "**Known limits:**"):
        assert [name for name in files if heading not in cards[name]] == []
    assert [name for name in SUITES if f"`{name}`" not in cards["README"]] == []


def test_triples_of_vault_bench_are_kept() -> None:
    """Subject, predicate and object stand in the records, as their authors wrote them."""
    case = load_pairs("vault_bench")[0]
    assert {(r.subject, r.claim_key, r.value) for r in (case.pair.a, case.pair.b)} == {
        ("Priya", "lives in", "London"),
        ("Priya", "lives in", "Mumbai"),
    }


def test_the_right_action_follows_from_the_label() -> None:
    """By the packaged policy: people are asked about what cannot change, a change retires what was."""
    cases = {case.id: case for case in load_pairs("numbers")}
    assert (cases["num-013"].relation, cases["num-013"].action, cases["num-013"].loser) == (
        "contradiction",
        "review",
        None,
    )
    assert (cases["num-025"].relation, cases["num-025"].action, cases["num-025"].loser) == (
        "update",
        "supersede",
        "a",
    )


def test_digests(tmp_path: Path) -> None:
    """Of a file they change with a byte, not with line ends; suites of several files have one."""
    one, other, ends = (tmp_path / name for name in ("one", "other", "ends"))
    one.write_bytes(b"a\nb\n")
    other.write_bytes(b"a\nc\n")
    ends.write_bytes(b"a\r\nb\r\n")
    assert suite_digest(one) == suite_digest(ends) != suite_digest(other)
    assert len({suite_digest(name) for name in SUITES}) == len(SUITES) - 1  # streams_dev and its pairs
    assert suite_digest("streams_dev") == suite_digest("stream_pairs")


def test_what_is_no_suite_is_said(tmp_path: Path) -> None:
    """A wrong name, a suite of another kind, a file that is not there, and ids that come twice."""
    with pytest.raises(ConfigurationError, match="gold_def is no file and no suite; suites are gold_dev, "):
        load_pairs("gold_def")
    with pytest.raises(ConfigurationError, match="retrieval holds retrieval, no pairs"):
        load_pairs("retrieval")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        suite_digest(tmp_path / "none.jsonl")
    rows = [row("A a.", "B b.", "unrelated", id="x")] * 2
    with pytest.raises(ConfigurationError, match="two pairs have the id 'x'"):
        load_pairs(write_pairs(tmp_path / "p.jsonl", rows))
