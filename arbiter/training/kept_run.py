"""What a folder of a training was started with, so that no other training goes on from its checkpoints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from arbiter.errors import ConfigurationError
from arbiter.training.recipe import Recipe

_FILE = "recipe.json"
_MADE = ("judge.json", "model.onnx", "teacher.pt", "stage*", "taught.pt")
_OPTIONS = {
    "first.epochs": "--general-epochs",
    "second.epochs": "--epochs",
    "third.epochs": "--mixed-epochs",
    "second.learning_rate": "--rate",
    "second.frozen_layers": "--frozen-layers",
    "seeds": "--seed",
    **{name: f"--{name}" for name in ("relations", "inference", "calibration", "base", "share", "teacher")},
}
_ALONG = ("mixed_epochs", "third.learning_rate", "first.frozen_layers", "third.frozen_layers")
"""What follows from another option, and is not named beside it."""
_AFTERWARDS = ("budget", "confidence")
"""What calibration alone is made with; it may differ from one start to the next."""


def take_up(directory: Path, recipe: Recipe) -> bool:
    """Keep what a training is started with; return whether one with the same is there already, to go on with.

    Raises:
        ConfigurationError: the folder holds a judge or checkpoints of another training; names the options
            that differ.
    """
    at = directory / _FILE
    asked = _flat({name: value for name, value in recipe.as_json().items() if name not in _AFTERWARDS})
    asked |= {f"the content of {path.name}": _digest(path) for path in _files(recipe)}
    if at.exists():
        differing = _differing(json.loads(at.read_text(encoding="utf-8")), asked)
        if differing:
            raise ConfigurationError(
                f"{directory} holds a training with other options ({'; '.join(differing)}); name another "
                "--out, or remove it"
            )
        return True
    if any(next(directory.glob(name), None) for name in _MADE):
        raise ConfigurationError(
            f"{directory} holds a judge or checkpoints of another training; name another --out"
        )
    directory.mkdir(parents=True, exist_ok=True)
    at.write_text(json.dumps(asked, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return False


def _differing(kept: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return the options that differ, as they were and as they are now."""
    names = [name for name in dict.fromkeys((*kept, *asked)) if kept.get(name) != asked.get(name)]
    told = [name for name in names if name not in _ALONG] or names
    return [
        name
        if name.startswith("the content")
        else f"{_OPTIONS.get(name, name)}: {_written(kept.get(name))}, now {_written(asked.get(name))}"
        for name in told
    ]


def _written(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _files(recipe: Recipe) -> Iterable[Path]:
    cards = (recipe.base / "judge.json", recipe.base / "config.json")
    return (
        *(path for path in cards if path.exists()),
        *recipe.pairs,
        *recipe.relations,
        *recipe.inference,
        *recipe.calibration,
    )


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            found |= _flat(inner, f"{prefix}{name}.")
        else:
            found[prefix + name] = inner
    return found
