"""What the commands have in common: where the store is, in which namespace, for whom to print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from arbiter.domain.facts import DEFAULT_NAMESPACE
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.settings import Settings

MEMORY = ":memory:"
JUDGES = ("cascade", "local", "llm", "none")
_SQLITE_URL = "sqlite:///"

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Options:
    """The common options of one call; None where one was not given. ``namespace`` None means all of them."""

    database: str | None
    config: Path | None
    judge: str | None
    namespace: str | None
    as_json: bool

    @property
    def only(self) -> str:
        """The namespace, for commands that keep to one."""
        return self.namespace or DEFAULT_NAMESPACE

    def settings(self, **more: Any) -> Settings:  # noqa: ANN401
        """Return the settings with what the options say put first, and those of single commands.

        Raises:
            ConfigurationError: a setting has a fault.
        """
        from arbiter.settings import Settings

        given: dict[str, Any] = {"database": self.database, "config": self.config, "judge": self.judge}
        given |= more
        return Settings(**{name: value for name, value in given.items() if value is not None})

    def open(self, *, create: bool = False) -> Arbiter:
        """Open the store. Unless it may be created, one that is not there is an error, not an empty answer.

        Raises:
            ConfigurationError: a setting has a fault, or there is no such store.
            StoreError: it cannot be opened.
        """
        from arbiter.api import Arbiter

        settings = self.settings()
        path = store_path(settings.database)
        if not create and path is not None and not path.exists():
            raise ConfigurationError(f"there is no store at {path}", field="database")
        return Arbiter.open(settings=settings)

    def for_people(self) -> bool:
        """Should a command that prints JSON Lines into a pipe print a table, since a person reads it?"""
        return not self.as_json and sys.stdout.isatty()


def store_path(database: str) -> Path | None:
    """Return the file in which a store lies; None for a server or for memory."""
    location = database.removeprefix(_SQLITE_URL)
    return None if "://" in location or location in ("", MEMORY) else Path(location)


def is_in_memory(database: str) -> bool:
    """Does a store live in one process only?"""
    return store_path(database) is None and not database.startswith("postgres")


def common_options(
    *, store: bool = True, namespace: bool | str = True, judge: bool = False, json: bool = True
) -> Callable[[Function], Function]:
    """Add the common options to a command; its function gets them as ``options``, its first argument.

    ``namespace`` may say in words what holds where the option is not given, which is then None.
    """
    every = isinstance(namespace, str)
    added = [
        *([_DATABASE] if store else []),
        *([_namespace(str(namespace) if every else None)] if namespace else []),
        *([_JUDGE] if judge else []),
        _CONFIG,
        *([_JSON] if json else []),
    ]

    def decorate(function: Function) -> Function:
        @wraps(function)
        def collecting(*arguments: Any, **given: Any) -> Any:  # noqa: ANN401
            options = Options(
                database=given.pop("database", None),
                config=given.pop("config"),
                judge=given.pop("judge", None),
                namespace=given.pop("namespace", None),
                as_json=given.pop("as_json", False),
            )
            return function(options, *arguments, **given)

        decorated: Any = collecting
        for option in reversed(added):
            decorated = option(decorated)
        command: Function = decorated
        return command

    return decorate


def named_here(parameter: str) -> bool:
    """Was an option given on the command line, not by the environment, a file or its default?"""
    return click.get_current_context().get_parameter_source(parameter) is ParameterSource.COMMANDLINE


class Moment(click.ParamType[datetime]):
    """A time in ISO 8601 with a zone."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the time."""
        try:
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no time such as 2026-03-02T09:00:00Z", param, ctx)
        if moment.tzinfo is None:
            self.fail(f"{value!r} has no zone; add Z for UTC", param, ctx)
        return moment


def _namespace(unless_given: str | None) -> Callable[[Any], Any]:
    return click.option(
        "--namespace",
        metavar="NAME",
        default=DEFAULT_NAMESPACE if unless_given is None else None,
        show_default=unless_given or True,
        help="Tenant or store; nothing ever crosses it.",
    )


_DATABASE = click.option(
    "--db",
    "database",
    metavar="PATH|URL",
    envvar=("ARBITER_DATABASE", "ARBITER_DATABASE_URL"),
    show_envvar=True,
    show_default="arbiter.db",
    help="Where facts are kept: the path or URL of an SQLite file, or the URL of a PostgreSQL database.",
)
_CONFIG = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="ARBITER_CONFIG",
    show_envvar=True,
    help="TOML file that holds any settings.",
)
_JUDGE = click.option(
    "--judge",
    type=click.Choice(JUDGES),
    envvar="ARBITER_JUDGE",
    show_envvar=True,
    show_default="cascade",
    help="Who judges pairs that need reading.",
)
_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for machines; lists one object a line."
)
