"""The account of the field cases: every one is run by a test."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.acceptance.field_cases import CASES, COVERED, DEVIATES, SENT

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

ABOUT_HTTP = {
    "batch-one-bad-item",
    "empty-content",
    "foreign-id-then-forget",
    "independent-source-refused",
    "invented-record-id",
    "queue-position-used-as-id",
    "replacement-fails-after-delete",
    "retired-record-demotes-live-one",
    "retry-after-ambiguous-timeout",
    "supersession-cycle-in-batch",
    "text-over-model-limit",
}
"""Cases whose authors ask for an HTTP status or for an Idempotency-Key."""


def test_every_case_is_accounted_for() -> None:
    """113 cases, all run, of which 11 end otherwise on purpose; those about HTTP are sent over HTTP."""
    for path in Path(__file__).parent.glob("test_field_cases_*.py"):
        import_module(f"tests.acceptance.{path.stem}")
    assert (len(CASES), len(COVERED), len(DEVIATES)) == (113, 113, 11)
    assert CASES.keys() == COVERED.keys()
    assert DEVIATES.keys() <= COVERED.keys()
    assert SENT.keys() == ABOUT_HTTP
