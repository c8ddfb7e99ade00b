"""What a judge is made of: data, base and hyper-parameters, as one value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arbiter.judges.local import PACKAGED
from arbiter.training.loop import Plan


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a judge is made of.

    ``base`` is a published BERT or a judge that is trained further. ``inference`` files make the first stage,
    which is left out if there are none. The third stage starts warm again and mixes inference into its first
    ``mixed_epochs``, as many batches of it as ``mixed_ratio`` times those of pairs; it may have no epochs.
    ``calibration`` files are what the judge is calibrated on, and what shares a statement with them is not
    trained on; without them a ``share`` of the pairs, whole contrast sets, is held out for it. With several
    ``seeds`` the weights of as many runs of the later stages are averaged. With a ``teacher`` the third
    stage also learns what that one says of the pairs, and of as many as ``recombined`` new ones.
    """

    pairs: tuple[Path, ...]
    relations: tuple[Path, ...] = ()
    inference: tuple[Path, ...] = ()
    inference_cap: Mapping[str, int] = field(default_factory=dict)
    inference_chars: int = 400
    calibration: tuple[Path, ...] = ()
    base: Path = PACKAGED
    share: float = 0.15
    split_seed: int = 7
    seeds: tuple[int, ...] = (1,)
    batch: int = 48
    mixed_epochs: int = 2
    mixed_ratio: float = 1.8
    teacher: Path | None = None
    recombined: int = 20_000
    taught_inference: int = 0
    taught_chars: int = 180
    budget: float = 0.01
    confidence: float = 0.95
    first: Plan = field(
        default_factory=lambda: Plan(1, 1e-4, head_rate=5.0, dropout=0.0, contrast=0.0, seed=11)
    )
    second: Plan = field(default_factory=lambda: Plan(6, 1e-4, train_words=False))
    third: Plan = field(default_factory=lambda: Plan(0, 1e-4, contrast=0.1, train_words=False))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types; files by their names."""
        made: dict[str, Any] = json.loads(json.dumps(asdict(self), default=lambda path: path.name))
        return made
