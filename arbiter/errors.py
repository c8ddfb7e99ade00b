"""Every error that arbiter raises on purpose.

    ArbiterError
    ├── InvalidRecordError      (also ValueError)  the caller's record is at fault; names the field
    ├── ConfigurationError      settings, policy, prompt or registry files are at fault
    │   └── MissingExtraError   an optional dependency is not installed; names the extra
    ├── EmbeddingError          texts could not be embedded; nothing was compared
    ├── BudgetExceededError     asking a judge would pass the cost ceiling (retryable)
    └── StoreError
        ├── NotFoundError           no such id in this namespace
        ├── StaleRulingError        the facts changed since the reviewer saw them
        ├── DependentDecisionError  a later decision rests on the one to be undone
        ├── StoreUnavailableError   locked, full or unreadable (retryable)
        └── SchemaVersionError      the file is of a newer arbiter

Each class has a ``code`` for machines; the docstring's first line is its default message. Foreign
errors are translated at the border, in the adapters, with ``raise ... from``.
"""

from __future__ import annotations

from typing import ClassVar


class ArbiterError(Exception):
    """Arbiter could not do what was asked."""

    code: ClassVar[str] = "arbiter_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None, *, field: str | None = None) -> None:
        first_line = (type(self).__doc__ or "").strip().splitlines()[0]
        self.message = message or first_line
        self.field = field
        super().__init__(self.message)


class InvalidRecordError(ArbiterError, ValueError):
    """The record is not valid."""

    code = "invalid_record"


class ConfigurationError(ArbiterError):
    """The configuration is not valid."""

    code = "configuration"


class MissingExtraError(ConfigurationError):
    """An optional dependency is not installed."""

    code = "missing_extra"


class EmbeddingError(ArbiterError):
    """The texts could not be embedded."""

    code = "embedding_failed"
    retryable = True


class BudgetExceededError(ArbiterError):
    """Asking the judge would pass the cost ceiling."""

    code = "budget_exceeded"
    retryable = True


class StoreError(ArbiterError):
    """The store could not do what was asked."""

    code = "store_error"


class NotFoundError(StoreError):
    """There is no such thing in this namespace."""

    code = "not_found"


class StaleRulingError(StoreError):
    """The facts changed since they were shown; look at the pair again."""

    code = "stale_ruling"


class DependentDecisionError(StoreError):
    """A later decision rests on this one."""

    code = "dependent_decision"

    def __init__(self, message: str | None = None, *, dependents: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.dependents = dependents


class StoreUnavailableError(StoreError):
    """The store is locked, full or cannot be read."""

    code = "store_unavailable"
    retryable = True


class SchemaVersionError(StoreError):
    """The store was written by a newer arbiter."""

    code = "schema_version"
