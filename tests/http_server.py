"""The service on a real socket, in a thread of the test: what a client sees of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn

from arbiter.api import Arbiter
from arbiter.settings import Settings
from arbiter.web.app import build
from arbiter.web.service import Service

if TYPE_CHECKING:
    from fastapi import FastAPI

_PATIENCE_S = 60.0

SERVER_THREAD = "http-server"
"""The thread that a server's requests are answered in."""


@dataclass(frozen=True)
class HttpServer:
    """A running service, what is behind it, and a client that is connected to it."""

    url: str
    service: Service
    client: httpx.Client

    @property
    def arbiter(self) -> Arbiter:
        """What the service serves."""
        return self.service.arbiter


class _Server(uvicorn.Server):
    """A server that says when it listens, or that it has ended."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.known = Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        self.known.set()

    def run_to_its_end(self) -> None:
        """Serve until it is told to stop, or cannot start."""
        try:
            self.run()
        finally:
            self.known.set()


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an app on a free port and yield its address; it has ended when the block has.

    Raises:
        RuntimeError: the app did not start.
    """
    config = uvicorn.Config(app, port=0, log_config=None, ws="none", timeout_graceful_shutdown=30)
    server = _Server(config)
    thread = Thread(target=server.run_to_its_end, name=SERVER_THREAD, daemon=True)
    thread.start()
    try:
        if not (server.known.wait(_PATIENCE_S) and server.started):
            raise RuntimeError("the service did not start")
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(_PATIENCE_S)


@contextmanager
def http_server(arbiter: Arbiter | None = None, **settings: Any) -> Iterator[HttpServer]:
    """Serve an arbiter, or one that the settings open on a store of its own, without a model that judges."""
    with TemporaryDirectory() as folder:
        chosen: dict[str, Any] = {
            "database": str(Path(folder, "facts.db")),
            "judge": "none",
            "embedding_threads": 1,
            "serve_linger_ms": 1,
            **settings,
        }

        def opened(made: Settings) -> Service:
            return Service.open(made) if arbiter is None else Service(arbiter, made)

        app = build(Settings(**chosen), opened)
        with serving(app) as url, httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
            yield HttpServer(url, app.state.service, client)


@dataclass(frozen=True)
class ServeProcess:
    """``arbiter serve`` in a process of its own; ``lines`` is what it has printed so far."""

    url: str
    process: subprocess.Popen[str]
    lines: list[str]

    def wait(self) -> int:
        """Return the exit status, once it has ended."""
        return self.process.wait(_PATIENCE_S)


@contextmanager
def serve_process(folder: Path, *arguments: str, **variables: str) -> Iterator[ServeProcess]:
    """Run ``arbiter serve`` on a free port until the block ends; ``variables`` are settings.

    Raises:
        RuntimeError: it did not start; what it printed is the message.
    """
    named = [
        f"ARBITER_{name.upper()}={value}" for name, value in {**variables, "embedding_threads": 1}.items()
    ]
    with subprocess.Popen(
        ["env", *named, sys.executable, "-m", "arbiter", "serve", "--port", "0", *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        stderr = process.stderr
        assert stderr is not None
        lines: list[str] = []
        reader = Thread(target=lines.extend, args=[stderr], daemon=True)
        try:
            url = None
            while url is None and (line := stderr.readline()):
                lines.append(line)
                url = re.search(r"http://127\.0\.0\.1:\d+", line)
            if url is None:
                raise RuntimeError("".join(lines))
            reader.start()
            _wait_until_it_listens(url[0])
            yield ServeProcess(url[0], process, lines)
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)
            if reader.is_alive():
                reader.join()


def _wait_until_it_listens(url: str) -> None:
    """Workers begin to listen after their parent has told the address."""
    tries, pause = int(_PATIENCE_S * 10), Event()
    for last in (attempt == tries for attempt in range(1, tries + 1)):
        try:
            httpx.get(f"{url}/healthz", timeout=_PATIENCE_S, trust_env=False)
        except httpx.ConnectError:
            if last:
                raise
            pause.wait(0.1)
        else:
            return
