"""Logs as JSON, a line each, without anything that a fact says and without keys.

Errors are written by their kind and their places, since their words may quote what they were about. Of other
libraries' messages only the place is kept, for the same reason.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

FIELDS = "fields"
"""The name under which a log record carries what is to be written beside its message."""
_OURS = ("arbiter", "uvicorn")


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC)
        fields: Mapping[str, Any] = getattr(record, FIELDS, {})
        line: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **fields,
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["places"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(record.exc_info[2])
            ]
        return json.dumps(line, default=str)


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in _OURS:
        return record.getMessage().partition("\nTraceback ")[0].strip()
    return f"said something at {record.module}:{record.lineno}"
