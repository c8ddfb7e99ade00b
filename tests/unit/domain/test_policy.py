"""The default policy, by exhaustion: every cell has one first rule, every rule decides some cell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import Verdict
from arbiter.domain.policy import CELL_VALUES, Cell, Policy, Rule, cells, check
from arbiter.domain.vocabulary import Action, Relation, UpdateKind
from arbiter.errors import ConfigurationError

POLICY = load_policy()
PLAIN = Cell(
    ruling="none",
    relation="update",
    update_kind="state_change",
    mutability="mutable",
    standing="equal",
    stakes="normal",
    confidence="sure",
    corroboration="equal",
    guards="clear",
    lifetime="alike",
    stale_risk="no",
)


def cell(**changes: str) -> Cell:
    """Return the plain cell with changes; only updates have a kind."""
    kind = {} if changes.get("relation", "update") == "update" else {"update_kind": "none"}
    return replace(PLAIN, **(kind | changes))


def test_every_cell_of_relation_mutability_standing_and_stakes_is_decided() -> None:
    """The default policy has no hole and no dead row, over all cells."""
    assert check(POLICY) == []


def test_the_cells_are_as_many_as_the_words_allow() -> None:
    """Cells count: updates have three kinds, complementary pairs two risks, all else one of each."""
    relations = 5 - 1 + 1 - 1 + 3 + 2  # four plain ones, update by kind, complementary by risk
    others = [len(values) for name, values in CELL_VALUES.items()]
    product = 1
    for name, values in CELL_VALUES.items():
        if name not in ("relation", "update_kind", "stale_risk"):
            product *= len(values)
    assert len(others) == 11
    assert len(list(cells())) == product * relations


@pytest.mark.parametrize(
    ("changes", "rule", "action"),
    [
        ({"relation": "unjudged"}, "unjudged", Action.HOLD),
        ({"relation": "unrelated"}, "unrelated", Action.KEEP_BOTH),
        ({"relation": "complementary"}, "complementary", Action.KEEP_BOTH),
        ({"relation": "complementary", "stale_risk": "yes"}, "complementary-doubt", Action.KEEP_BOTH),
        ({"relation": "duplicate"}, "duplicate", Action.REINFORCE),
        ({"relation": "duplicate", "guards": "veto"}, "duplicate-guarded", Action.REVIEW),
        ({"relation": "duplicate", "confidence": "unsure"}, "duplicate-unsure", Action.REVIEW),
        ({"guards": "veto"}, "change-guarded", Action.REVIEW),
        ({"confidence": "unsure"}, "unsure", Action.REVIEW),
        ({}, "change", Action.SUPERSEDE),
        ({"standing": "higher"}, "change", Action.SUPERSEDE),
        ({"standing": "lower"}, "change-by-lesser", Action.REVIEW),
        ({"stakes": "high"}, "change", Action.SUPERSEDE),
        ({"stakes": "high", "standing": "lower"}, "high-stakes-change-by-lesser", Action.REVIEW),
        ({"lifetime": "shorter"}, "passing-state", Action.KEEP_BOTH),
        ({"mutability": "event"}, "event-series", Action.KEEP_BOTH),
        ({"mutability": "immutable"}, "fixed-open", Action.REVIEW),
        ({"update_kind": "correction"}, "correction", Action.TOMBSTONE),
        ({"update_kind": "correction", "standing": "lower"}, "correction-by-lesser", Action.REVIEW),
        ({"update_kind": "correction", "stakes": "high"}, "correction", Action.TOMBSTONE),
        ({"update_kind": "refinement"}, "refinement", Action.SUPERSEDE),
        ({"update_kind": "refinement", "standing": "lower"}, "refinement-by-lesser", Action.KEEP_BOTH),
        ({"relation": "contradiction", "stakes": "high"}, "high-stakes-contradiction", Action.REVIEW),
        ({"relation": "contradiction"}, "conflict-open", Action.REVIEW),
        ({"relation": "contradiction", "standing": "higher"}, "conflict-higher", Action.SUPERSEDE),
        ({"relation": "contradiction", "standing": "lower"}, "conflict-open", Action.REVIEW),
        (
            {"relation": "contradiction", "mutability": "immutable", "standing": "lower"},
            "fixed-authority",
            Action.SUPERSEDE,
        ),
        ({"relation": "contradiction", "mutability": "immutable"}, "fixed-open", Action.REVIEW),
        (
            {"relation": "contradiction", "mutability": "stable", "standing": "higher"},
            "stable-authority",
            Action.SUPERSEDE,
        ),
        (
            {"relation": "contradiction", "mutability": "stable", "corroboration": "more"},
            "stable-quorum",
            Action.SUPERSEDE,
        ),
        ({"relation": "contradiction", "mutability": "stable"}, "conflict-open", Action.REVIEW),
        ({"ruling": "keep_both", "stakes": "high"}, "ruling-keep-both", Action.KEEP_BOTH),
        ({"ruling": "keep_one", "relation": "contradiction"}, "ruling-conflict", Action.TOMBSTONE),
        ({"ruling": "keep_one"}, "ruling-keep-one", Action.SUPERSEDE),
        ({"ruling": "neither"}, "ruling-neither", Action.TOMBSTONE),
        ({"ruling": "undo"}, "ruling-undo", Action.KEEP_BOTH),
    ],
)
def test_default_rules(changes: dict[str, str], rule: str, action: Action) -> None:
    """The rules decide as the design says."""
    found = POLICY.rule_for(cell(**changes))
    assert (found.id, found.action) == (rule, action)


def test_high_stakes_contradictions_never_retire_a_fact_by_themselves() -> None:
    """Over all cells: without a ruling a high-stakes contradiction goes to a person or stays."""
    fixed = {"relation": ["contradiction"], "stakes": ["high"], "ruling": ["none"]}
    actions = {POLICY.rule_for(found).action for found in cells(fixed)}
    assert actions == {Action.REVIEW}


def test_unsure_verdicts_never_retire_a_fact() -> None:
    """Over all cells: below the threshold nothing is merged, superseded or tombstoned without a person."""
    fixed = {"confidence": ["unsure"], "ruling": ["none"]}
    actions = {POLICY.rule_for(found).action for found in cells(fixed)}
    assert actions == {Action.REVIEW, Action.KEEP_BOTH, Action.HOLD}


def test_a_lesser_source_never_wins_by_being_later() -> None:
    """Over all cells of a lower challenger: only authority, a quorum or a person can settle it."""
    fixed = {"standing": ["lower"], "ruling": ["none"], "relation": ["update", "contradiction"]}
    for found in cells(fixed):
        rule = POLICY.rule_for(found)
        assert rule.strategy in (None, "authority", "quorum"), rule.id


def test_holes_dead_rows_and_repeated_ids_are_found() -> None:
    """The check names each kind of fault."""
    broken = Policy(
        rules=(
            Rule("all", Action.KEEP_BOTH, "r", {"relation": frozenset(set(CELL_VALUES["relation"]))}),
            Rule("all", Action.REVIEW, "r", {"stakes": frozenset({"high"})}),
            Rule("dead", Action.REVIEW, "r"),
        ),
        thresholds={},
    )
    assert check(broken) == ["rule id 'all' is used twice", "rule 'dead' decides no cell"]
    hole = Policy(rules=(Rule("some", Action.REVIEW, "r", {"stakes": frozenset({"high"})}),), thresholds={})
    assert check(hole) == [
        "no rule decides 8 cells with stakes normal, such as relation duplicate; update_kind none"
    ]
    with pytest.raises(ConfigurationError, match="no policy rule decides ruling none; relation "):
        hole.rule_for(PLAIN)


def test_a_missing_row_is_the_only_fault() -> None:
    """The rows behind the hole still decide their cells, and are not blamed for it."""
    rest = tuple(rule for rule in POLICY.rules if rule.id != "unjudged")
    (fault,) = check(replace(POLICY, rules=rest))
    assert fault.startswith(
        "no rule decides 108 cells with ruling none; relation unjudged; update_kind none; "
        "confidence sure; lifetime alike; stale_risk no, such as mutability stable; standing lower; "
    )


def test_a_row_above_its_exception_is_found() -> None:
    """Moving the general row up leaves its exception without a cell."""
    by_id = {rule.id: rule for rule in POLICY.rules}
    rules = [rule for rule in POLICY.rules if rule.id != "duplicate"]
    place = [rule.id for rule in rules].index("duplicate-guarded")
    moved = replace(POLICY, rules=(*rules[:place], by_id["duplicate"], *rules[place:]))
    assert check(moved) == [
        "rule 'duplicate-guarded' decides no cell",
        "rule 'duplicate-unsure' decides no cell",
    ]


def test_the_least_confidence_is_the_highest_that_applies() -> None:
    """The relation's, its update kind's, and the judge's own; a judge can only raise it."""
    policy = replace(
        POLICY,
        thresholds={"update": 0.8, "duplicate": 0.7},
        judges={"local": {"update": 0.9, "update.correction": 0.97, "duplicate": 0.5}},
    )

    def least(judge: str, relation: Relation, kind: UpdateKind | None = None) -> float:
        return policy.least_confidence(Verdict(relation, 1.0, judge, update_kind=kind))

    assert least("llm/any/relation.v2@1", Relation.UPDATE, UpdateKind.CORRECTION) == 0.8
    assert least("local/abc", Relation.UPDATE, UpdateKind.STATE_CHANGE) == 0.9
    assert least("local/abc", Relation.UPDATE, UpdateKind.CORRECTION) == 0.97
    assert least("local/abc", Relation.DUPLICATE) == 0.7
    assert least("local/abc", Relation.UNRELATED) == 0.0
