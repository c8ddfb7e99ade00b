"""The command line: ``arbiter COMMAND``.

Commands are loaded when they are first asked for, and each loads what it works with when it runs, so that
help and completion are quick.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click

from arbiter.errors import ArbiterError, ConfigurationError

# In the order in which they are met: the main job first. Each is ``command`` of the module of its name.
_NAMES = (
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
)
_INTERRUPTED = 130


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is first asked for."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._commands: dict[str, click.Command | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> click.Command:
        known = self._commands[name]
        if known is None:
            loaded = import_module(f"{__name__}.{name}").command
            if not isinstance(loaded, click.Command):
                raise TypeError(f"{__name__}.{name}.command is no command")
            self._commands[name] = known = loaded
        return known

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)


class Refusal(click.ClickException):
    """One of arbiter's errors, as the command line tells it: code and message on stderr, exit status 1."""

    def __init__(self, error: ArbiterError) -> None:
        super().__init__(f"{error.code}: {error.message}")


class Misconfiguration(Refusal):
    """Settings, arguments or files are at fault: exit status 2."""

    exit_code = 2


class Main(click.Group):
    """The root command; it turns errors into messages and exit statuses."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order in which they are written, not sorted."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except ConfigurationError as error:
            raise Misconfiguration(error) from error
        except ArbiterError as error:
            raise Refusal(error) from error
        except KeyboardInterrupt:
            click.echo("\ninterrupted", err=True)
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            # A reader that has seen enough is no failure; click ends quietly on it.
            if error.errno == errno.EPIPE:
                raise
            raise click.ClickException(str(error)) from error


@click.group(
    "arbiter",
    cls=Main,
    commands=Commands(_NAMES),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 some records were refused or something failed, 2 usage or configuration.",
)
@click.version_option(package_name="arbiter")
def main() -> None:
    """Arbitrate facts that repeat, replace or contradict one another."""
