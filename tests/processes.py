"""Scripts in processes of their own, which can import the project and the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a script."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    """Wait until a process says a word."""
    assert process.stdout is not None
    said = process.stdout.readline().strip()
    assert said == word, process.communicate()[1]


def go_on(process: subprocess.Popen[str]) -> None:
    """Let a process go on that waits for a line."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
