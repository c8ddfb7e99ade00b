"""The field cases that depend on the judge, on fakes."""

from __future__ import annotations

from arbiter.domain.evidence import Unjudged
from arbiter.domain.vocabulary import Action, Relation
from arbiter.settings import Settings
from arbiter.testing import TableJudge
from evals.cases import PairAnswer, PairCase
from evals.field_cases import load_cases
from evals.field_suite import solve_field_cases, with_registries
from tests.factories import verdict
from tests.fake_stack import around

CASES = load_cases()


def played(judge: TableJudge) -> dict[str, tuple[PairCase, PairAnswer]]:
    """Return every case with what became of it."""
    run = solve_field_cases("table", judge, around)
    assert (run.suite, run.judge, len(run.cases)) == ("field_cases", "table", 60)
    return {case.id: (case, answer) for case, answer in zip(run.cases, run.answers, strict=True)}


def texts(case_id: str) -> tuple[str, str]:
    """Return the two texts of a case."""
    case = CASES[case_id]
    return case.input["existing"]["content"], case.input["candidate"]["content"]


def test_a_judge_that_calls_everything_unrelated() -> None:
    """Accepted where a case accepts it, a miss elsewhere; other subjects and the same words need no judge."""
    found = played(TableJudge())
    case, answer = found["relatives-favourite"]
    assert (case.relation, answer.relation, answer.action) == (Relation.UNRELATED, None, Action.KEEP_BOTH)
    case, answer = found["boilerplate-descriptions"]
    assert (case.relation, answer.relation, answer.action) == (
        Relation.UNRELATED,
        Relation.UNRELATED,
        Action.KEEP_BOTH,
    )
    assert case.action is Action.KEEP_BOTH
    case, answer = found["sold-versus-owns"]
    assert (case.relation, case.action, case.loser) == (Relation.UPDATE, Action.SUPERSEDE, "a")
    assert (answer.relation, answer.action, answer.loser) == (Relation.UNRELATED, Action.KEEP_BOTH, None)
    case, answer = found["nfc-versus-nfd"]
    assert (case.action, answer.judge, answer.action) == (Action.REINFORCE, "identity", Action.REINFORCE)
    right = sum(case.relation is answer.relation for case, answer in found.values())
    assert right == 8


def test_the_right_side_goes() -> None:
    """The stored record is the earlier one, except in a backfill; to remove the other side is wrong."""
    backfill = texts("backfill-overwrites-newer")
    judge = TableJudge({texts("sold-versus-owns"): verdict("update"), backfill: verdict("update")})
    found = played(judge)
    for name, side in (("sold-versus-owns", "a"), ("backfill-overwrites-newer", "a")):
        case, answer = found[name]
        assert (answer.action, answer.loser) == (case.action, case.loser) == (Action.SUPERSEDE, side)
    case, _ = found["backfill-overwrites-newer"]
    assert case.pair.a.content == backfill[1]


def test_to_decide_by_authority_for_the_side_that_must_stay_is_right() -> None:
    """It need not be asked, so long as the right side stays."""
    name = "inference-retires-user-statement"
    found = played(TableJudge({texts(name): verdict("contradiction", mutability="immutable")}))
    case, answer = found[name]
    assert (answer.action, answer.loser) == (case.action, case.loser) == (Action.SUPERSEDE, "b")


def test_what_is_not_judged_is_named() -> None:
    """A judge that fails leaves pairs held; a pair that is no candidate is named so, and both stay."""
    found = played(TableJudge(otherwise=Unjudged("down", "", retryable=True, judge="j")))
    _, answer = found["sold-versus-owns"]
    assert (answer.relation, answer.unjudged, answer.action) == (None, "down", Action.HOLD)
    _, answer = found["blank-fields-count-as-match"]
    assert (answer.relation, answer.unjudged, answer.action) == (None, "not_compared", Action.KEEP_BOTH)


def test_the_registries_of_the_cases_are_added() -> None:
    """After those of the settings."""
    chosen = with_registries(Settings())
    assert [path.name for path in chosen.claim_key_files] == ["field_cases_keys.toml"]
    assert [path.name for path in chosen.alias_files] == ["field_cases_aliases.toml"]
