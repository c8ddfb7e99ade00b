"""Arbiter: what becomes of a fact when the store already holds another one.

The public names are loaded when first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.domain.evidence import Unjudged, Verdict
    from arbiter.domain.facts import Fact, Record, Source
    from arbiter.domain.outcomes import Receipt
    from arbiter.domain.vocabulary import (
        Mutability,
        Outcome,
        Relation,
        RulingKind,
        SourceKind,
        Stakes,
        State,
    )
    from arbiter.errors import ArbiterError
    from arbiter.settings import Settings

_HOMES = {
    "Arbiter": "api",
    "ArbiterError": "errors",
    "Fact": "domain.facts",
    "Mutability": "domain.vocabulary",
    "Outcome": "domain.vocabulary",
    "Receipt": "domain.outcomes",
    "Record": "domain.facts",
    "Relation": "domain.vocabulary",
    "RulingKind": "domain.vocabulary",
    "Settings": "settings",
    "Source": "domain.facts",
    "SourceKind": "domain.vocabulary",
    "Stakes": "domain.vocabulary",
    "State": "domain.vocabulary",
    "Unjudged": "domain.evidence",
    "Verdict": "domain.evidence",
}

__all__ = [
    "Arbiter",
    "ArbiterError",
    "Fact",
    "Mutability",
    "Outcome",
    "Receipt",
    "Record",
    "Relation",
    "RulingKind",
    "Settings",
    "Source",
    "SourceKind",
    "Stakes",
    "State",
    "Unjudged",
    "Verdict",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'arbiter' has no attribute {name!r}")
    return getattr(import_module(f"arbiter.{_HOMES[name]}"), name)
