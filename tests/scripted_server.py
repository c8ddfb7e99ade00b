"""A chat-completions server on loopback that answers by script: for tests of the real client.

It speaks HTTP through real sockets, so that time-outs, dropped connections and headers are what a
provider's would be.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    ``text`` is the model's message; ``body`` replaces the whole body of the response, ``raw`` all of it,
    from the status line on. ``hold`` is waited for before anything is sent, ``drop`` closes the connection in
    place of a response. ``silent`` sends nothing until the client hangs up, ``endless`` a byte now and then
    of a response that never ends.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    usage: tuple[int, int] = (100, 20)
    hold: threading.Event | None = None
    drop: bool = False
    raw: bytes | None = None
    silent: bool = False
    endless: bool = False

    def payload(self) -> bytes:
        """Return the body of the response."""
        if self.body is not None:
            return self.body.encode()
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "type": "scripted"}}).encode()
        tokens_in, tokens_out = self.usage
        message = {"role": "assistant", "content": self.text}
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
            },
        }
        return json.dumps(completion).encode()


@dataclass(frozen=True)
class Request:
    """One request as it came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The first message."""
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """The last message."""
        return str(self.body["messages"][-1]["content"])

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs that the question holds as JSON."""
        pairs: list[dict[str, Any]] = json.loads(self.user[self.user.index("[{") :])
        return pairs


Script: TypeAlias = Callable[[Request], Answer] | Sequence[Answer]


class ScriptedServer(ThreadingHTTPServer):
    """The server. ``requests`` holds what came in, in order; a list of answers is used up in order.

    The script may be replaced.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self._given_up = 0
        self.script = script
        self.closing = threading.Event()
        self._lock = threading.Condition()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def api_base(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, request: Request) -> Answer:
        """Note a request, and return the answer to it."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        if callable(self.script):
            return self.script(request)
        if number > len(self.script):
            return Answer("the script is over", status=500)
        return self.script[number - 1]

    def note_given_up(self) -> None:
        """Count a silent request that the client hung up on."""
        with self._lock:
            self._given_up += 1
            self._lock.notify_all()

    def gave_up(self, times: int) -> bool:
        """Did clients hang up on silent requests so often, or do they within a minute?"""
        with self._lock:
            return self._lock.wait_for(lambda: self._given_up >= times, timeout=60)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up: that is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def do_POST(self) -> None:
        """Answer one request by the script."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.answer(Request(self.path, headers, body))
        if answer.hold is not None:
            answer.hold.wait(timeout=30)
        if answer.silent:
            self.connection.recv(1)
            self.server.note_given_up()
        if answer.endless:
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
            while not self.server.closing.wait(0.02):
                self.wfile.write(b" ")
        if answer.raw is not None:
            self.wfile.write(answer.raw)
        if answer.drop or answer.silent or answer.endless or answer.raw is not None:
            self.close_connection = True
            return
        payload = answer.payload()
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


@contextmanager
def scripted_server(script: Script) -> Iterator[ScriptedServer]:
    """Run a server for the length of a block."""
    server = ScriptedServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
