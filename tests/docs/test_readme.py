"""The README is up to date, complete and runs."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from arbiter.settings import Settings
from tests.docs import readme_tables
from tests.docs.readme_tables import ROOT

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "prompts").rglob("*.md"), *(ROOT / "evals").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]+\]\((?!https?:|#)([^)#\s]+)")


def blocks(language: str) -> list[str]:
    """Return the README's fenced blocks of one language."""
    return [text for kind, text in _BLOCK.findall(README) if kind == language]


def test_generated_parts_are_up_to_date() -> None:
    """What cog would write is what stands there."""
    run = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", "--diff", "README.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_setting_is_documented() -> None:
    """Each setting has its row."""
    assert [name for name in Settings.model_fields if f"| `{name}` | `ARBITER_" not in README] == []


def test_every_command_is_documented() -> None:
    """Each command has its help page, and each has something to say."""
    found = {context.command_path: context.command for context in readme_tables.commands()}
    assert "arbiter scan" in found
    assert [path for path in found if f"$ {path} --help\n" not in README] == []
    assert [path for path, command in found.items() if not command.help] == []


def test_every_error_is_documented() -> None:
    """Each error code has its row, and no two classes share one."""
    codes = [kind.code for kind in readme_tables.error_classes()]
    assert "invalid_record" in codes
    assert [code for code in codes if f"| `{code}` |" not in README] == []
    assert len(set(codes)) == len(codes)


def test_every_other_code_is_documented() -> None:
    """Each code in receipts, answers and verdicts is that of an error, or has its row among the others."""
    known = {kind.code for kind in readme_tables.error_classes()}
    found = readme_tables.codes_in_the_code()
    assert {"not_json", "method_not_allowed", "judge_unavailable"} <= found
    assert found - known == set(readme_tables.OTHER_CODES)
    assert [code for code in readme_tables.OTHER_CODES if f"| `{code}` |" not in README] == []


def test_every_dependency_has_a_reason() -> None:
    """Each requirement in pyproject.toml has a comment, which is its row in the table."""
    found = list(readme_tables.requirements())
    assert ("", "numpy", "vectors between embedder and index") in found
    assert [name for _, name, reason in found if not reason] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of every page names a file that is there."""
    text = page.read_text(encoding="utf-8")
    assert [link for link in _LINK.findall(text) if not (page.parent / link).exists()] == []


def test_ci_runs_the_readme_command() -> None:
    """The command that a developer is told is the command that CI runs, to the letter."""
    (command,) = [block.removeprefix("$ ") for block in blocks("console") if "-m pytest -n auto" in block]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_python_blocks_run(tmp_path: Path) -> None:
    """The Python on the page runs as it stands, one block after the other."""
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks("python"))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
