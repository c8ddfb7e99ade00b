"""Context Vault's rules, asked through our judge."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from arbiter.domain.evidence import RecordPair, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind
from evals.baselines.vault_rules import VaultRules
from tests.factories import make_record

RULES = VaultRules()


def statement(predicate: str, value: str, at: float = 0, **fields: Any) -> Any:
    """Return a statement about Ana with its three parts."""
    content = f"Ana {predicate} {value}."
    return make_record(content, at=at, subject="Ana", claim_key=predicate, value=value, **fields)


def judged(a: Any, b: Any) -> Verdict | Unjudged:
    """Judge one pair."""
    (found,), _ = RULES.judge([RecordPair(a, b)])
    assert found.judge == f"baseline/context-vault@{version('context-vault-ai')}"
    return found


def test_its_labels_are_ours() -> None:
    """Each relation that the rules can see, in our words."""
    year = {number: datetime(number, 1, 1, tzinfo=UTC) for number in (2020, 2022)}
    cases = {
        "duplicate": (statement("lives in", "Porto"), statement("resides in", "porto")),
        "contradiction": (statement("lives in", "Porto"), statement("lives in", "Faro")),
        "complementary": (statement("speaks", "Dutch"), statement("speaks", "Thai")),
        "update": (
            statement("lives in", "Porto", valid_from=year[2020], valid_to=year[2022]),
            statement("lives in", "Faro", at=9, valid_from=year[2022]),
        ),
    }
    found = {name: judged(*pair) for name, pair in cases.items()}
    assert {name: getattr(verdict, "relation", None) for name, verdict in found.items()} == {
        name: Relation(name) for name in cases
    }
    update = found["update"]
    assert isinstance(update, Verdict)
    assert (update.current, update.update_kind) == ("b", UpdateKind.STATE_CHANGE)


def test_another_subject_never_reaches_the_rules() -> None:
    """Its candidate filter drops the pair, which it then takes for independent."""
    other = make_record("Ben lives in Faro.", subject="Ben", claim_key="lives in", value="Faro")
    found = judged(statement("lives in", "Porto"), other)
    assert isinstance(found, Verdict)
    assert (found.relation, found.reason) == (
        Relation.COMPLEMENTARY,
        "the candidate filter dropped the pair",
    )


def test_what_the_rules_defer_is_unjudged() -> None:
    """A narrower value may refine or contradict; they leave that to a person."""
    found = judged(statement("works at", "Acme"), statement("works at", "Acme Labs"))
    assert found == Unjudged(
        "not_decided", "the rules leave it to a person", retryable=False, judge=found.judge
    )


def test_free_text_is_unjudged() -> None:
    """They read statements of three parts only."""
    found = judged(statement("lives in", "Porto"), make_record("Ana moved."))
    assert isinstance(found, Unjudged)
    assert found.code == "no_triple"
