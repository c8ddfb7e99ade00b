"""Every floor of ``evals/gates.toml`` holds."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from evals.__main__ import main
from evals.floors import read_floors

SUITES = dict.fromkeys(floor.suite for floor in read_floors())


@pytest.mark.parametrize("suite", SUITES)
def test_nothing_fell(suite: str) -> None:
    """What it prints otherwise says what, and by how much."""
    done = CliRunner().invoke(main, ["gate", "--suite", suite], catch_exceptions=False)
    assert done.exit_code == 0, done.output
