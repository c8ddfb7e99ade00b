"""The committed OpenAPI document. To renew it: ``python -m tests.docs.openapi_document``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arbiter.settings import Settings
from arbiter.web.app import build

COMMITTED = Path(__file__).with_name("openapi.json")


def document() -> dict[str, Any]:
    """Return the document as the service gives it out."""
    made: dict[str, Any] = json.loads(json.dumps(build(Settings()).openapi()))
    return made


def renew() -> None:
    """Write the document down."""
    COMMITTED.write_text(json.dumps(document(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
