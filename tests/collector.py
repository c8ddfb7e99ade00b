"""A collector of traces on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class Collector(HTTPServer):
    """A collector that notes what it is sent where."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.got: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"


class Taking(BaseHTTPRequestHandler):
    """Takes whatever is sent."""

    server: Collector

    def do_POST(self) -> None:
        """Take it."""
        self.server.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector for the length of a block."""
    server = Collector()
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
