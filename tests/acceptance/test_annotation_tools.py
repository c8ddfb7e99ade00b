"""The exports before the libraries of the tools themselves, where those are installed.

They are not among the test dependencies, since theirs do not go with ours. What the tools said when they were
last asked is kept in ``tests/data/annotation_tools``, and the unit tests hold the exports to it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from arbiter.api import Arbiter
from arbiter.interchange.review_files import OpenForm, export_open, read_rulings
from arbiter.interchange.review_import import apply_rulings
from tests.exchange_cases import HOSTILE, PROPOSED, REVIEWS, SAME, asking, views

# The libraries' own, at import and later.
pytestmark = pytest.mark.filterwarnings("ignore")
KIM = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter that asks about every case."""
    with asking() as opened:
        yield opened


@pytest.fixture
def interface() -> Any:
    """Return the labelling interface as Label Studio's SDK understands it."""
    module = pytest.importorskip("label_studio_sdk.label_interface")
    return module.LabelInterface(exported((), "label-studio-config"))


@pytest.fixture
def argilla() -> Any:
    """Return Argilla's client library, for which one answer of a server is enough."""
    module = pytest.importorskip("argilla")
    me = {"id": KIM, "username": "kim", "role": "owner", "first_name": "kim"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=me))
    module.Argilla(api_url="http://127.0.0.1:9", api_key="kim.apikey", mounts={"all://": transport})
    return module


def exported(items: Any, form: OpenForm) -> str:
    """Return an export as one text."""
    return "".join(export_open(items, form))


def test_the_sdk_of_label_studio_finds_no_fault(arbiter: Arbiter, interface: Any) -> None:
    """The configuration, every task and every prediction are valid."""
    interface.validate()
    tasks = json.loads(exported(views(arbiter), "label-studio"))
    assert [interface.validate_task({"data": task["data"]}) for task in tasks] == [True] * 7
    faults = [interface.validate_prediction(p, return_errors=True) for t in tasks for p in t["predictions"]]
    assert faults == [[]] * 6


def test_annotations_of_the_sdk_become_rulings(arbiter: Arbiter, interface: Any) -> None:
    """What it makes of values is valid for it, and a ruling for us."""
    tasks = json.loads(exported(views(arbiter), "label-studio"))
    given = {
        SAME: {"ruling": "merge", "relation": "duplicate", "text": [PROPOSED], "confirmed": ["yes"]},
        REVIEWS[0]: {
            "ruling": "relabel",
            "relation": "unrelated",
            "reason": [HOSTILE[0]],
            "comment": HOSTILE[1],
        },
    }
    objects = pytest.importorskip("label_studio_sdk.label_interface.objects")
    for task in tasks:
        regions = interface.create_regions(given.get(task["data"]["review_id"], {}))
        annotation = objects.AnnotationValue(completed_by=1, result=regions).model_dump()
        assert interface.validate_annotation(annotation)
        task["annotations"] = [annotation]
    stream = io.BytesIO(json.dumps(tasks).encode())
    rulings = read_rulings(stream, "label-studio", users={"1": "kim"})
    done = list(apply_rulings("default", rulings, arbiter.context.store, arbiter.review))
    assert [line.status.value for line in done] == ["applied", "applied"]
    kept = {ruling.kind.value: ruling for ruling in arbiter.context.store.rulings("default")}
    assert (kept["relabel"].reviewer, kept["relabel"].reason) == ("kim", HOSTILE[0])
    assert [comment.text for comment in arbiter.review.view(REVIEWS[0]).comments] == [HOSTILE[1]]


def test_argilla_reads_the_settings(argilla: Any, tmp_path: Path) -> None:
    """They are valid, and what Argilla writes of them again says all that ours say."""
    path = tmp_path / "settings.json"
    path.write_text(exported((), "argilla-settings"), encoding="utf-8")
    settings = argilla.Settings.from_json(path)
    settings.validate()
    settings._validate_duplicate_names()  # noqa: SLF001  it is only called with a server
    assert holds(settings.serialize(), json.loads(path.read_text("utf-8")))


def test_argilla_reads_the_records_and_we_its_responses(arbiter: Arbiter, argilla: Any) -> None:
    """Every text comes back as it was; what is submitted is a ruling, in both of its forms."""
    records = json.loads(exported(views(arbiter), "argilla"))
    read = [argilla.Record.from_dict(record) for record in records]
    assert [holds(r.to_dict(), {**given, "suggestions": {}}) for r, given in zip(read, records, strict=True)]
    first = next(record for record in read if record.id == REVIEWS[0])
    for question, value in (("ruling", "keep_b"), ("relation", "contradiction"), ("reason", HOSTILE[3])):
        first.responses.add(argilla.Response(question, value, user_id=KIM, status="submitted"))
    write = pytest.importorskip("argilla.records._io").GenericIO.to_list
    flat = io.BytesIO(json.dumps(write(read, flatten=True)).encode())
    rulings = read_rulings(flat, "argilla", users={KIM: "kim"})
    (done,) = apply_rulings("default", rulings, arbiter.context.store, arbiter.review)
    assert (done.review_id, done.status.value) == (REVIEWS[0], "applied")
    (ruling,) = arbiter.context.store.rulings("default")
    assert (ruling.reviewer, ruling.kind.value, ruling.reason) == ("kim", "keep_b", HOSTILE[3].strip())


def holds(found: Any, told: Any) -> bool:
    """Does a value say everything that another one says, and perhaps more?"""
    if isinstance(told, dict):
        return isinstance(found, dict) and all(
            name in found and holds(found[name], told[name]) for name in told
        )
    if isinstance(told, list):
        return len(found) == len(told) and all(map(holds, found, told))
    return bool(found == told)
