"""How texts and pairs are cut into parts, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Barrier, Lock, Thread
from typing import TypeVar

import numpy as np
import pytest

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.errors import ConfigurationError
from arbiter.scan.models import Models
from arbiter.scan.parts import PAIRS, TEXTS, PartedEmbedder, PartedEntities, PartedJudge, PatientJudge
from arbiter.testing import CapitalisedEntities, TableJudge, WordEmbedder
from tests.factories import make_record, verdict

Item = TypeVar("Item")
Result = TypeVar("Result")

TEXT_LIST = [f"{'word ' * (number * 7 % 150)}Porto {number}" for number in range(150)]
PAIR_LIST = [
    RecordPair(make_record(text), make_record(f"{text} {number}")) for number, text in enumerate(TEXT_LIST)
]
TOLD: dict[tuple[str, str], Judgement] = {
    (pair.a.content, pair.b.content): verdict("duplicate", confidence=number / 1000)
    for number, pair in enumerate(PAIR_LIST)
}


class Backwards:
    """Implements ``Workers``: computes the last part first, and notes the parts."""

    def __init__(self) -> None:
        self.parts: list[Sequence[object]] = []
        self.models = Models(
            WordEmbedder(), CapitalisedEntities(), TableJudge(TOLD, per_pair=Spend(local_pairs=1)), {}
        )

    def map(
        self, function: Callable[[Models, Sequence[Item]], Result], parts: Iterable[Sequence[Item]]
    ) -> list[Result]:
        """See ``Workers.map``."""
        listed = list(parts)
        self.parts += listed
        return [function(self.models, part) for part in reversed(listed)][::-1]


def test_texts_are_embedded_in_parts_of_like_length() -> None:
    """Rows stand in the order of the texts; no part is larger than it may be, and lengths only grow."""
    workers, model = Backwards(), WordEmbedder()
    parted = PartedEmbedder(model, workers)
    assert np.array_equal(parted.embed(TEXT_LIST), model.embed(TEXT_LIST))
    assert (parted.model_id, parted.dimension) == (model.model_id, model.dimension)
    assert [len(part) for part in workers.parts] == [TEXTS, TEXTS, 150 - 2 * TEXTS]
    lengths = [len(str(text)) for part in workers.parts for text in part]
    assert lengths == sorted(lengths)


def test_names_are_found_in_parts_in_order() -> None:
    """The parts are those in which spaCy would take them by itself."""
    workers = Backwards()
    assert PartedEntities(workers).extract(TEXT_LIST) == CapitalisedEntities().extract(TEXT_LIST)
    assert [text for part in workers.parts for text in part] == TEXT_LIST
    assert {len(part) for part in workers.parts[:-1]} == {TEXTS}


def test_pairs_are_judged_in_parts_of_like_length() -> None:
    """Answers stand in the order of the pairs, and costs add up."""
    workers = Backwards()
    parted = PartedJudge(TableJudge(judge_id="local/1"), workers)
    found, spend = parted.judge(PAIR_LIST)
    assert found == list(TOLD.values())
    assert spend == Spend(local_pairs=150)
    assert parted.judge_id == "local/1"
    assert [len(part) for part in workers.parts] == [PAIRS] * 4 + [150 - 4 * PAIRS]


def test_nothing_is_nothing() -> None:
    """Without texts or pairs nobody is asked for anything."""
    workers = Backwards()
    assert PartedEmbedder(WordEmbedder(8), workers).embed([]).shape == (0, 8)
    assert PartedEntities(workers).extract([]) == []
    assert PartedJudge(TableJudge(), workers).judge([]) == ([], Spend())
    assert workers.parts == []


def test_settings_without_a_local_judge() -> None:
    """There is nobody to judge, and that is said."""
    with pytest.raises(ConfigurationError, match="no local judge"):
        Models(WordEmbedder(), CapitalisedEntities(), None, {}).judge(PAIR_LIST[:1])


class Crowded:
    """A judge that notes how many ask it at the same time."""

    judge_id = "llm/any"

    def __init__(self) -> None:
        self._one = Lock()
        self.alone: list[bool] = []

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Note whether nobody else is here."""
        alone = self._one.acquire(blocking=False)
        answers = TableJudge(TOLD).judge(pairs)
        self.alone.append(alone)
        if alone:
            self._one.release()
        return answers


def test_a_judge_is_asked_by_one_after_the_other() -> None:
    """Threads that ask at once each have the judge to themselves, and each its own answers."""
    crowded = Crowded()
    patient, start = PatientJudge(crowded), Barrier(8)
    answers: dict[int, list[Judgement]] = {}

    def ask(number: int) -> None:
        start.wait()
        answers[number] = patient.judge([PAIR_LIST[number]])[0]

    threads = [Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert crowded.alone == [True] * 8
    assert [answers[number] for number in range(8)] == [[told] for told in list(TOLD.values())[:8]]
    assert patient.judge_id == "llm/any"
