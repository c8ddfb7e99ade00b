"""Reads JSON Lines and JSON arrays, one record at a time."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from arbiter.domain.outcomes import Reason
from arbiter.interchange.faults import spelt
from arbiter.interchange.lines import MAX_RECORD_BYTES, TOO_LONG, Item, numbered_lines

_CHUNK_BYTES = 1 << 16
_BETWEEN_ELEMENTS = re.compile(r"[\s,]*")
_TOO_DEEP = Reason("too_deep", "nested too deeply to be read")


def json_line_items(stream: BinaryIO) -> Iterator[Item]:
    """Yield what each line holds that is not blank; a line that cannot be read harms no other."""
    decoder = _Decoder()
    for number, line in numbered_lines(stream):
        if line is None:
            yield number, None, TOO_LONG
        elif line.strip():
            yield number, *_line(line, decoder)


def json_array_items(stream: io.BufferedReader) -> Iterator[Item]:
    """Yield the elements of an array.

    Behind something that is no JSON it cannot be told where the next element begins: such an item is the
    last one, and its reason says so.
    """
    window = _Window(stream)
    if window.next_char() != "[":
        yield window.line, None, Reason("not_json", "the file does not begin with a JSON array")
        return
    window.pass_over(1)
    while (char := window.next_char()) not in ("]", ""):
        line = window.line
        try:
            data, problem = window.element()
        except _LostError as lost:
            yield line, None, lost.reason
            return
        yield line, data, problem
    if not char:
        yield window.line, None, Reason("not_json", "the file ends before its array does")
        return
    window.pass_over(1)
    if window.next_char():
        yield window.line, None, Reason("not_json", "something follows the array; it was not read")


class RepeatedKeys(dict[str, object]):
    """An object in which ``key`` stands twice; of its values the last one is kept."""

    def __init__(self, found: dict[str, object], key: str) -> None:
        super().__init__(found)
        self.key = key


def json_value(text: bytes) -> tuple[object | None, Reason | None]:
    """Return the one value that a text is, or the reason why it is none.

    Objects with repeated keys come as ``RepeatedKeys``.
    """
    return _value(text, _Decoder(), "text")


def repeated_key(value: object) -> Reason | None:
    """Return the reason why a value is not read as it stands: a key stands twice in it, however deep."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, RepeatedKeys):
            return _repeated(found.key)
        if isinstance(found, dict):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
    return None


def _line(line: bytes, decoder: _Decoder) -> tuple[object | None, Reason | None]:
    data, reason = _value(line, decoder, "line")
    return (None, reason) if reason else decoder.checked(data)


def _value(text: bytes, decoder: _Decoder, where: str) -> tuple[object | None, Reason | None]:
    try:
        found = text.decode()
    except UnicodeDecodeError as error:
        return None, Reason("not_utf8", f"byte {error.start + 1} of the {where} is not UTF-8")
    try:
        return decoder.whole(found.strip()), None
    except RecursionError:
        return None, _TOO_DEEP
    except json.JSONDecodeError as error:
        before = len(found) - len(found.lstrip())
        at = json.JSONDecodeError(error.msg, found, before + error.pos if found.strip() else 0)
        line = "" if where == "line" else f"line {at.lineno}, "
        return None, _not_json(at, f"{line}column {at.colno}")
    except ValueError as error:
        return None, _not_json(error)


def _repeated(key: str) -> Reason:
    name = spelt(key)
    return Reason("repeated_key", f"the key {name!r} stands twice in one object", name or "''")


def _not_json(error: ValueError, where: str | None = None) -> Reason:
    """Say what is wrong, and where."""
    what = error.msg.removesuffix(" at") if isinstance(error, json.JSONDecodeError) else str(error)
    return Reason("not_json", f"not JSON: {what}" + (f" at {where}" if where else ""))


class _Decoder:
    """Decodes JSON and notices repeated keys, of which ``json`` would keep the last without a word."""

    def __init__(self) -> None:
        self._repeated: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def whole(self, text: str) -> object:
        """Return the value that a text is.

        Raises:
            ValueError: it is none, or more than one.
            RecursionError: it is nested too deeply.
        """
        self._repeated.clear()
        found: object = self._decoder.decode(text)
        return found

    def first(self, text: str) -> tuple[object, int]:
        """Return the value with which a text begins, and its length.

        Raises:
            ValueError: there is no whole value.
            RecursionError: it is nested too deeply.
        """
        self._repeated.clear()
        return self._decoder.raw_decode(text)

    def checked(self, data: object) -> tuple[object | None, Reason | None]:
        """Return the value that was decoded last, or the reason why it is no record."""
        if not self._repeated:
            return data, None
        return None, _repeated(self._repeated[0])

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        key, _ = next(item for item in Counter(key for key, _ in pairs).items() if item[1] > 1)
        self._repeated.append(key)
        return RepeatedKeys(found, key)


class _LostError(Exception):
    """The place of the next element is not known."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = Reason(reason.code, f"{reason.message}; the rest of the array was not read")


class _Window:
    """A stretch of a text that is read in chunks; what was passed is forgotten."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self.line = 1
        self._stream = stream
        # Bytes that are no UTF-8 become lone surrogates, which the check of the record refuses.
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._decoder = _Decoder()
        self._text = ""
        self._ended = False

    def next_char(self) -> str:
        """Pass over white space and commas and return the character behind them, empty at the end."""
        while True:
            between = _BETWEEN_ELEMENTS.match(self._text)
            self.pass_over(between.end() if between else 0)
            if self._text or self._ended:
                return self._text[:1]
            self._read()

    def pass_over(self, length: int) -> None:
        """Forget the next characters."""
        self.line += self._text.count("\n", 0, length)
        self._text = self._text[length:]

    def element(self) -> tuple[object | None, Reason | None]:
        """Return the next element and pass over it.

        Raises:
            _LostError: it is no JSON, too long or nested too deeply.
        """
        while True:
            try:
                data, end = self._decoder.first(self._text)
            except RecursionError as error:
                raise _LostError(_TOO_DEEP) from error
            except ValueError as error:
                if self._ended:
                    raise _LostError(_not_json(error, self._line_of(error))) from error
            else:
                # A number at the edge may go on in the next chunk.
                if end < len(self._text) or self._ended:
                    self.pass_over(end)
                    return self._decoder.checked(data)
            if len(self._text) > MAX_RECORD_BYTES:
                raise _LostError(TOO_LONG)
            self._read()

    def _line_of(self, error: ValueError) -> str | None:
        """Say on which line a fault is; what was passed over is forgotten, so its column is not known."""
        if not isinstance(error, json.JSONDecodeError):
            return None
        return f"line {self.line + error.lineno - 1}"

    def _read(self) -> None:
        chunk = self._stream.read1(_CHUNK_BYTES)
        self._ended = not chunk
        self._text += self._utf8.decode(chunk, final=not chunk)
