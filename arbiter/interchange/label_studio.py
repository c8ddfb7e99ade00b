"""Review items as tasks of Label Studio with the judge's verdict as a prediction, and annotations back in.

The labelling configuration holds no word of a memory. Statements are shown as plain text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Verdict
from arbiter.errors import InvalidRecordError
from arbiter.interchange.annotations import (
    CONTROLS,
    RELATION_HINTS,
    RULING_HINTS,
    answered,
    person,
    shown,
)
from arbiter.interchange.lines import Item
from arbiter.interchange.receipts import Json
from arbiter.interchange.review_answers import NAMESPACE, NEEDED, ImportedRuling, RulingFault, printable

if TYPE_CHECKING:
    from arbiter.pipeline.review_view import ReviewView

_TOOL = "label-studio"
_TARGET = "a"
_CHOICES = frozenset(["ruling", "relation", "confirmed"])


def task(view: ReviewView) -> Json:
    """Return an item as a task: what is shown, and what the judge found as a prediction.

    The model version is the id of the judge, the score its confidence.
    """
    found = view.judgement
    predictions: list[Json] = []
    if isinstance(found, Verdict):
        result = [_region(view.queued.item.id, "relation", [found.relation.value])]
        if view.queued.item.proposal:
            result.append(_region(view.queued.item.id, "text", [view.queued.item.proposal]))
        predictions = [{"model_version": found.judge, "score": found.confidence, "result": result}]
    return {"data": shown(view), "predictions": predictions}


def tasks_text(views: Iterable[ReviewView]) -> Iterator[str]:
    """Yield the array of the tasks, one a line."""
    before = "[\n"
    for view in views:
        yield before + json.dumps(task(view), ensure_ascii=False, allow_nan=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def labelling_config() -> str:
    """Return the XML of the labelling interface: both statements side by side, and the form below."""
    rulings = _choices({kind.value: hint for kind, hint in RULING_HINTS.items()}, hotkeys=True)
    relations = _choices(RELATION_HINTS)
    sides = "\n".join(_side(name) for name in ("a", "b"))
    return f"""\
<View>
  <Header value="$question" size="3"/>
  <View style="display: grid; grid-template-columns: 1fr 1fr; gap: 1.5em">
{sides}
  </View>
  <Header value="What was found" size="5"/>
  <Text name="evidence" value="$evidence" valueType="text"/>
  <Text name="comments" value="$comments" valueType="text"/>
  <Header value="What holds?" size="4"/>
  <Choices name="ruling" toName="a" choice="single" showInline="true" required="true"
           requiredMessage="Say what holds.">
{rulings}
  </Choices>
  <Header value="How do they relate? Change it together with the ruling relabel." size="5"/>
  <Choices name="relation" toName="a" choice="single" showInline="true">
{relations}
  </Choices>
  <View visibleWhen="choice-selected" whenTagName="ruling" whenChoiceValue="merge">
    <Header value="The one text that stands for both" size="5"/>
    <TextArea name="text" toName="a" rows="3" maxSubmissions="1" editable="true"/>
    <Header value="Does it name what neither side names, and is that meant?" size="5"/>
    <Choices name="confirmed" toName="a" choice="multiple" showInline="true">
      <Choice value="yes"/>
    </Choices>
  </View>
  <Header value="Why? A skip must have a reason." size="5"/>
  <TextArea name="reason" toName="a" rows="2" maxSubmissions="1" editable="true"/>
  <Header value="A note on the question, whatever the ruling" size="5"/>
  <TextArea name="comment" toName="a" rows="2" maxSubmissions="1" editable="true"/>
</View>
"""


def annotation_answers(
    items: Iterable[Item], *, reviewer: str = "", users: Mapping[str, str] | None = None
) -> Iterator[ImportedRuling | RulingFault]:
    """Yield what people answered in tasks as Label Studio exports them (JSON, not JSON-MIN).

    Annotations that were cancelled, drafts and predictions are no answers. Where several people answered
    one task otherwise, none of their answers is taken. ``users`` names reviewers by Label Studio's user ids
    or e-mail addresses; ``reviewer`` stands in where an annotation does not say who made it.
    """
    for place, (_, data, problem) in enumerate(items, start=1):
        if problem is not None:
            yield RulingFault(place, None, None, problem.message)
            continue
        bound: Mapping[str, object] = {}
        try:
            bound = _data(data)
            given, faults = _annotations(place, data, bound, users)
        except InvalidRecordError as error:
            yield RulingFault(place, printable(bound.get("review_id")), error.field, error.message)
            continue
        yield from faults
        prefilled = {"relation": bound.get("relation"), "text": bound.get("proposal")}
        ids = {name: bound.get(name) for name in (*NEEDED, NAMESPACE)}
        yield from answered(place, ids, given, prefilled, reviewer)


def _data(task_read: object) -> Mapping[str, object]:
    data = task_read.get("data") if isinstance(task_read, Mapping) else None
    if not isinstance(data, Mapping):
        raise InvalidRecordError("is missing; export as JSON, not as JSON-MIN", field="data")
    return data


def _annotations(
    place: int, task_read: object, bound: Mapping[str, object], users: Mapping[str, str] | None
) -> tuple[list[tuple[str, Mapping[str, object]]], list[RulingFault]]:
    listed = task_read.get("annotations") if isinstance(task_read, Mapping) else None
    if not isinstance(listed, list):
        raise InvalidRecordError("is missing; export as JSON, not as JSON-MIN", field="annotations")
    given: list[tuple[str, Mapping[str, object]]] = []
    faults: list[RulingFault] = []
    for annotation in listed:
        try:
            if not _is_cancelled(annotation):
                given.append((_annotator(annotation, users), _values(annotation)))
        except InvalidRecordError as error:
            faults.append(RulingFault(place, printable(bound.get("review_id")), error.field, error.message))
    return given, faults


def _is_cancelled(annotation: object) -> bool:
    if not isinstance(annotation, Mapping):
        raise InvalidRecordError("an annotation is a JSON object", field="annotations")
    return bool(annotation.get("was_cancelled"))


def _annotator(annotation: Mapping[str, object], users: Mapping[str, str] | None) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, Mapping):
        return person(_TOOL, by.get("id"), by.get("email"), users)
    return person(_TOOL, by, None, users)


def _values(annotation: Mapping[str, object]) -> Mapping[str, object]:
    result = annotation.get("result")
    if not isinstance(result, list):
        raise InvalidRecordError("has no list of results", field="result")
    values: dict[str, str] = {}
    for region in result:
        name = region.get("from_name") if isinstance(region, Mapping) else None
        if not isinstance(region, Mapping) or not isinstance(name, str) or name not in CONTROLS:
            continue
        value = region.get("value")
        kind = "choices" if name in _CHOICES else "text"
        told = _texts(value.get(kind) if isinstance(value, Mapping) else None, name)
        if kind == "choices" and (len(told) > 1 or (told and name in values)):
            raise InvalidRecordError("has more than one choice", field=name)
        values[name] = "\n".join([values[name], *told] if name in values else told)
    return values


def _texts(value: object, name: str) -> list[str]:
    told = [value] if isinstance(value, str) else value
    if not isinstance(told, list) or not all(isinstance(text, str) for text in told):
        raise InvalidRecordError("is not a list of texts", field=name)
    return told


def _region(review_id: str, control: str, value: list[str]) -> Json:
    kind = "choices" if control in _CHOICES else "textarea"
    return {
        "id": f"{review_id}-{control}",
        "from_name": control,
        "to_name": _TARGET,
        "type": kind,
        "value": {"choices" if kind == "choices" else "text": value},
    }


def _side(name: str) -> str:
    # The frame tells the words of the statement from ours, whatever they say.
    return f"""\
    <View>
      <Header value="{name.upper()}" size="4"/>
      <View style="border: 1px solid; border-radius: 4px; padding: 0.5em">
        <Text name="{name}" value="${name}_content" valueType="text"/>
      </View>
      <Text name="{name}_about" value="${name}_about" valueType="text"/>
    </View>"""


def _choices(hints: Mapping[str, str], *, hotkeys: bool = False) -> str:
    return "\n".join(
        f'    <Choice value="{escape(value)}" hint="{escape(hint)}"'
        + (f' hotkey="{place}"/>' if hotkeys else "/>")
        for place, (value, hint) in enumerate(hints.items(), start=1)
    )
