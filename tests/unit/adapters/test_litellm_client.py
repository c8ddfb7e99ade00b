"""The litellm client as a guest in its process; what it does over HTTP is in the acceptance tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arbiter.adapters.litellm_client import LitellmClient
from arbiter.errors import MissingExtraError

_SCRIPT = """
import logging, os, sys
from arbiter.adapters.litellm_client import LitellmClient
client = LitellmClient("openai/gpt-4o-mini", api_key="sk-1")
print("litellm" in sys.modules, client.model)
print(client.has_price, LitellmClient("openai/unheard-of").has_price)
print(os.environ.get("PLANTED"), os.environ["LITELLM_LOCAL_MODEL_COST_MAP"])
print(logging.getLevelName(logging.getLogger("LiteLLM").level))
"""


@pytest.mark.parametrize("name", ["litellm", "tenacity"])
def test_the_extra_is_asked_for(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Without it the message says what to install."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"needs {name}: install arbiter\[llm\]"):
        LitellmClient("openai/gpt-4o-mini")


def test_litellm_is_loaded_late_and_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before the first question; without its price list from the network, and without a .env file."""
    (tmp_path / ".env").write_text("PLANTED=1\n")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP", raising=False)
    monkeypatch.delenv("LITELLM_MODE", raising=False)
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (run.stderr, run.returncode) == ("", 0)
    assert run.stdout.splitlines() == [
        "False openai/gpt-4o-mini",
        "True False",
        "None True",
        "ERROR",
    ]
