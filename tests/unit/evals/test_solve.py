"""Labelled pairs before a judge and the policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import GuardFinding, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Action, Mutability, Relation, SourceKind, Stakes, UpdateKind
from arbiter.testing import NoGuard, NoKeys, TableJudge
from evals.cases import PairCase
from evals.solve import decided, outcome, solve_pairs
from tests.factories import THIRD, make_record, verdict
from tests.fake_stack import around

POLICY = load_policy()


def case(name: str, a: Record, b: Record, relation: str, **labels: object) -> PairCase:
    """Return a case whose action is not known yet."""
    bare = PairCase(name, RecordPair(a, b), Relation(relation), name, Action.HOLD)
    return replace(bare, **labels)  # type: ignore[arg-type]


MOVED = case(
    "moved",
    make_record("Ana lives in Porto."),
    make_record("Ana moved to Lagos.", at=90),
    "update",
    current="b",
    update_kind=UpdateKind.STATE_CHANGE,
)
SAME = case("same", make_record("Ana sings."), make_record("ana sings", at=1), "duplicate")
BORN = case(
    "born",
    make_record("Ben was born in Oslo."),
    make_record("Ben was born in Bergen.", at=1),
    "contradiction",
    mutability=Mutability.IMMUTABLE,
)


def test_what_is_expected_follows_from_the_label() -> None:
    """A change retires the earlier fact, twins are joined, equals who differ are left to people."""
    found = [decided(c, POLICY, NoKeys()) for c in (MOVED, SAME, BORN)]
    assert [(c.action, c.loser) for c in found] == [
        (Action.SUPERSEDE, "a"),
        (Action.REINFORCE, "b"),
        (Action.REVIEW, None),
    ]


def test_labels_of_stakes_and_sources_count() -> None:
    """High stakes are asked about, and a better source wins what cannot change."""
    high = replace(BORN, mutability=Mutability.MUTABLE, stakes=Stakes.HIGH)
    assert decided(high, POLICY, NoKeys()).action is Action.REVIEW
    weaker = RecordPair(BORN.pair.a, make_record("Ben was born in Bergen.", at=1, kind=THIRD))
    found = decided(replace(BORN, pair=weaker), POLICY, NoKeys())
    assert (found.action, found.loser) == (Action.SUPERSEDE, "b")


def test_a_run_has_an_answer_for_every_case() -> None:
    """In the order of the cases, with judge, confidence and probabilities, and what could not be judged."""
    judge = TableJudge(
        {
            ("Ana lives in Porto.", "Ana moved to Lagos."): verdict(
                "update", confidence=0.9, probabilities={"update": 0.9, "unrelated": 0.1}
            ),
            ("Ben was born in Oslo.", "Ben was born in Bergen."): Unjudged(
                "too_long", "", retryable=False, judge="j"
            ),
        },
        per_call=Spend(llm_calls=1),
        per_pair=Spend(local_pairs=1),
    )
    run = solve_pairs("mine", [MOVED, BORN, SAME], "table", judge, POLICY, around(judge))
    assert (run.suite, run.judge, run.cost) == ("mine", "table", Spend(llm_calls=1, local_pairs=3))
    assert [c.action for c in run.cases] == [Action.SUPERSEDE, Action.REVIEW, Action.REINFORCE]
    moved, born, same = run.answers
    assert (moved.case_id, moved.relation, moved.confidence, moved.judge) == (
        "moved",
        Relation.UPDATE,
        0.9,
        "test",
    )
    assert (moved.action, moved.loser, moved.current) == (Action.SUPERSEDE, "a", "b")
    assert moved.probabilities == {Relation.UPDATE: 0.9, Relation.UNRELATED: 0.1}
    assert (born.relation, born.unjudged, born.judge, born.action) == (None, "too_long", "j", Action.HOLD)
    assert (same.relation, same.action, same.loser) == (Relation.UNRELATED, Action.KEEP_BOTH, None)


def test_an_unsure_verdict_is_left_to_people() -> None:
    """Below the policy's threshold, or below that of its kind of judge."""
    sure = Verdict(Relation.UPDATE, 0.85, "local/1", current="b", update_kind=UpdateKind.STATE_CHANGE)
    strict = replace(POLICY, judges={"local": {"update": 0.9}})
    assert outcome(MOVED.pair, sure, POLICY, NoKeys()) == (Action.SUPERSEDE, "a")
    assert outcome(MOVED.pair, sure, strict, NoKeys()) == (Action.REVIEW, None)
    assert outcome(MOVED.pair, replace(sure, confidence=0.7), POLICY, NoKeys()) == (Action.REVIEW, None)


class Suspicious(NoGuard):
    """A guard that always finds a difference."""

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:
        """Return one finding."""
        return (GuardFinding("number", a.content, b.content),)


def test_guards_stand_behind_the_judge() -> None:
    """What a guard objects to is no merge, whatever the judge says."""
    judge = TableJudge(otherwise=verdict("duplicate"))
    run = solve_pairs("mine", [SAME], "table", judge, POLICY, replace(around(judge), guard=Suspicious()))
    assert (run.answers[0].relation, run.answers[0].action) == (Relation.DUPLICATE, Action.REVIEW)


@dataclass
class Registry(NoKeys):
    """A registry by which every attribute that is named cannot change."""

    def complete(self, record: Record) -> Record:
        """Return the record as immutable."""
        return replace(record, mutability=Mutability.IMMUTABLE) if record.claim_key else record


def test_what_the_registry_knows_decides_too() -> None:
    """The judge sees records as the suite has them; the policy sees them completed."""
    a = make_record("Ana's badge is 7.", claim_key="badge")
    b = make_record("Ana's badge is 9.", at=5, claim_key="badge", kind=SourceKind.THIRD_PARTY)
    told = verdict("contradiction")
    assert outcome(RecordPair(a, b), told, POLICY, NoKeys())[0] is Action.REVIEW
    assert outcome(RecordPair(a, b), told, POLICY, Registry()) == (Action.SUPERSEDE, "b")
