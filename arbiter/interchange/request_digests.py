"""What is kept of a request in place of its text: enough to tell whether and where another one differs."""

from __future__ import annotations

import json
import re
from hashlib import blake2b, sha256
from itertools import zip_longest

from arbiter.domain.answers import Digests

# An item of a batch is told field by field; what lies deeper is told as a whole.
_DEPTH = 4
_WHOLE_BYTES, _PART_BYTES = 16, 6
# Beyond these an object or a list is told as a whole: no batch and no record has as many parts.
_MAX_FIELDS, _MAX_ITEMS = 64, 10_000
_PLAIN_NAME = re.compile(r"[a-z][a-z_]{0,30}")
_ABSENT = ""
_WRITTEN = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class RequestDigests:
    """Digests that only who knows ``secret`` can compare with a guess of the text.

    Raises:
        RecursionError: a value is nested too deeply.
    """

    def __init__(self, secret: str) -> None:
        self._key = sha256(secret.encode()).digest()

    def whole(self, value: object) -> str:
        """Return the digest of a JSON value; the order of keys and white space play no part."""
        return self._digest(value, _WHOLE_BYTES)

    def parts(self, value: object, depth: int = 0) -> Digests:
        """Return the shape of a JSON value with short digests in place of what it says.

        Names of fields that are no plain words may be text: they too are digests.
        """
        if depth < _DEPTH and isinstance(value, dict) and len(value) <= _MAX_FIELDS:
            return {self.name(key): self.parts(item, depth + 1) for key, item in value.items()}
        if depth < _DEPTH and isinstance(value, list) and len(value) <= _MAX_ITEMS:
            return [self.parts(item, depth + 1) for item in value]
        return self._digest(value, _PART_BYTES)

    def name(self, key: str) -> str:
        """Return the name under which ``parts`` has a field."""
        return key if _PLAIN_NAME.fullmatch(key) else "#" + self._digest(key, _PART_BYTES)

    def _digest(self, value: object, size: int) -> str:
        return blake2b(_WRITTEN(value).encode(), key=self._key, digest_size=size).hexdigest()


def first_difference(known: Digests, sent: Digests) -> tuple[str, ...] | None:
    """Return the path to the first part in which two requests differ; None if no part does.

    Parts are taken in the order in which they are sent, those that lack at last. A name that is a digest
    cannot be told: the path ends above it.
    """
    if isinstance(known, dict) and isinstance(sent, dict):
        for name in [*sent, *(name for name in known if name not in sent)]:
            inner = first_difference(known.get(name, _ABSENT), sent.get(name, _ABSENT))
            if inner is not None:
                return () if name.startswith("#") else (name, *inner)
        return None
    if isinstance(known, list) and isinstance(sent, list):
        for place, (a, b) in enumerate(zip_longest(known, sent, fillvalue=_ABSENT)):
            inner = first_difference(a, b)
            if inner is not None:
                return (str(place), *inner)
        return None
    return None if known == sent else ()
