"""Reading labelled pairs, orienting them and splitting them by what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.domain.canonical import canonical
from arbiter.errors import ConfigurationError
from arbiter.training.examples import split_by_anchor
from arbiter.training.read_pairs import read_examples, read_relations
from tests.unit.training.tiny import contrast_rows, row, written


def test_a_pair_is_read_with_all_that_is_known(tmp_path: Path) -> None:
    """Words, times, sources and labels arrive as the domain's own values."""
    path = written(tmp_path / "pairs.jsonl", [row("I live in Lima.", "She moved to Cusco.", "update")])
    (example,) = read_examples(path)
    assert (example.pair.a.content, example.pair.b.content) == ("I live in Lima.", "She moved to Cusco.")
    assert (example.relation, example.current, example.update_kind) == ("update", "b", "state_change")
    assert (example.pair.a.source.kind, example.pair.b.source.kind) == ("user_stated", "third_party")
    assert (example.pair.b.observed_at - example.pair.a.observed_at).days == 9


def test_a_late_arrival_is_oriented_by_time(tmp_path: Path) -> None:
    """A stored record that is the later one becomes side b, and stays the current one."""
    late = row("Lives in Cusco.", "Lives in Lima.", "update", current="a")
    late["b"]["observed_at"] = "2025-01-01T00:00:00Z"
    (example,) = read_examples(written(tmp_path / "pairs.jsonl", [late]))
    assert (example.pair.a.content, example.pair.b.content) == ("Lives in Lima.", "Lives in Cusco.")
    assert example.current == "b"
    assert example.anchor == "Lives in Cusco."


def test_swapping_words_keeps_times_and_turns_the_risk(tmp_path: Path) -> None:
    """Swapped statements keep their places in time; a risk of staleness follows its statement."""
    stale = row("Works at Acme.", "Acme shut down.", "complementary", stale_risk="a")
    (example,) = read_examples(written(tmp_path / "pairs.jsonl", [stale]))
    swapped = example.swapped()
    assert (swapped.pair.a.content, swapped.pair.b.content) == ("Acme shut down.", "Works at Acme.")
    assert swapped.pair.a.observed_at == example.pair.a.observed_at
    assert swapped.stale_risk == "b"


def test_relations_become_our_labels(tmp_path: Path) -> None:
    """A supersession is a change of state, with its validity; independent statements are complementary."""
    raw = {"subject": "Ana", "predicate": "lives in", "object": "Rome", "asserted_at": "2019-01-01"}
    rows = [
        {
            "a": "Ana lives in Rome.",
            "b": "Ana lives in Oslo.",
            "label": label,
            "a_raw": {**raw, "valid_to": "2021-01-01"},
            "b_raw": {**raw, "object": "Oslo", "asserted_at": "2021-06-01"},
        }
        for label in ("TEMPORAL_SUPERSESSION", "INDEPENDENT")
    ]
    change, independent = read_relations(written(tmp_path / "relations.jsonl", rows))
    assert (change.relation, change.update_kind, change.current) == ("update", "state_change", "b")
    assert independent.relation == "complementary"
    assert change.pair.a.valid_to is not None
    assert (change.pair.a.subject, change.pair.a.claim_key, change.pair.b.value) == (
        "Ana",
        "lives in",
        "Oslo",
    )


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"a": {}, "b": {}, "label": "update"}',
        '{"a_content": 3, "ruling": "keep_a", "relation": "update"}',
        "[]",
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: str) -> None:
    """The message says which line of which file is at fault."""
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"pairs\.jsonl:2"):
        read_examples(path)


def test_a_split_shares_no_statement(tmp_path: Path) -> None:
    """Pairs that share a statement, even over a third pair, stay on one side; the share is met roughly."""
    rows = contrast_rows(40)
    rows.append(row("Case 0 of a update.", "Case 7 of a duplicate.", "unrelated"))
    examples = read_examples(written(tmp_path / "pairs.jsonl", rows))
    rest, held_out = split_by_anchor(examples, 0.2, seed=3)
    texts = [
        {canonical(side.content) for example in part for side in (example.pair.a, example.pair.b)}
        for part in (rest, held_out)
    ]
    assert texts[0].isdisjoint(texts[1])
    assert len(rest) + len(held_out) == len(examples)
    assert len(held_out) == 40
    assert split_by_anchor(examples, 0.2, seed=3) == (rest, held_out)
