"""Result files: what is written is read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import Relation
from arbiter.errors import ConfigurationError
from arbiter.testing import TableJudge
from evals.cases import PairAnswer
from evals.report.files import by_suite, names, read_result, read_results, result_path, write_result
from evals.report.payloads import answered_pairs, candidate_payload, pair_payload, stream_ends, stream_payload
from evals.report.provenance import provenance
from evals.score.items import items
from tests.answered import end, item, numbered, run, streams

ORIGIN = provenance("gold_dev", TableJudge(), load_policy())
CASES = numbered(
    item("update", "update", 0.75), item("unrelated", None), item("contradiction", "update", loser="b")
)


def test_pairs_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    """Every case, what it cost, and how long it took; groups keep who belongs together, not their names."""
    spend = Spend(llm_calls=2, prompt_tokens=90, completion_tokens=9, usd=0.01)
    path = result_path(tmp_path, "hand", "replay:gpt/x")
    write_result(path, "pairs", pair_payload(run(*CASES, cost=spend, seconds=2.5)), ORIGIN)
    result = read_result(path)
    found = answered_pairs(result)
    assert path == tmp_path / "hand" / "replay-gpt-x.json"
    assert (result.kind, result.suite, result.judge) == ("pairs", "hand", "table")
    assert result.provenance == ORIGIN.as_json()
    assert [one.answer for one in found.items] == [one.answer for one in CASES]
    assert [one.truth.relation for one in found.items] == [one.truth.relation for one in CASES]
    assert [one.truth.group for one in found.items] == ["1", "2", "3"]
    assert (found.spend, found.seconds) == (spend, 2.5)


def test_probabilities_are_kept(tmp_path: Path) -> None:
    """In the order of the relations, rounded."""
    sure = PairAnswer(
        **{
            **{name: getattr(CASES[0].answer, name) for name in ("case_id", "relation", "action", "loser")},
            "confidence": 0.9,
            "judge": "local/123",
            "probabilities": {Relation.UPDATE: 0.90004, Relation.DUPLICATE: 0.09996},
        }
    )
    told = run(CASES[0])
    path = tmp_path / "r.json"
    write_result(path, "pairs", pair_payload(type(told)(told.suite, "local", told.cases, (sure,))), ORIGIN)
    (one,) = answered_pairs(read_result(path)).items
    assert one.answer.judge == "local"
    assert one.answer.probabilities == {
        Relation.DUPLICATE: 0.1,
        Relation.UPDATE: 0.9,
        Relation.CONTRADICTION: 0.0,
        Relation.COMPLEMENTARY: 0.0,
        Relation.UNRELATED: 0.0,
    }


def test_a_case_is_a_line(tmp_path: Path) -> None:
    """So that a changed answer is a changed line, and nothing else changes."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    changed = (*CASES[:2], item("contradiction", "update", loser="b", id="c3", group="c3", confidence=0.5))
    for path, cases in ((before, CASES), (after, changed)):
        write_result(path, "pairs", pair_payload(run(*cases)), ORIGIN)
    lines = [path.read_text("utf-8").splitlines() for path in (before, after)]
    differing = [(a, b) for a, b in zip(*lines, strict=True) if a != b and '"id"' in a]
    assert [json.loads(a.strip().rstrip(","))["id"] for a, _ in differing] == ["c3"]


def test_streams_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    """The end of every record in the main order; the other orders as counts."""
    ends = (
        end("r1", "active", "active", asked=True),
        end("r2", "superseded", "active", expected_merged=True),
        end("r1", "active", "tombstoned", stream="s2", contested=True, expected_contested=True),
    )
    path = tmp_path / "s.json"
    write_result(path, "streams", stream_payload(streams(ends, ends[::-1])), ORIGIN)
    result = read_result(path)
    assert stream_ends(result) == ends
    assert result.payload["score"]["records"] == 3
    assert result.payload["score"]["steady"] == 1.0
    assert [order["order"] for order in result.payload["orders"]] == ["as told", "shuffled 1"]
    assert result.payload["orders"][1]["unmerged"] == 1
    assert result.payload["orders"][0]["questions"] == {"wanted": 4, "found": 3, "other": 2}


def test_a_file_that_is_no_result_is_refused(tmp_path: Path) -> None:
    """By name, whatever is wrong with it."""
    broken = tmp_path / "x" / "broken.json"
    broken.parent.mkdir()
    for content in ("{", "[]", '{"kind": "pairs"}'):
        broken.write_text(content)
        with pytest.raises(ConfigurationError, match=r"broken\.json is no result of `python -m evals run`"):
            read_result(broken)
    broken.unlink()
    with pytest.raises(ConfigurationError, match="holds no results"):
        read_results([tmp_path])


def test_a_result_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Streams are no pairs, and pairs no streams."""
    path = tmp_path / "r.json"
    write_result(path, "pairs", pair_payload(run(*CASES)), ORIGIN)
    with pytest.raises(ConfigurationError, match="no run over streams"):
        stream_ends(read_result(path))
    write_result(path, "streams", stream_payload(streams((end("r1", "active", "active"),))), ORIGIN)
    with pytest.raises(ConfigurationError, match="no run over pairs"):
        answered_pairs(read_result(path))


def test_results_are_found_in_folders_and_put_in_the_order_of_pages(tmp_path: Path) -> None:
    """Baselines first, dearer judges last; two runs of one judge are told apart by their folders."""
    for folder, judges in (("old", ("local", "exact")), ("new", ("replay:gpt", "local", "cosine"))):
        for judge in judges:
            path = result_path(tmp_path / folder, "hand", judge)
            write_result(path, "pairs", pair_payload(run(*CASES, judge=judge)), ORIGIN)
    (results,) = by_suite(read_results([tmp_path / "old", tmp_path / "new" / "hand"]))
    called = names(results)
    assert [called[result.path] for result in results] == [
        "cosine 0.92",
        "exact",
        "local (old)",
        "local (new)",
        "LLM, gpt",
    ]
    assert len(items(run(*CASES))) == 3


def test_provenance_says_what_a_result_rests_on() -> None:
    """Digests, versions and seed; the commit where there is a checkout."""
    told = ORIGIN.as_json()
    assert told["judge"] == TableJudge().judge_id
    assert told["policy"] == load_policy().digest
    assert len(told["suite"]) == 64
    assert told["embedder"].startswith("all-MiniLM-L6-v2")
    assert {"python", "numpy", "onnxruntime"} <= set(told["versions"])
    assert (told["commit"] is None) == (told["dirty"] is None)
    assert told["prompts"] == {}


def test_provenance_names_the_prompts_of_language_models() -> None:
    """By id and digest, whatever the model is called."""
    judge = TableJudge(judge_id="exact/c1 > llm/openai/gpt-4o-mini/relation.v2@0123456789ab")
    assert provenance("gold_dev", judge, load_policy()).prompts == {"relation.v2": "0123456789ab"}


def test_candidates_are_written_by_how_many_distractors_there_were() -> None:
    """That stands where a judge stands elsewhere."""
    from evals.candidates import CandidateScore, PairFate

    fate = PairFate("p1", "s1", Relation.UPDATE, "judged", 0.5)
    kinds = [
        PairFate("p", "s1", r, "not_retrieved", None) for r in (Relation.DUPLICATE, Relation.CONTRADICTION)
    ]
    payload = candidate_payload(CandidateScore("retrieval", 1000, 1, (fate, *kinds), 6, 12, 3, 1.0))
    assert (payload["suite"], payload["judge"]) == ("retrieval", "1000-distractors")
    assert payload["score"]["completeness"] == pytest.approx(1 / 3, abs=1e-4)
    assert payload["pairs"][0]["fate"] == "judged"
