"""Lint, format, types and the direction of imports, so that a plain ``pytest`` sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "--quiet", "--output-format", "concise"], id="lint"),
        pytest.param(["ruff", "format", "--check", "--quiet"], id="format"),
        pytest.param(["mypy"], id="types"),
        pytest.param(["lint-imports", "--no-logo", "--no-cache"], id="imports"),
    ],
)
def test_quality(command: list[str]) -> None:
    """The tool finds nothing; what it prints otherwise is the message of the failure."""
    tool = Path(sys.executable).with_name(command[0])
    run = subprocess.run(
        [tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert run.returncode == 0, run.stdout + run.stderr
