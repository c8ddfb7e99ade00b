"""The root command: what it lists, what it loads, and how it tells errors."""

from __future__ import annotations

import errno
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from arbiter.cli import Commands, Main, main
from arbiter.errors import (
    ArbiterError,
    ConfigurationError,
    InvalidRecordError,
    MissingExtraError,
    NotFoundError,
)

USAGE = "Usage: arbiter fail [OPTIONS]\nTry 'arbiter fail --help' for help.\n\nError: either, or\n"


def failing(error: BaseException) -> Main:
    """Return a root command whose only command ends in an error."""

    @click.command("fail")
    def fail() -> None:
        raise error

    return Main("arbiter", commands=[fail])


def test_the_commands_are_those_of_the_contract() -> None:
    """Every command is listed, in the order in which it is met."""
    assert list(main.commands) == [
        "scan",
        "serve",
        "classify",
        "submit",
        "facts",
        "search",
        "review",
        "undo",
        "compile",
        "retry",
        "policy",
        "judge",
        "keys",
        "doctor",
    ]


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("facts", ["list", "show", "history", "export", "erase"]),
        ("review", "list show rule next claim release assign comment undo export import agreement".split()),
        ("policy", ["show", "check", "diff"]),
        ("judge", ["train", "teach", "evaluate", "calibrate"]),
    ],
)
def test_the_groups_have_their_commands(group: str, names: list[str]) -> None:
    """Each group holds what the contract names."""
    found = main.commands[group]
    assert isinstance(found, click.Group)
    assert list(found.commands) == names


def test_the_list_tells_each_command_in_whole_words() -> None:
    """No summary is cut off, and the commands stand in their order."""
    lines = CliRunner().invoke(main, ["--help"]).stdout.splitlines()
    listed = lines[lines.index("Commands:") + 1 :][: len(main.commands)]
    assert [line.split()[0] for line in listed] == list(main.commands)
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


def test_commands_are_loaded_when_asked_for() -> None:
    """A name without a module is known, and only asking for it fails."""
    commands = Commands(("search", "nowhere"))
    assert (list(commands), len(commands)) == (["search", "nowhere"], 2)
    assert commands["search"].name == "search"
    with pytest.raises(ModuleNotFoundError):
        commands["nowhere"]
    del commands["nowhere"]
    assert "nowhere" not in commands


def test_the_version_is_that_of_the_package() -> None:
    """``--version`` prints it."""
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"arbiter, version {version('arbiter')}\n")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (ConfigurationError("judge: no"), 2, "Error: configuration: judge: no\n"),
        (MissingExtraError("install it"), 2, "Error: missing_extra: install it\n"),
        (InvalidRecordError("content: is blank"), 1, "Error: invalid_record: content: is blank\n"),
        (NotFoundError(), 1, "Error: not_found: There is no such thing in this namespace.\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "f"),
            1,
            "Error: [Errno 28] No space left on device: 'f'\n",
        ),
        (KeyboardInterrupt(), 130, "\ninterrupted\n"),
        (click.UsageError("either, or"), 2, USAGE),
    ],
)
def test_errors_are_told_on_stderr(error: BaseException, status: int, told: str) -> None:
    """Every error of ours ends in a message and an exit status, and nothing on stdout."""
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stdout, result.stderr) == (status, "", told)


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    """A broken pipe is told to nobody."""
    result = CliRunner().invoke(failing(BrokenPipeError(errno.EPIPE, "Broken pipe")), ["fail"])
    assert (result.stdout, result.stderr) == ("", "")


def test_what_is_no_error_of_ours_is_not_hidden() -> None:
    """A fault in the program keeps its traceback."""
    result = CliRunner().invoke(failing(ZeroDivisionError()), ["fail"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_the_message_of_every_error_is_told_with_its_code() -> None:
    """The base class tells itself like the others."""
    result = CliRunner().invoke(failing(ArbiterError("why")), ["fail"])
    assert (result.exit_code, result.stderr) == (1, "Error: arbiter_error: why\n")
