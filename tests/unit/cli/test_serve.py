"""``arbiter serve`` up to the moment at which the server takes over."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from click.testing import CliRunner, Result

from arbiter.cli import main
from arbiter.settings import ENV_PREFIX, Settings

# What the command puts into the environment for its workers is taken out again.
_VARIABLES: dict[str, str | None] = {f"{ENV_PREFIX}{name.upper()}": None for name in Settings.model_fields}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """Return what the server is started with, in an empty folder; nothing listens."""
    seen: dict[str, Any] = {}

    def run(app: str, **given: Any) -> None:
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")  # noqa: TID251  no setting of ours
        is_there = folder is not None and Path(folder).is_dir()
        seen.update(given, app=app, settings=Settings(), metrics=folder, is_there=is_there)

    monkeypatch.setattr(uvicorn, "run", run)
    monkeypatch.chdir(tmp_path)
    return seen


def serve(*arguments: str, **variables: str) -> Result:
    """Run the command, on any free port unless one is named."""
    variables = {"serve_port": "0", **variables}
    named = {f"{ENV_PREFIX}{name.upper()}": value for name, value in variables.items()}
    return CliRunner().invoke(main, ["serve", *arguments], env={**_VARIABLES, **named})


def test_flags_reach_the_server_and_its_workers(started: dict[str, Any]) -> None:
    """Workers find in the environment what the command was given, wherever it came from."""
    Path("arbiter.toml").write_text('serve_max_records = 7\nllm_api_key = "hidden"\n', encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    flags = ["--port", str(port), "--workers", "3", "--db", "mine.db", "--judge", "none"]
    done = serve(*flags, "--config", "arbiter.toml", serve_grace_s="5")
    assert done.exit_code == 0, done.output
    assert (started["app"], started["factory"]) == ("arbiter.web.app:create", True)
    assert (started["host"], started["port"], started["workers"]) == ("127.0.0.1", port, 3)
    assert (started["timeout_graceful_shutdown"], started["access_log"]) == (5, False)
    assert started["timeout_keep_alive"] > 60  # as long as common load balancers keep a connection that rests
    settings = started["settings"]
    assert (settings.database, settings.judge, settings.serve_max_records) == ("mine.db", "none", 7)
    assert settings.llm_api_key.get_secret_value() == "hidden"
    assert "hidden" not in done.output
    assert Path("mine.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "serve_host: other machines reach 0.0.0.0"),  # noqa: S104
        (["--host", "::"], "serve_host: other machines reach ::"),
        (["--workers", "2", "--db", ":memory:"], "serve_workers: a store in memory"),
        (["--db", "mysql://localhost/x"], "database: facts are kept in SQLite or PostgreSQL"),
        (["--workers", "0"], "Invalid value for '--workers'"),
        (["--host", "nowhere.invalid"], "serve_host: other machines reach nowhere.invalid"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(
    arguments: list[str], words: str, started: dict[str, Any]
) -> None:
    """Exit status 2, a reason, nothing was started, and no store was made."""
    done = serve(*arguments)
    assert (done.exit_code, started) == (2, {})
    assert words in done.output
    assert list(Path().iterdir()) == []


def test_a_port_that_is_taken_is_told_at_once(started: dict[str, Any]) -> None:
    """Address and port are named, nothing was started or made; the same port is fine once it is free."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = serve("--port", port)
        assert (done.exit_code, started, list(Path().iterdir())) == (2, {}, [])
        assert f"Error: configuration: serve_port: 127.0.0.1:{port} cannot be listened on: " in done.stderr
    assert serve("--port", port, "--judge", "none").exit_code == 0


@pytest.mark.parametrize(
    ("code", "status", "words"), [(3, 1, "Error: the service could not start"), (7, 7, "")]
)
def test_a_start_that_fails_has_a_documented_status(
    started: dict[str, Any], monkeypatch: pytest.MonkeyPatch, code: int, status: int, words: str
) -> None:
    """The server's own status for that is told as an error; any other stays."""

    def run(*_: object, **__: object) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(uvicorn, "run", run)
    done = serve("--judge", "none")
    assert (done.exit_code, started) == (status, {})
    assert words in done.stderr


def test_settings_that_are_lists_cross_over_too(started: dict[str, Any]) -> None:
    """Files are joined by commas, as in any variable."""
    for name in ("a.toml", "b.toml"):
        Path(name).write_text("[names]\n", encoding="utf-8")
    done = serve("--judge", "none", alias_files="a.toml,b.toml")
    assert done.exit_code == 0, done.output
    assert started["settings"].alias_files == (Path("a.toml"), Path("b.toml"))


@pytest.mark.parametrize(("workers", "is_shared"), [(1, False), (2, True)])
def test_workers_share_a_folder_for_their_numbers(
    started: dict[str, Any], workers: int, *, is_shared: bool
) -> None:
    """Several have one while they run, a single one needs none; one that the environment names is kept."""
    assert serve("--judge", "none", "--workers", str(workers)).exit_code == 0
    assert (started["metrics"] is not None, started["is_there"]) == (is_shared, is_shared)
    assert not (started["metrics"] and Path(started["metrics"]).exists())
    done = CliRunner().invoke(
        main,
        ["serve", "--judge", "none", "--workers", "2", "--port", "0"],
        env={**_VARIABLES, "PROMETHEUS_MULTIPROC_DIR": "mine"},
    )
    assert (done.exit_code, started["metrics"]) == (0, "mine")
