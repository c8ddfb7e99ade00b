"""``arbiter compile``, ``arbiter undo`` and ``arbiter policy``: states as a function of log and policy."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbiter.cli.policy import command
from tests.factories import make_fact, pair
from tests.unit.cli.conftest import BORN_FARO, BORN_PORTO, LISBON, MOVE, PORTO, TEA, TEA_TOO, Desk

EVORA = make_fact("User lives in Évora.", at=60, subject="user:42", claim_key="user.residence")
MOVE_ON = pair(PORTO, EVORA, "update", mutability="mutable")
PACKAGED = resources.files("arbiter") / "assets" / "policy.toml"


def decision_of(desk: Desk, fact_id: str, winner: str) -> str:
    """Return the id of the decision by which a fact won over this one."""
    (shown,) = desk.json("facts", "show", fact_id)
    (found,) = [d["id"] for d in shown["decisions"] if d["winner"] == winner]
    return str(found)


@pytest.fixture
def moved_twice(empty: Desk) -> Desk:
    """Return a desk on which one residence was replaced, and later the next."""
    empty.keep([LISBON, PORTO], [MOVE])
    empty.keep([EVORA], [MOVE_ON])
    return empty


@pytest.fixture
def other_policy(tmp_path: Path) -> Path:
    """Return a policy by which changes keep both, and duplicates need more confidence."""
    text = PACKAGED.read_text("utf-8")
    text = text.replace("duplicate = 0.8\n", "duplicate = 0.99\n", 1)
    change = text.index('id = "change"')
    rest = text[change:].replace('action = "supersede"\nstrategy = "recency"\n', 'action = "keep_both"\n', 1)
    path = tmp_path / "policy.toml"
    path.write_text(text[:change] + rest, encoding="utf-8")
    return path


@pytest.mark.parametrize("arguments", [[], ["--from-scratch"], ["--namespace", "default"]])
def test_compiling_what_is_settled_changes_nothing(desk: Desk, arguments: list[str]) -> None:
    """No decision is created and no state changes, from scratch or not."""
    before = desk.states()
    (done,) = desk.json("compile", *arguments)
    nothing = ("created", "changed", "resumed", "retried", "llm_calls", "usd")
    assert done == dict.fromkeys(nothing, 0)
    assert desk.states() == before
    assert desk.run("compile", *arguments).stdout == (
        "0 decisions created, 0 states changed, 0 interrupted facts finished, 0 pairs asked again\n"
    )


def test_a_decision_is_taken_back(desk: Desk) -> None:
    """What it retired is current again, and compiling keeps it so."""
    decision = decision_of(desk, LISBON.id, PORTO.id)
    changed = desk.json("undo", decision, "--reviewer", "kim")
    assert [(state["fact_id"], state["state"]) for state in changed] == [(LISBON.id, "active")]
    desk.json("compile", "--from-scratch")
    assert desk.states()[LISBON.content] == ("active", None, False)
    (entry,) = [e for e in desk.json("facts", "history", LISBON.id) if e["kind"] == "ruling"]
    assert (entry["detail"]["ruling"], entry["detail"]["reviewer"]) == ("undo", "kim")
    assert entry["detail"]["decision"] == decision


def test_a_decision_on_which_a_later_one_rests_is_not_undone_alone(moved_twice: Desk) -> None:
    """The refusal names the later decision; nothing has changed."""
    before = moved_twice.states()
    later = decision_of(moved_twice, PORTO.id, EVORA.id)
    result = moved_twice.run("undo", decision_of(moved_twice, LISBON.id, PORTO.id))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: dependent_decision: ")
    assert f"{later} (change) came later" in result.stderr
    assert "--cascade" in result.stderr
    assert moved_twice.states() == before


def test_a_cascade_takes_both_back(moved_twice: Desk) -> None:
    """With --cascade all three residences are current."""
    result = moved_twice.run("undo", decision_of(moved_twice, LISBON.id, PORTO.id), "--cascade")
    assert result.exit_code == 0
    assert sorted(result.stdout.splitlines()) == sorted(
        [f"{LISBON.id} is active", f"{PORTO.id} is active", "2 states changed"]
    )
    assert {state for state, _, _ in moved_twice.states().values()} == {"active"}


def test_an_unknown_decision_is_named(desk: Desk) -> None:
    """What is not there cannot be undone."""
    result = desk.run("undo", "dec_0")
    assert result.exit_code == 1
    assert result.stderr == "Error: not_found: default has no decision dec_0\n"


def test_the_policy_in_force_is_shown(desk: Desk) -> None:
    """All rules in order, with thresholds and digest."""
    (policy,) = desk.json("policy", "show")
    assert [rule["id"] for rule in policy["rules"]][:2] == ["ruling-neither", "ruling-undo"]
    assert policy["thresholds"]["duplicate"] == 0.8
    text = desk.run("policy", "show").stdout
    assert "least confidence to act: duplicate 0.8, update 0.8, contradiction 0.8" in text
    assert f"digest {policy['digest']}" in text


def test_the_thresholds_of_the_local_judge_are_shown() -> None:
    """They are in force where it judges, beside those of the policy file."""
    shown = CliRunner(env={"ARBITER_JUDGE": "local"}).invoke(command, ["show", "--json"])
    own = json.loads(shown.stdout)["judges"]["local"]["duplicate"]
    text = CliRunner(env={"ARBITER_JUDGE": "local"}).invoke(command, ["show"]).stdout
    assert 0.8 < own < 1
    assert f"least confidence of the judge local: duplicate {own:g}" in text


def test_the_policy_of_the_settings_is_shown(desk: Desk, other_policy: Path, tmp_path: Path) -> None:
    """A settings file that names another policy is followed."""
    config = tmp_path / "arbiter.toml"
    config.write_text(f'policy_file = "{other_policy}"\n', encoding="utf-8")
    (policy,) = desk.json("policy", "show", "--config", str(config))
    assert policy["thresholds"]["duplicate"] == 0.99


def test_a_policy_file_is_checked(desk: Desk, other_policy: Path, tmp_path: Path) -> None:
    """A valid file is told as such; every fault of another is listed."""
    (checked,) = desk.json("policy", "check", str(other_policy))
    (shown,) = desk.json("policy", "show")
    assert (checked["ok"], checked["rules"]) == (True, len(shown["rules"]))
    faulty = tmp_path / "faulty.toml"
    faulty.write_text(
        '[[rules]]\nid = "all"\naction = "supersede"\nreason = "x"\nwhen = { sky = ["blue"] }\n'
    )
    result = desk.run("policy", "check", str(faulty))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[1:] == [
        "  - rule 'all': unknown field 'sky'",
        "  - rule 'all': action supersede needs a strategy",
    ]
    assert desk.run("policy", "check", str(tmp_path / "none.toml")).exit_code == 2


def test_only_what_is_wrong_with_a_policy_is_told(desk: Desk, tmp_path: Path) -> None:
    """A rule that lacks is one fault, told in words; a name that is none is told where it stands."""
    text = PACKAGED.read_text(encoding="utf-8")
    path = tmp_path / "policy.toml"
    head, _, rest = text.partition('[[rules]]\nid = "unjudged"\n')
    path.write_text(head + rest[rest.index("[[rules]]") :], encoding="utf-8")
    title, *faults = desk.run("policy", "check", str(path)).stderr.splitlines()
    assert title == f"Error: configuration: policy {path} has 1 fault(s):"
    assert [fault.partition("; update_kind")[0] for fault in faults] == [
        "  - no rule decides 108 cells with ruling none; relation unjudged"
    ]
    path.write_text(text.replace("[thresholds]", "[thresholds]\nduplicat = 0.5"), encoding="utf-8")
    _, fault = desk.run("policy", "check", str(path)).stderr.splitlines()
    assert fault.startswith("  - thresholds.duplicat: Input should be 'duplicate', ")


def test_the_diff_lists_exactly_the_flips(desk: Desk, other_policy: Path) -> None:
    """Two facts would stand otherwise; the store is untouched, and no judge is asked."""
    before = desk.states()
    flips = desk.json("policy", "diff", str(other_policy))
    told = {
        flip["content"]: (flip["before"]["state"], flip["after"]["state"], flip["after"]["contested"])
        for flip in flips
    }
    assert told == {
        LISBON.content: ("superseded", "active", False),
        TEA.content: ("superseded", "active", True),
        TEA_TOO.content: ("active", "active", True),
    }
    rules = {flip["content"]: [d["rule"] for d in flip["decisions"]] for flip in flips}
    assert rules[LISBON.content] == ["change"]
    assert rules[TEA.content] == ["duplicate-unsure"]
    assert desk.states() == before
    assert (
        desk.run("policy", "diff", str(other_policy)).stdout.splitlines()[-1]
        == "3 facts would stand otherwise"
    )


def test_the_same_policy_flips_nothing(desk: Desk) -> None:
    """A policy does not differ from itself."""
    with resources.as_file(PACKAGED) as path:
        assert desk.json("policy", "diff", str(path)) == []


def test_a_ruling_survives_another_policy(desk: Desk, other_policy: Path) -> None:
    """What a person decided is no flip of any policy."""
    decision = decision_of(desk, LISBON.id, PORTO.id)
    desk.json("undo", decision)
    flips = desk.json("policy", "diff", str(other_policy))
    assert LISBON.content not in {flip["content"] for flip in flips}
    assert {BORN_PORTO.content, BORN_FARO.content} & {flip["content"] for flip in flips} == set()
