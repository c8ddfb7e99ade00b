"""A model's reply about numbered pairs: the schema it should follow, and how it is read and checked.

Every verdict stands for itself: one that is faulty leaves its pair unjudged and the others as they are.
Nothing is guessed. In particular an ``update`` without ``current`` is no answer: the side it names is the
one that stays, and to fill it in would retire a fact on the word of nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from arbiter.domain.evidence import Judgement, Side, Unjudged, Verdict
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind

MAX_REASON_CHARS = 1_000
_MAX_ATTRIBUTE_CHARS = 200
_MAX_MERGED_CHARS = 8_000
_MAX_REPLY_CHARS = 4_000
_MAX_MISSES = 100  # braces in prose that open no JSON; more than that is noise, and slow to search
_REPEATED = object()
_VERDICTS = re.compile(r'\{\s*"verdicts"\s*:\s*\[')
_SEPARATOR = re.compile(r"\s*,?\s*")
# Control characters, halves of surrogate pairs, and marks that turn the direction of writing.
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def _choice(*words: str | None) -> dict[str, object]:
    """Return the schema of a closed word list; with None among the words it may be null."""
    return {"type": ["string", "null"] if None in words else "string", "enum": list(words)}


_ITEM: dict[str, object] = {
    "pair": {"type": "integer"},
    "reasoning": {"type": "string"},
    "attribute": {"type": ["string", "null"]},
    "relation": _choice(*Relation),
    "current": _choice("a", "b", None),
    "update_kind": _choice(*UpdateKind, None),
    "stale_risk": _choice("a", "b", None),
    "mutability": _choice(*Mutability),
    "stakes": _choice(*Stakes),
    "merged_text": {"type": ["string", "null"]},
    "confidence": {"type": "number"},
}

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _ITEM,
                "required": list(_ITEM),
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
"""The JSON schema of a reply. The reasoning stands before the label: models then label better."""


def _fold(word: object) -> object:
    """Read " Duplicate" as "duplicate" and "none" as null; any other word is left to fail."""
    if not isinstance(word, str):
        return word
    folded = word.strip().lower()
    return None if folded in {"", "null", "none"} else folded


_Folded = BeforeValidator(_fold)
_Side = Annotated[Literal["a", "b"] | None, _Folded]


class _Item(BaseModel):
    """One verdict as the model wrote it."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    pair: StrictInt
    reasoning: StrictStr = ""
    attribute: StrictStr | None = None
    relation: Annotated[Relation, _Folded]
    current: _Side = None
    update_kind: Annotated[UpdateKind | None, _Folded] = None
    stale_risk: _Side = None
    mutability: Annotated[Mutability | None, _Folded] = None
    stakes: Annotated[Stakes | None, _Folded] = None
    merged_text: Annotated[StrictStr | None, Field(max_length=_MAX_MERGED_CHARS)] = None
    confidence: Annotated[float, Field(strict=True, ge=0, le=1)]

    @model_validator(mode="after")
    def _update_names_its_side(self) -> _Item:
        if self.relation is Relation.UPDATE and self.current is None:
            raise PydanticCustomError("no_current", "an update must say which side is current")
        return self

    def verdict(self, judge: str) -> Verdict:
        """Return it in our words; fields that have no meaning for the relation are dropped.

        The model speaks of its own label only, so ``probabilities`` holds that one and no invented rest.
        """
        updates = self.relation is Relation.UPDATE
        return Verdict(
            relation=self.relation,
            confidence=self.confidence,
            judge=judge,
            current=self.current if updates else None,
            update_kind=self.update_kind if updates else None,
            stale_risk=self.stale_risk if self.relation is Relation.COMPLEMENTARY else None,
            attribute=_plain(self.attribute or "", _MAX_ATTRIBUTE_CHARS) or None,
            mutability=self.mutability,
            stakes=self.stakes,
            reason=_plain(self.reasoning, MAX_REASON_CHARS),
            probabilities={self.relation.value: self.confidence},
            merged_text=_plain(self.merged_text or "", _MAX_MERGED_CHARS) or None,
        )


def parse_reply(text: str, count: int, judge: str, asked: Sequence[str] = ()) -> list[Judgement]:
    """Read a reply about pairs 1 to ``count``; return one judgement for each, in order.

    ``asked`` are the texts that the question was about. A verdict that stands in one of them is no answer:
    whoever wrote the text gave it, and the model only repeats it.

    A correct JSON is found inside prose or a code fence too, and in a reply that was cut off the verdicts
    before the cut count. Left unjudged is a pair with no verdict, with a faulty one or with several that
    disagree; all pairs are, if the reply is too long or its numbers are those of a shifted count.
    """
    if len(text) > _MAX_REPLY_CHARS * (count + 1):
        return [_unusable(f"the reply has {len(text):,} characters, far too many", judge)] * count
    found: dict[int, list[Judgement]] = {}
    repeated = {_said(value) for said in asked for value in _objects(said)}
    for item in _items(text):
        number = item.get("pair")
        if type(number) is int and _said(item) not in repeated:
            found.setdefault(number, []).append(_read(item, judge))
    if (0 in found and count not in found) or (count + 1 in found and 1 not in found):
        return [_unusable("the reply counts the pairs from another number than 1", judge)] * count
    return [_agreed(found.get(number, ()), judge) for number in range(1, count + 1)]


def _items(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield every verdict in a text, also from a list of them that breaks off.

    Only whole JSON values are read, never something that looks like one inside a string of another: a
    model may well quote a record there, and a record may hold anything.
    """
    if text.lstrip().startswith("<think>"):
        text = text.partition("</think>")[2]
    start, misses = text.find("{"), 0
    while start >= 0 and misses < _MAX_MISSES:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            misses += 1
            if broken := _VERDICTS.match(text, start):
                yield from _before_break(text, broken.end())
                return
            end = start + 1
        else:
            verdicts = value.get("verdicts")
            listed = verdicts if isinstance(verdicts, list) else [value]
            yield from (item for item in listed if isinstance(item, dict))
        start = text.find("{", end)


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield every JSON object in a text, wherever it begins and however deep it lies."""
    start = text.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield from _within(value)
        start = text.find("{", end)


def _within(value: object) -> Iterator[Mapping[str, Any]]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _said(item: Mapping[str, Any]) -> frozenset[tuple[str, object]]:
    """Return what an object says as a verdict, however it is written."""
    return frozenset((name, item[name]) for name in _ITEM.keys() & item if _is_plain(item[name]))


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _before_break(text: str, start: int) -> Iterator[Mapping[str, Any]]:
    while text.startswith("{", start):
        try:
            item, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield item
        start = _SEPARATOR.match(text, end).end()  # type: ignore[union-attr]  # it matches nothing, too


def _object(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object; a name that stands in it twice gets a value that fits no field."""
    value: dict[str, Any] = {}
    for name, member in members:
        value[name] = _REPEATED if name in value else member
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def _read(item: Mapping[str, Any], judge: str) -> Judgement:
    try:
        return _Item.model_validate(item).verdict(judge)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        return _unusable(f"the verdict is not valid: {field}: {first['msg']}", judge)


def _agreed(found: Sequence[Judgement], judge: str) -> Judgement:
    """Return the one verdict that was given on a pair."""
    if not found:
        return _unusable("the reply has no verdict on this pair", judge)
    first, *others = found
    for other in others:
        if isinstance(other, Unjudged):
            return other
        if isinstance(first, Verdict) and _claim(first) != _claim(other):
            return _unusable("the reply has verdicts on this pair that disagree", judge)
    return first


def _claim(verdict: Verdict) -> tuple[Relation, Side | None, UpdateKind | None, Side | None]:
    return (verdict.relation, verdict.current, verdict.update_kind, verdict.stale_risk)


def _plain(text: str, limit: int) -> str:
    """Return a model's text on one line, without what cannot be stored or shown, and not too long."""
    line = " ".join(_UNSHOWABLE.sub(" ", text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _unusable(message: str, judge: str) -> Unjudged:
    return Unjudged("judge_reply", message, retryable=True, judge=judge)
