"""What is known about a pair before anything is decided: candidates, guards, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, TypeAlias

from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind

Side: TypeAlias = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored fact that may be worth judging against a record.

    ``similarity`` is a cosine in [-1, 1] (None: not compared), ``entity_overlap`` the Jaccard index of
    the named things in [0, 1]. ``retrieved_by`` names the roads that found it; ``dropped_by`` the rule
    that kept it from the judges (None: it was judged). ``apart``: the two are about different subjects, as
    their callers say; ``namesake``: the names of their subjects differ, but may be two of one.
    ``stands_out_from`` is the similarity from which on it stands out among the facts about the same thing
    (None: they are too few to tell).
    """

    fact_id: str
    similarity: float | None
    entity_overlap: float
    retrieved_by: tuple[str, ...]
    dropped_by: str | None = None
    apart: bool = False
    namesake: bool = False
    stands_out_from: float | None = None


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A difference that forbids to call two texts the same: which guard, and what each side says."""

    guard: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class RecordPair:
    """Two records to be judged, oriented: ``a`` is the earlier one by time, then by fingerprint."""

    a: Record
    b: Record


@dataclass(frozen=True, slots=True)
class Spend:
    """What asking cost. ``usd`` is what the provider's price list says, 0 where it has no price."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    local_pairs: int = 0

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.usd + other.usd,
            self.local_pairs + other.local_pairs,
        )

    def shared(self, weights: Sequence[int]) -> list[Spend]:
        """Split by weights; the whole numbers of the parts add up to the whole exactly."""
        total = sum(weights)
        bounds = [0, *accumulate(weights)]

        def part(amount: int, place: int) -> int:
            return amount * bounds[place + 1] // total - amount * bounds[place] // total

        return [
            Spend(
                part(self.llm_calls, place),
                part(self.prompt_tokens, place),
                part(self.completion_tokens, place),
                self.usd * weight / total,
                part(self.local_pairs, place),
            )
            for place, weight in enumerate(weights)
        ]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The relation of a pair by one judge. ``current`` and ``stale_risk`` name sides of that pair.

    ``confidence`` is the judge's probability for ``relation``, in [0, 1].
    """

    relation: Relation
    confidence: float
    judge: str
    current: Side | None = None
    update_kind: UpdateKind | None = None
    stale_risk: Side | None = None
    attribute: str | None = None
    mutability: Mutability | None = None
    stakes: Stakes | None = None
    reason: str = ""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    guards: tuple[GuardFinding, ...] = ()
    merged_text: str | None = None
    cached: bool = False


NOT_DECIDED = "not_decided"
"""The code of an unjudged by which a judge leaves a pair to others."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """No judge could tell. Held and asked again where ``retryable``; never read as a label."""

    code: str
    message: str
    retryable: bool
    judge: str = ""
    guards: tuple[GuardFinding, ...] = ()


Judgement: TypeAlias = Verdict | Unjudged


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What was found for two stored facts; the sides are fact ids, in the judged orientation."""

    a: str
    b: str
    judgement: Judgement

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    def counts_before(self, earlier: JudgedPair) -> bool:
        """Does it take the place of what was found earlier? A failure never takes that of a verdict."""
        return isinstance(self.judgement, Verdict) or isinstance(earlier.judgement, Unjudged)

    def fact_at(self, side: Side) -> str:
        """Return the id of the fact on one side."""
        return self.a if side == "a" else self.b
