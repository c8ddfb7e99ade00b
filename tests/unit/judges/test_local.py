"""The packaged local judge, with its real weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arbiter.domain.evidence import RecordPair, Unjudged, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Relation
from arbiter.errors import ConfigurationError
from arbiter.judges.local import PACKAGED, JudgeCard, LocalJudge
from arbiter.pipeline.judge import oriented
from tests.factories import THIRD, VERIFIED, make_record

LOREM = "The quarterly report of the northern branch lists every contract it signed. "


@pytest.fixture(name="judge", scope="module")
def _judge() -> LocalJudge:
    return LocalJudge(threads=1)


EASY = [
    ("Ana lives in Lisbon.", "Ana's home is in Lisbon.", 3, "duplicate"),
    ("The invoice is due on 3 May 2026.", "Invoice due date: 2026-05-03.", 2, "duplicate"),
    ("Ana works at Acme as an analyst.", "Ana left Acme and now works at Globex.", 200, "update"),
    ("The Pro plan costs 20 USD a month.", "The Pro plan now costs 25 USD a month.", 120, "update"),
    ("Ben was born in Madrid.", "Ben was born in Seville.", 0, "contradiction"),
    ("Ana likes green tea.", "Ana likes jazz.", 5, "complementary"),
    ("Ana's birthday is on 3 May.", "The printer on floor 2 is out of toner.", 1, "unrelated"),
    ("Ben's passport expires in 2029.", "The harbour ferry runs every twenty minutes.", 9, "unrelated"),
]


def pair(a: str, b: str, days: float = 0) -> RecordPair:
    """Return two records, the second one that many days later, oriented as the pipeline does."""
    first, second = make_record(a), make_record(b, at=days)
    return RecordPair(first, second) if oriented(first, second) else RecordPair(second, first)


def verdicts(judge: LocalJudge, *pairs: RecordPair) -> list[Verdict]:
    """Return the verdicts on pairs, all of which must be judged."""
    found, _ = judge.judge(pairs)
    return [judgement for judgement in found if isinstance(judgement, Verdict)]


@pytest.mark.parametrize(("a", "b", "days", "relation"), EASY)
def test_easy_pairs(judge: LocalJudge, a: str, b: str, days: float, relation: str) -> None:
    """Plain cases of each relation are read right."""
    (found,) = verdicts(judge, pair(a, b, days))
    assert found.relation == relation
    assert found.judge == judge.judge_id


def test_a_change_says_what_it_is(judge: LocalJudge) -> None:
    """An update names the current side and its kind; other relations name neither."""
    change, other = verdicts(
        judge,
        pair("Ana works at Acme as an analyst.", "Ana left Acme and now works at Globex.", 200),
        pair("Ana's birthday is on 3 May.", "The printer on floor 2 is out of toner.", 1),
    )
    assert (change.current, change.update_kind, change.mutability) == ("b", "state_change", "mutable")
    assert (other.current, other.update_kind, other.stale_risk) == (None, None, None)


def test_probabilities_are_whole(judge: LocalJudge) -> None:
    """There is one for each relation, they add up to 1, and the confidence is that of the answer."""
    for found in verdicts(judge, *(pair(a, b, days) for a, b, days, _ in EASY)):
        assert set(found.probabilities) == set(Relation)
        assert sum(found.probabilities.values()) == pytest.approx(1)
        assert found.confidence == found.probabilities[found.relation] == max(found.probabilities.values())
        assert f"{found.relation} ({found.confidence:.2f})" in found.reason


def test_a_pair_reads_the_same_alone_and_in_a_batch(judge: LocalJudge) -> None:
    """Neither its neighbours nor the size of batches move a probability, and neither does a second run."""
    pairs = [pair(a, b, days) for a, b, days, _ in EASY] * 5
    together = verdicts(judge, *pairs)
    alone = [verdicts(judge, one)[0] for one in pairs[: len(EASY)]]
    for found, single in zip(together, alone * 5, strict=True):
        assert dict(found.probabilities) == pytest.approx(dict(single.probabilities), abs=1e-5)
    assert verdicts(judge, *pairs) == together
    small = verdicts(LocalJudge(threads=2, batch_tokens=100), *pairs)
    assert [found.relation for found in small] == [found.relation for found in together]


@pytest.mark.parametrize("days", [0, 3, 400])
def test_arrival_order_changes_nothing(judge: LocalJudge, days: float) -> None:
    """The pair is oriented by time, then by content, whichever record is given first."""
    first = make_record("The lease ends in June.", kind=THIRD)
    second = make_record("The lease was extended to December.", at=days, kind=VERIFIED)

    def judged(a: Record, b: Record) -> Verdict:
        return verdicts(judge, RecordPair(a, b) if oriented(a, b) else RecordPair(b, a))[0]

    assert judged(first, second) == judged(second, first)


def test_time_is_read(judge: LocalJudge) -> None:
    """The same words weigh more for a change when months lie between, and less at one moment."""
    apart, together = verdicts(
        judge,
        pair("Ana lives in Mumbai.", "Ana lives in London.", 300),
        pair("Ana lives in Mumbai.", "Ana lives in London.", 0),
    )
    assert apart.probabilities["update"] > together.probabilities["update"]
    assert together.probabilities["contradiction"] > apart.probabilities["contradiction"]


def test_what_does_not_fit_is_not_judged(judge: LocalJudge) -> None:
    """A pair over the window is left to others, with a reason; the rest of the batch is judged."""
    long, short = judge.judge([pair(LOREM * 30, "It rains."), pair("It rains.", "It pours.", 1)])[0]
    assert isinstance(long, Unjudged)
    assert (long.code, long.retryable, long.judge) == ("too_long", False, judge.judge_id)
    assert "256 fit" in long.message
    assert isinstance(short, Verdict)


def test_only_computed_pairs_are_counted(judge: LocalJudge) -> None:
    """The ledger has the pairs that the model read, and no call or dollar."""
    _, spend = judge.judge([pair(LOREM * 30, "It rains."), pair("It rains.", "It pours.", 1)])
    assert (spend.local_pairs, spend.llm_calls, spend.usd) == (1, 0, 0.0)
    assert judge.judge([]) == ([], type(spend)())


def test_a_broken_text_spoils_no_other(judge: LocalJudge) -> None:
    """A lone surrogate is no text; the pair is unjudged and its neighbour is judged."""
    broken, fine = judge.judge([pair("Ana \ud800", "Ana"), pair("It rains.", "It pours.", 1)])[0]
    assert isinstance(broken, Unjudged)
    assert broken.code == "not_text"
    assert isinstance(fine, Verdict)


def test_the_id_follows_what_moves_a_probability(tmp_path: Path, judge: LocalJudge) -> None:
    """Another temperature is another judge; other thresholds are not."""
    shutil.copytree(PACKAGED, tmp_path / "judge")
    card = tmp_path / "judge" / "judge.json"
    about = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps({**about, "thresholds": {"update": 0.5}}), encoding="utf-8")
    assert LocalJudge(tmp_path / "judge").judge_id == judge.judge_id
    card.write_text(json.dumps({**about, "temperature": 9.0}), encoding="utf-8")
    warmer = LocalJudge(tmp_path / "judge")
    assert warmer.judge_id != judge.judge_id
    assert verdicts(warmer, pair("It rains.", "It pours."))[0].confidence < 0.5


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    """A missing card, weights that are not the card's, and a missing file each say so."""
    with pytest.raises(ConfigurationError, match="does not describe a judge"):
        LocalJudge(tmp_path)
    shutil.copytree(PACKAGED, tmp_path / "judge")
    model = tmp_path / "judge" / "model.onnx"
    model.write_bytes(model.read_bytes() + b"\0")
    with pytest.raises(ConfigurationError, match=r"is not the file that judge\.json speaks of"):
        LocalJudge(tmp_path / "judge").judge([pair("It rains.", "It pours.")])
    model.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        LocalJudge(tmp_path / "judge").judge([pair("It rains.", "It pours.")])


def test_what_the_package_carries() -> None:
    """The weights are under 30 MB, and every threshold is a probability or out of reach."""
    card = JudgeCard.read(PACKAGED / "judge.json")
    assert (PACKAGED / "model.onnx").stat().st_size < 30e6
    assert set(card.thresholds) == set(Relation)
    assert all(0 <= least <= 1.01 for least in card.thresholds.values())
    assert (card.thresholds["complementary"], card.thresholds["unrelated"]) == (0.0, 0.0)
