"""``arbiter serve``: arbiter as an HTTP service."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import Options, common_options, is_in_memory, store_path
from arbiter.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from arbiter.settings import Settings

_APP = "arbiter.web.app:create"
# A worker that loads its models on a busy machine is silent for a while, and must not be killed for that.
_PATIENCE_S = 60
# Longer than load balancers and clients keep a connection that rests: whoever closes it first must not be the
# one to whom the next request is on its way already.
_KEEP_ALIVE_S = 75
# What uvicorn exits with.
_START_FAILED = 3
# Where the workers keep their numbers, so that each can tell those of all; prometheus-client looks there.
_METRICS = "PROMETHEUS_MULTIPROC_DIR"
# JSON, a line each, on standard error; the class is named since the command line imports nothing of the web.
_LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "arbiter.web.logs.JsonFormatter"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"arbiter": {"level": "INFO"}, "uvicorn": {"level": "INFO"}},
}


@click.command("serve")
@click.option(
    "--host",
    "serve_host",
    metavar="ADDRESS",
    envvar="ARBITER_SERVE_HOST",
    show_envvar=True,
    show_default="127.0.0.1",
    help="Where to listen; any other address than this machine's own needs API keys.",
)
@click.option(
    "--port",
    "serve_port",
    type=click.IntRange(0, 65_535),
    envvar="ARBITER_SERVE_PORT",
    show_envvar=True,
    show_default="8000",
    help="0 takes any free port.",
)
@click.option(
    "--workers",
    "serve_workers",
    type=click.IntRange(1, 64),
    envvar="ARBITER_SERVE_WORKERS",
    show_envvar=True,
    show_default="1",
    help="Processes that serve, on one store.",
)
@common_options(namespace=False, judge=True, json=False)
def command(options: Options, **serve: object) -> None:
    """Serve arbiter over HTTP, with its review page.

    The API is at /v1, its documentation at /docs, the page at /review.
    The store is made if it is not there yet. Without API keys the service is open to this machine, and to no
    other. Told to stop (SIGTERM or Ctrl+C), it finishes what it has accepted.
    """
    settings = options.settings(**{name: value for name, value in serve.items() if value is not None})
    try:
        import fastapi  # noqa: F401  here, so that it is told at once if it is missing
        import uvicorn
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is not installed; it comes with arbiter[serve]") from error
    _check(settings)
    from arbiter.settings import share

    share(settings)
    with _shared_metrics(settings.serve_workers), _told_if_it_fails():
        uvicorn.run(
            _APP,
            factory=True,
            host=settings.serve_host,
            port=settings.serve_port,
            workers=settings.serve_workers,
            timeout_graceful_shutdown=settings.serve_grace_s,
            timeout_worker_healthcheck=_PATIENCE_S,
            timeout_keep_alive=_KEEP_ALIVE_S,
            server_header=False,
            log_config=_LOGGING,
            # Its lines hold whole addresses, and with them what callers look for.
            access_log=False,
        )


@contextmanager
def _told_if_it_fails() -> Iterator[None]:
    """Turn the server's own exit status for a start that failed into an error like any other."""
    try:
        yield
    except SystemExit as error:
        if error.code != _START_FAILED:
            raise
        raise click.ClickException("the service could not start; its log, above, says why") from error


@contextmanager
def _shared_metrics(workers: int) -> Iterator[None]:
    """Give several workers a folder for their numbers, unless the environment names one."""
    if workers == 1 or _METRICS in os.environ:  # noqa: TID251  not a setting of ours
        yield
        return
    with TemporaryDirectory(prefix="arbiter-metrics-") as folder:
        os.environ[_METRICS] = folder  # noqa: TID251  prometheus-client has no other switch
        try:
            yield
        finally:
            del os.environ[_METRICS]  # noqa: TID251  as above


def _check(settings: Settings) -> None:
    """Open the store once, so that every fault is told here and not by a worker.

    What can be told without it comes first: a service that does not start makes no store.

    Raises:
        ConfigurationError: a setting has a fault, the address is not free, or other machines would reach a
            service without keys.
        StoreError: the store cannot be opened.
    """
    from arbiter.api import Arbiter
    from arbiter.domain.access import starts_open

    path = store_path(settings.database)
    if settings.serve_workers > 1 and is_in_memory(settings.database):
        raise ConfigurationError("serve_workers: a store in memory is that of one process only")
    if path is not None and not path.exists():
        starts_open(settings.serve_host, has_keys=False)
    _check_address(settings.serve_host, settings.serve_port)
    with Arbiter.open(settings=settings) as arbiter:
        starts_open(settings.serve_host, has_keys=bool(arbiter.context.store.keys.all()))


def _check_address(host: str, port: int) -> None:
    """See that the address can be listened on: the server itself finds out after it has loaded its models.

    Raises:
        ConfigurationError: it cannot.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as trial:
                # As the server does: what still ends there is not in the way.
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                trial.bind(address)
    except OSError as error:
        field = "serve_host" if isinstance(error, socket.gaierror) else "serve_port"
        message = f"{field}: {_shown(host)}:{port} cannot be listened on: {error.strerror}"
        raise ConfigurationError(message, field=field) from error


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
