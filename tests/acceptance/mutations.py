"""Inputs that were valid once: JSON values and files, changed here and there by a seeded draw."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from tests.acceptance.hostile import TEXTS, VALUES, Place, at, places

_ODD: Sequence[object] = (
    *VALUES,
    *TEXTS.values(),
    float("nan"),
    float("inf"),
    10**400,
    "x" * 9_000,
    "9" * 5_000,
    "2026-03-02T09:00:00",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "\ufeff",
    "null",
    "NaN",
    "fact_00",
)
_TOKENS: Sequence[bytes] = (
    *(b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b";", b":", b"\t", b"\r", b"\n", b"\r\n", b"\x00"),
    *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", b"\xf4\x90\x80\x80"),
    *(
        b"\\u0000",
        b"\\ud800",
        b"\\udfff",
        b"\\u",
        b"\\x",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"-",
        b"+1",
        b"0x1",
    ),
    *(b"null", b"true", b"[[", b'""', b'"""', b"//", b"/*", b"=1+1", b"'=1", b"\xe2\x80\xa8", b"\x1b[2J"),
    *(b"[" * 3_000, b'{"a":' * 3_000, b"9" * 5_000, b'"' * 999, b"x" * 70_000, b"\n" * 500),
)
_NAMES = (
    "content",
    "source",
    "id",
    "namespace",
    "__proto__",
    "",
    " ",
    "ruling",
    "metadata",
    "sorce",
    "\x00",
    "é",
)


class Mutator:
    """Changes one thing after another; the same seed makes the same changes."""

    def __init__(self, seed: object) -> None:
        self.draw = Random(str(seed))

    def value(self, value: Any) -> Any:
        """Return a JSON value with one to four changes; it may be one that JSON cannot write."""
        made = deepcopy(value)
        for _ in range(self.draw.choice((1, 1, 1, 2, 4))):
            found = list(places(made))
            if not found or self.draw.random() < 0.02:
                made = self._odd()
                break
            self._change(made, self.draw.choice(found))
        return self._deepened(made) if self.draw.random() < 0.05 else made

    def written(self, value: Any) -> bytes:
        """Return a value as JSON, now and then with bytes changed too."""
        try:
            told = json.dumps(value, ensure_ascii=self.draw.random() < 0.8)
        except RecursionError:
            told = '{"a": [' * 9_000
        text = told.encode("utf-8", "surrogatepass")
        return self.file(text) if self.draw.random() < 0.15 else text

    def file(self, data: bytes) -> bytes:
        """Return the bytes of a file with one to six changes."""
        edits: Sequence[Callable[[bytes], bytes]] = (
            self._flip,
            self._insert,
            self._insert,
            self._token,
            self._token,
            self._token,
            self._cut,
            self._repeat,
            self._swap_lines,
            self._truncate,
        )
        for _ in range(self.draw.choice((1, 1, 2, 3, 6))):
            data = self.draw.choice(edits)(data)
        return self._encoded(data) if self.draw.random() < 0.04 else data

    def _change(self, made: Any, place: Place) -> None:
        holder, name, old = at(made, place[:-1]), place[-1], at(made, place)
        kind = self.draw.randrange(8)
        if kind == 0:
            del holder[name]
        elif kind == 1 and isinstance(holder, dict):
            holder[self.draw.choice((*_NAMES, *TEXTS.values()))] = old
        elif kind == 2:
            holder[name] = self.draw.choice(([old], [old, old], {"x": old}, [[[[old]]]], [old] * 70))
        elif kind == 3 and isinstance(old, str):
            where = self.draw.randint(0, len(old))
            holder[name] = old[:where] + str(self._odd())[:9_000] + old[where:]
        elif kind == 4 and isinstance(old, str):
            holder[name] = self.draw.choice(
                (old.upper(), old[::-1], old * 3, f" {old}\n", old[:1], json.dumps(old))
            )
        elif kind == 5:
            holder[name] = deepcopy(at(made, self.draw.choice(list(places(made)))))
        else:
            holder[name] = self._odd()

    def _deepened(self, made: Any) -> Any:
        """Put one of the values deep into lists and objects."""
        found = list(places(made))
        if not found:
            return made
        place = self.draw.choice(found)
        value = at(made, place)
        for _ in range(self.draw.choice((3, 40, 400))):
            value = [value] if self.draw.random() < 0.5 else {"a": value}
        at(made, place[:-1])[place[-1]] = value
        return made

    def _odd(self) -> Any:
        return deepcopy(self.draw.choice(_ODD))

    def _place(self, data: bytes) -> int:
        return self.draw.randint(0, len(data))

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return b"\x00"
        where = self.draw.randrange(len(data))
        return data[:where] + bytes([data[where] ^ (1 << self.draw.randrange(8))]) + data[where + 1 :]

    def _insert(self, data: bytes) -> bytes:
        where = self._place(data)
        return data[:where] + self.draw.randbytes(self.draw.choice((1, 1, 2, 8))) + data[where:]

    def _token(self, data: bytes) -> bytes:
        where = self._place(data)
        return data[:where] + self.draw.choice(_TOKENS) + data[where:]

    def _cut(self, data: bytes) -> bytes:
        start = self._place(data)
        return data[:start] + data[start + self.draw.choice((1, 1, 5, 100)) :]

    def _repeat(self, data: bytes) -> bytes:
        start = self._place(data)
        part = data[start : start + self.draw.choice((1, 10, 200))]
        return data[:start] + part * self.draw.choice((2, 3, 50)) + data[start:]

    def _swap_lines(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        self.draw.shuffle(lines)
        return self.draw.choice((b"\n", b"\r\n", b"\r", b"\n\n")).join(lines)

    def _truncate(self, data: bytes) -> bytes:
        return data[: self._place(data)]

    def _encoded(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "replace")
        ways: Sequence[Callable[[], bytes]] = (
            lambda: text.encode("utf-16"),
            lambda: text.encode("utf-16-le"),
            lambda: text.encode("utf-32"),
            lambda: text.encode("utf-7"),
            lambda: text.encode("latin-1", "replace"),
            lambda: b"\xef\xbb\xbf" * 2 + data,
            lambda: gzip.compress(data, mtime=0),
        )
        return self.draw.choice(ways)()
