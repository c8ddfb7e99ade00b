"""Policy files: TOML in, a checked ``Policy`` out."""

from __future__ import annotations

import hashlib
import tomllib
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arbiter.domain.facts import EventKeyPolicy
from arbiter.domain.policy import (
    CELL_VALUES,
    ConfidenceWeights,
    Policy,
    Rule,
    SourceRule,
    check,
)
from arbiter.domain.vocabulary import Action, Strategy
from arbiter.errors import ConfigurationError

Share = Annotated[float, Field(ge=0, le=1)]
Days = Annotated[float, Field(ge=0.01, le=100_000)]
Weight = Annotated[float, Field(gt=0, le=1000)]
Threshold = Literal[
    "duplicate",
    "update",
    "update.state_change",
    "update.correction",
    "update.refinement",
    "contradiction",
    "complementary",
    "unrelated",
]
JudgeKind = Literal["exact", "keyed", "local", "llm"]
_NEEDS_STRATEGY = (Action.SUPERSEDE, Action.TOMBSTONE)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileRule(_Strict):
    """A row of the table: the cells that it matches, and what follows."""

    id: str = Field(min_length=1)
    when: dict[str, list[str]] = {}
    action: Action
    strategy: Strategy | None = None
    asks: bool = False
    reason: str = Field(min_length=1)

    def faults(self) -> list[str]:
        """Return what the fields cannot say of one another."""
        found = [f"rule {self.id!r}: unknown field {name!r}" for name in self.when if name not in CELL_VALUES]
        found += [
            f"rule {self.id!r}: {name} has no value {value!r}"
            for name, values in self.when.items()
            for value in values
            if value not in CELL_VALUES.get(name, (value,))
        ]
        by_person = "ruling" in self.when
        if self.action in _NEEDS_STRATEGY and self.strategy is None and not by_person:
            found.append(f"rule {self.id!r}: action {self.action} needs a strategy")
        if self.strategy is Strategy.LLM and self.action is not Action.MERGE_PROPOSAL:
            found.append(f"rule {self.id!r}: strategy llm only proposes; its action is merge_proposal")
        return found


class FileSource(_Strict):
    """What holds for sources whose id matches a shell pattern."""

    match: str = Field(min_length=1)
    event_key: EventKeyPolicy = EventKeyPolicy.AUTO
    weight: Weight = 1.0


class FileConfidence(_Strict):
    """Shares of the confidence of a fact."""

    explicitness: Share = 0.3
    sources: Share = 0.2
    authority: Share = 0.35
    recency: Share = 0.15
    half_life_days: Days = 180
    margin: Share = 0.1


class FileDecay(_Strict):
    """When a fact that nobody repeats is to be looked at again."""

    unseen_after_days: Days = 180


class PolicyFile(_Strict):
    """A policy as it is written down."""

    thresholds: dict[Threshold, Share] = {}
    judges: dict[JudgeKind, dict[Threshold, Share]] = {}
    confidence: FileConfidence = FileConfidence()
    decay: FileDecay = FileDecay()
    sources: list[FileSource] = []
    rules: list[FileRule] = Field(min_length=1)


def load_policy(path: Path | Literal["default"] = "default") -> Policy:
    """Read and check a policy file; ``default`` is the packaged one.

    Raises:
        ConfigurationError: the file cannot be read, or has faults; all of them are listed.
    """
    try:
        text = (
            (resources.files("arbiter") / "assets" / "policy.toml").read_text("utf-8")
            if path == "default"
            else Path(path).read_text("utf-8")
        )
        parsed = PolicyFile.model_validate(tomllib.loads(text))
    except OSError as error:
        raise ConfigurationError(f"policy file {path}: {error.strerror}", field="policy_file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"policy file {path} is not TOML: {error}", field="policy_file") from error
    except ValidationError as error:
        faults = [f"{_place(e['loc'])}: {e['msg']}" for e in error.errors()]
        raise ConfigurationError(_listing(path, faults), field="policy_file") from error
    policy, faults = checked_policy(parsed, text, packaged=path == "default")
    if faults:
        raise ConfigurationError(_listing(path, faults), field="policy_file")
    return policy


def checked_policy(parsed: PolicyFile, text: str, *, packaged: bool = False) -> tuple[Policy, list[str]]:
    """Return the policy that was written down as ``text``, and every fault of it.

    The packaged table is checked by the tests; going through every cell takes a good half second.
    """
    faults = [fault for rule in parsed.rules for fault in rule.faults()]
    policy = _policy(parsed, hashlib.sha256(text.encode()).hexdigest()[:12])
    return policy, faults or ([] if packaged else check(policy))


def _policy(parsed: PolicyFile, digest: str) -> Policy:
    return Policy(
        rules=tuple(
            Rule(
                id=rule.id,
                action=rule.action,
                reason=rule.reason,
                when={name: frozenset(values) for name, values in rule.when.items()},
                strategy=rule.strategy,
                asks=rule.asks,
            )
            for rule in parsed.rules
        ),
        thresholds={str(name): least for name, least in parsed.thresholds.items()},
        judges={
            str(kind): {str(name): least for name, least in table.items()}
            for kind, table in parsed.judges.items()
        },
        sources=tuple(SourceRule(s.match, s.event_key, s.weight) for s in parsed.sources),
        weights=ConfidenceWeights(
            explicitness=parsed.confidence.explicitness,
            sources=parsed.confidence.sources,
            authority=parsed.confidence.authority,
            recency=parsed.confidence.recency,
            half_life=timedelta(days=parsed.confidence.half_life_days),
        ),
        confidence_margin=parsed.confidence.margin,
        unseen_after=timedelta(days=parsed.decay.unseen_after_days),
        digest=digest,
    )


def _place(loc: tuple[int | str, ...]) -> str:
    """Write where a fault is; that it is the name and not the value of an entry, the message says."""
    return ".".join(str(part) for part in loc if part != "[key]")


def _listing(path: object, faults: list[str]) -> str:
    return f"policy {path} has {len(faults)} fault(s):\n" + "\n".join(f"  - {fault}" for fault in faults)
