"""The account of the field cases: every one is run by a test or waits for a reason, none silently."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.acceptance.field_cases import CASES, COVERED, DEVIATES, STATUS_WAITS, WAITS

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


def test_every_case_is_accounted_for() -> None:
    """113 cases: 111 run, of which 11 end otherwise on purpose; 2 wait."""
    for path in Path(__file__).parent.glob("test_field_cases_*.py"):
        import_module(f"tests.acceptance.{path.stem}")
    assert (len(CASES), len(COVERED), len(WAITS)) == (113, 111, 2)
    assert CASES.keys() == COVERED.keys() | WAITS.keys()
    assert len(DEVIATES) == 11
    assert DEVIATES.keys() <= COVERED.keys()
    assert len(STATUS_WAITS) == 9
    assert COVERED.keys() >= STATUS_WAITS
