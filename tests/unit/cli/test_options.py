"""The common options."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from arbiter.cli.options import Moment, Options, common_options, is_in_memory, store_path
from arbiter.errors import ConfigurationError
from arbiter.settings import Settings


@click.command()
@click.argument("word")
@click.option("--at", type=Moment())
@common_options(judge=True)
def given(options: Options, word: str, at: datetime | None) -> None:
    """Print what was given."""
    settings = options.settings()
    told = [word, settings.database, settings.judge, options.only, options.as_json, at and at.isoformat()]
    click.echo(json.dumps(told))


@click.command()
@common_options(store=False, namespace="all")
def everywhere(options: Options) -> None:
    """Print the namespace."""
    click.echo(f"{options.namespace} {options.only}")


def run(*arguments: str, command: click.Command = given, **env: str) -> Result:
    """Run a command with these variables set."""
    return CliRunner(env=env).invoke(command, arguments)


def test_defaults_are_those_of_the_settings() -> None:
    """Where nothing is given, what the settings say holds."""
    assert json.loads(run("x").stdout) == ["x", "arbiter.db", "cascade", "default", False, None]


def test_variables_and_options_are_read_in_that_order(tmp_path: Path) -> None:
    """An option beats its variable, a variable the file, the file the default."""
    config = tmp_path / "arbiter.toml"
    config.write_text('database = "file.db"\njudge = "none"\n', encoding="utf-8")
    assert json.loads(run("x", "--config", str(config)).stdout)[1:3] == ["file.db", "none"]
    assert json.loads(run("x", ARBITER_CONFIG=str(config)).stdout)[1:3] == ["file.db", "none"]
    found = run(
        "x", "--db", "o.db", "--config", str(config), ARBITER_DATABASE="v.db", ARBITER_JUDGE="cascade"
    )
    assert json.loads(found.stdout)[1:3] == ["o.db", "cascade"]


def test_every_option_that_has_a_setting_names_its_variable() -> None:
    """``--help`` says which variable does the same, and the default that the settings have."""
    text = " ".join(run("--help").stdout.split())
    assert "[env var: ARBITER_DATABASE, ARBITER_DATABASE_URL; default: (arbiter.db)]" in text
    assert "[env var: ARBITER_CONFIG]" in text
    assert "[env var: ARBITER_JUDGE; default: (cascade)]" in text
    fields = Settings.model_fields
    assert (fields["database"].default, fields["judge"].default) == ("arbiter.db", "cascade")


def test_a_judge_that_is_none_is_a_usage_error() -> None:
    """The variable is checked like the option."""
    result = run("x", ARBITER_JUDGE="oracle")
    assert result.exit_code == 2
    assert "'oracle' is not one of 'cascade', 'local', 'llm', 'none'" in result.stderr


def test_all_namespaces_unless_one_is_named() -> None:
    """A command about the whole store takes one namespace only where it is named."""
    assert run(command=everywhere).stdout == "None default\n"
    assert run("--namespace", "acme", command=everywhere).stdout == "acme acme\n"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-02T09:00:00Z", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ("2026-03-02T10:00+01:00", datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ],
)
def test_times_have_a_zone(text: str, moment: datetime) -> None:
    """A time is read with its zone."""
    assert datetime.fromisoformat(json.loads(run("x", "--at", text).stdout)[5]) == moment


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-03-02T09:00:00", "'2026-03-02T09:00:00' has no zone; add Z for UTC"),
        ("yesterday", "'yesterday' is no time such as 2026-03-02T09:00:00Z"),
    ],
)
def test_times_without_a_zone_are_refused(text: str, told: str) -> None:
    """No zone is guessed."""
    result = run("x", "--at", text)
    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.parametrize(
    ("database", "path"),
    [
        ("arbiter.db", Path("arbiter.db")),
        ("sqlite:////data/a.db", Path("/data/a.db")),
        ("postgresql+psycopg://host/db", None),
        (":memory:", None),
    ],
)
def test_a_store_in_a_file_has_a_path(database: str, path: Path | None) -> None:
    """Servers and memory have none."""
    assert store_path(database) == path


@pytest.mark.parametrize(
    ("database", "alone"),
    [
        ("arbiter.db", False),
        ("postgresql://host/db", False),
        ("postgres://host/db", False),
        (":memory:", True),
        ("sqlite://", True),
    ],
)
def test_only_memory_is_that_of_one_process(database: str, *, alone: bool) -> None:
    """Files and servers are there for many."""
    assert is_in_memory(database) is alone


def test_a_store_that_is_not_there_is_no_empty_answer(tmp_path: Path) -> None:
    """Reading from a mistyped path fails and makes no file."""
    options = Options(str(tmp_path / "typo.db"), None, None, None, as_json=False)
    with pytest.raises(ConfigurationError, match="there is no store at"):
        options.open()
    assert list(tmp_path.iterdir()) == []
