"""Settings: where values come from, and that every fault is told at once."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from arbiter.errors import ConfigurationError
from arbiter.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


def toml(folder: Path, text: str) -> Path:
    """Write a configuration file."""
    path = folder / "arbiter.toml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def faults(**values: object) -> list[str]:
    """Return the lines of the error that these values cause."""
    with pytest.raises(ConfigurationError) as caught:
        Settings(**values)  # type: ignore[arg-type]  # wrong on purpose
    return caught.value.message.splitlines()


def test_defaults() -> None:
    """Without any configuration: one SQLite file, both judges, no language model."""
    settings = Settings()
    assert settings.database == "arbiter.db"
    assert settings.judge == "cascade"
    assert settings.llm_model is None
    assert (settings.max_candidates, settings.max_judged_pairs, settings.min_similarity) == (32, 8, None)


def test_argument_beats_variable_beats_file_beats_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearer a value is to the call, the more it counts."""
    path = toml(
        tmp_path,
        """
        llm_pairs_per_call = 1
        llm_concurrency = 1
        llm_max_attempts = 1
        """,
    )
    monkeypatch.setenv("ARBITER_CONFIG", str(path))
    monkeypatch.setenv("ARBITER_LLM_PAIRS_PER_CALL", "2")
    monkeypatch.setenv("ARBITER_LLM_CONCURRENCY", "2")
    settings = Settings(llm_pairs_per_call=3)
    assert settings.llm_pairs_per_call == 3
    assert settings.llm_concurrency == 2
    assert settings.llm_max_attempts == 1
    assert settings.max_candidates == 32
    assert settings.config == path


def test_the_database_may_be_named_as_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name that hosting platforms use does as well; it beats a file, and the shorter one beats it."""
    config = toml(tmp_path, 'database = "file.db"')
    monkeypatch.setenv("ARBITER_DATABASE_URL", "")
    assert Settings(config=config).database == "file.db"
    monkeypatch.setenv("ARBITER_DATABASE_URL", "postgresql://db/facts")
    assert Settings(config=config).database == "postgresql://db/facts"
    monkeypatch.setenv("ARBITER_DATABASE", "own.db")
    assert Settings(config=config).database == "own.db"


def test_file_named_by_argument_beats_the_one_named_by_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file is read, and an argument says which."""
    monkeypatch.setenv("ARBITER_CONFIG", str(tmp_path / "missing.toml"))
    assert Settings(config=toml(tmp_path, 'judge = "none"')).judge == "none"
    assert Settings(config=None).judge == "cascade"


def test_lists_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable holds a comma-separated list, a TOML file a real one; the order is kept."""
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.touch()
    second.touch()
    monkeypatch.setenv("ARBITER_CLAIM_KEY_FILES", f"{second}, {first},")
    settings = Settings(config=toml(tmp_path, f'alias_files = ["{first}", "{second}"]'))
    assert settings.claim_key_files == (second, first)
    assert settings.alias_files == (first, second)


def test_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ARBITER_LLM_MODEL=` is how a shell takes a value back."""
    monkeypatch.setenv("ARBITER_LLM_MODEL", "")
    assert Settings().llm_model is None


def test_every_fault_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults of the argument, the variables and the file stand in one message, a line each."""
    monkeypatch.setenv("ARBITER_LLM_DEADLINE_S", "-1")
    monkeypatch.setenv("ARBITER_LLM_MODLE", "some/model")
    path = toml(tmp_path, 'colour = "blue"\nalias_files = ["nowhere.toml"]')
    assert sorted(faults(config=path, judge="oracle")) == [
        "alias_files.0: Path does not point to a file",
        "colour: no such setting",
        "judge: Input should be 'cascade', 'local', 'llm' or 'none'",
        "llm_deadline_s: Input should be greater than 0",
        "llm_modle: no such setting; did you mean llm_model?",
    ]


def test_a_setting_of_several_kinds_has_one_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is named once, with what it may be, and in words that are no Python."""
    monkeypatch.setenv("ARBITER_LOCAL_JUDGE", "nope")
    assert faults() == [
        "local_judge: Input should be 'packaged' or 'none'; or: Path does not point to a directory"
    ]


def test_no_fault_tells_how_a_value_is_checked() -> None:
    """Whatever is wrong with whichever setting, its line begins with the setting and names no validator."""
    names = set(Settings.model_fields) - {"config"}
    lines = faults(**{name: {"a": 1} for name in names})
    assert {line.partition(":")[0] for line in lines} == names
    assert len(lines) == len(names)
    assert [line for line in lines if "[" in line or "<" in line or "-after" in line] == []


def test_llm_judge_needs_a_model() -> None:
    """To ask for the language model alone, and name none, is a fault at the start."""
    assert faults(judge="llm") == ["judge: 'llm' needs llm_model"]
    assert Settings(judge="llm", llm_model="openai/local").judge == "llm"


def test_missing_file_is_told(tmp_path: Path) -> None:
    """A configuration file that is not there is never skipped in silence."""
    assert faults(config=tmp_path / "missing.toml") == ["config: Path does not point to a file"]


def test_broken_file_is_told(tmp_path: Path) -> None:
    """A file that is no TOML is named, with the line."""
    (line,) = faults(config=toml(tmp_path, "judge == 1"))
    assert line.startswith(f"config: {tmp_path}/arbiter.toml cannot be read: ")
    assert "line 1" in line


def test_secrets_stay_secret() -> None:
    """Neither the printed settings nor a fault show the key or the database's password."""
    settings = Settings(llm_api_key="swordfish", database="postgresql://arbiter:swordfish@db/facts")  # type: ignore[arg-type]
    assert settings.llm_api_key is not None
    assert settings.llm_api_key.get_secret_value() == "swordfish"
    assert "swordfish" not in repr(settings)
    with pytest.raises(ConfigurationError) as caught:
        Settings(llm_api_key=["swordfish"])  # type: ignore[arg-type]
    assert "swordfish" not in str(caught.value)
    assert "swordfish" not in str(caught.value.__cause__)


def test_settings_are_frozen() -> None:
    """What a process started with is what it runs with."""
    with pytest.raises(ValidationError, match="frozen"):
        Settings().judge = "none"  # type: ignore[misc]


def test_every_setting_is_described() -> None:
    """The description is the row of the README's table."""
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
