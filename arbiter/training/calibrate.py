"""Sets temperature and thresholds of a judge by labelled pairs, as far as there are enough of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arbiter.domain.vocabulary import Relation
from arbiter.errors import ConfigurationError
from arbiter.judges.local import JudgeCard, LocalJudge
from arbiter.training.calibration import (
    NEVER,
    Answer,
    Operating,
    choose_threshold,
    fit_temperature,
    pairs_needed,
    thresholds,
)
from arbiter.training.card import write_card
from arbiter.training.examples import Example
from arbiter.training.measure import Measures, answers, measure

LEAST_PAIRS = 100
"""Fewest pairs that a temperature is fitted to: by so many it is met within about a quarter, by 25 of them
only within a factor of four."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What calibration made of a judge: what it achieves on the pairs, and where its threshold puts it.

    ``notes`` are sentences on what the pairs were too few to show; there are none where they were enough.
    """

    measures: Measures
    operating: Operating
    temperature: float
    notes: tuple[str, ...]


def recalibrate(
    directory: Path, examples: Sequence[Example], *, budget: float, confidence: float
) -> Calibrated:
    """Set temperature and thresholds anew, by pairs that had no part in training.

    Pairs that are too few to show the budget would leave a judge that never acts, so they change nothing.

    Raises:
        ConfigurationError: there is no judge, or there are too few pairs; says how many it takes.
    """
    card = JudgeCard.read(directory / "judge.json")
    usable, needed = _usable(examples), pairs_needed(budget, confidence)
    if len(usable) < needed:
        raise ConfigurationError(
            f"{len(usable)} pairs cannot show {budget:.2%} of wrong removals, whatever the judge says of "
            f"them: that takes {needed:,} without a mistake, and more with one. {directory} stays as it is; "
            "label more, or allow more with --budget"
        )
    return calibrate(directory, usable, budget=budget, confidence=confidence, temperature=card.temperature)


def calibrate(
    directory: Path, examples: Sequence[Example], *, budget: float, confidence: float, temperature: float
) -> Calibrated:
    """Set temperature and thresholds of a judge by pairs that had no part in its training.

    Args:
        directory: where the judge lies; ``judge.json`` is changed.
        examples: the pairs; updates of which no side is known to be current are left out.
        budget: largest share of judged pairs in which a fact may wrongly be taken out of reading.
        confidence: probability with which that shall hold.
        temperature: what is kept where there are fewer than ``LEAST_PAIRS``.

    Raises:
        ConfigurationError: there is no judge, or no pair.
    """
    usable = _usable(examples)
    if not usable:
        raise ConfigurationError("there is no pair to calibrate with")
    fitted = len(usable) >= LEAST_PAIRS
    if fitted:
        temperature = _fitted(directory, usable)
    card = json.loads((directory / "judge.json").read_text(encoding="utf-8"))
    card["temperature"] = round(temperature, 4)
    write_card(directory, {name: value for name, value in card.items() if name != "calibration"})
    found = answers(LocalJudge(directory, threads=1), usable)
    operating = choose_threshold(found, budget=budget, confidence=confidence)
    measures = measure(found, unjudged=len(usable) - len(found))
    notes: list[str] = []
    if not fitted:
        notes.append(_kept(len(usable), card["temperature"]))
    if operating.threshold >= NEVER:
        notes.append(_never(found, budget, pairs_needed(budget, confidence)))
    card["thresholds"] = dict(thresholds(operating))
    card["calibration"] = {
        "budget": budget,
        "confidence": confidence,
        **asdict(operating),
        **measures.as_json(),
        "notes": notes,
    }
    write_card(directory, card)
    return Calibrated(measures, operating, card["temperature"], tuple(notes))


def base_temperature(base: Path) -> float:
    """Return the temperature of the judge that another one starts from; 1 where that is none yet."""
    path = base / "judge.json"
    return JudgeCard.read(path).temperature if path.exists() else 1.0


def _usable(examples: Sequence[Example]) -> list[Example]:
    """Leave out updates of which nobody said which side is current: no answer could be held against them."""
    return [e for e in examples if e.relation is not Relation.UPDATE or e.current is not None]


def _fitted(directory: Path, examples: Sequence[Example]) -> float:
    heads: Mapping[str, Any] = JudgeCard.read(directory / "judge.json").heads
    labels = [heads["relation"].index(example.relation) for example in examples]
    judge = LocalJudge(directory, threads=1)
    return fit_temperature(judge.logits([e.pair for e in examples]).astype("float64"), labels)


def _kept(pairs: int, temperature: float) -> str:
    return (
        f"{pairs} pairs are too few to fit a temperature to, which takes {LEAST_PAIRS}: {temperature:g} is "
        "kept, which came with the base or from an earlier calibration."
    )


def _never(found: Sequence[Answer], budget: float, needed: int) -> str:
    """Say why a judge has no threshold, and what that means."""
    if len(found) < needed:
        shown = f"{budget:.2%} of wrong removals"
        why = f"{len(found)} pairs cannot show {shown}, which takes {needed:,} without a mistake"
    elif not any(answer.destructive for answer in found):
        why = "it took none of these pairs for a duplicate, an update or a contradiction"
    else:
        why = f"no threshold keeps wrong removals to {budget:.2%} on these pairs"
    return (
        f"This judge never acts: {why}. Until then everything that would remove a fact goes to people; "
        "`arbiter judge calibrate` sets its thresholds by more, or other, pairs."
    )
