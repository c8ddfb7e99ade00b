"""Every error that arbiter raises on purpose.

    ArbiterError
    ├── InvalidRecordError      (also ValueError)  the caller's record is at fault; names the field
    ├── ConfigurationError      settings, policy, prompt or registry files are at fault
    │   └── MissingExtraError   an optional dependency is not installed; names the extra
    ├── EmbeddingError          texts could not be embedded; nothing was compared
    ├── BudgetExceededError     asking a judge would pass the cost ceiling (retryable)
    ├── RequestError            a request cannot be taken as it is; names the field
    │   ├── UnreadableError         its body is not what it says it is, or not JSON
    │   ├── MediaTypeError          its body, or the answer it asks for, is of a form that is not served there
    │   ├── TooLargeError           its body, or something in it, passes a limit
    │   ├── UnconfirmedTextError    a merged text names what neither side names; lists it
    │   ├── ForbiddenError          the caller may not do this, or not in this namespace
    │   │   └── ScopeError              its key does not hold the scope; names it
    │   ├── UnauthorizedError       no key was sent, or none that holds
    │   └── IdempotencyKeyReusedError  another request was sent under the same key; names what differs
    ├── RetryLaterError         the service cannot take a request now (retryable); says when to try again
    │   ├── OverloadedError         too many records are waiting already
    │   ├── TimeLimitError          the work took longer than a request may
    │   ├── RateLimitedError        the caller sends more than it may
    │   └── IdempotencyKeyBusyError  the same request is being carried out
    ├── ServiceError            a service that was called gave no answer that is of use
    │   └── UnreachableError        it could not be reached, or broke off (retryable)
    └── StoreError
        ├── NotFoundError           no such id in this namespace
        ├── StaleRulingError        the facts changed since the reviewer saw them
        ├── ClaimedError            somebody else has the review item in hand; says who and until when
        ├── DependentDecisionError  a later decision rests on the one to be undone
        ├── StoreUnavailableError   locked, full or unreadable (retryable)
        └── SchemaVersionError      the file is of a newer arbiter

Each class has a ``code`` for machines; the docstring's first line is its default message. Foreign
errors are translated at the border, in the adapters, with ``raise ... from``.
"""

from __future__ import annotations

from datetime import datetime
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


class RequestError(ArbiterError):
    """The request cannot be taken as it is."""

    code = "invalid_request"


class UnreadableError(RequestError):
    """The body of the request cannot be read."""

    code = "unreadable"


class MediaTypeError(RequestError):
    """The request is not in a form that is taken here."""

    code = "unsupported_media_type"


class TooLargeError(RequestError):
    """The request is too large."""

    code = "too_large"


class UnconfirmedTextError(RequestError):
    """The text names what neither side names; confirm that it is meant."""

    code = "unconfirmed_text"

    def __init__(self, message: str | None = None, *, invented: tuple[str, ...] = ()) -> None:
        super().__init__(message, field="text")
        self.invented = invented


class ForbiddenError(RequestError):
    """The caller may not do this."""

    code = "forbidden"


class ScopeError(ForbiddenError):
    """The key does not hold the scope that this needs."""

    code = "insufficient_scope"

    def __init__(self, message: str | None = None, *, scope: str = "") -> None:
        super().__init__(message)
        self.scope = scope


class UnauthorizedError(RequestError):
    """A valid API key is needed."""

    code = "unauthorized"

    def __init__(self, message: str | None = None, *, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


class IdempotencyKeyReusedError(RequestError):
    """Another request was sent under this Idempotency-Key; take a new one."""

    code = "idempotency_key_reused"


class RetryLaterError(ArbiterError):
    """The service cannot take this request now; try again later."""

    code = "retry_later"
    retryable = True

    def __init__(self, message: str | None = None, *, field: str | None = None, after_s: int = 1) -> None:
        super().__init__(message, field=field)
        self.after_s = after_s


class OverloadedError(RetryLaterError):
    """Too many records are waiting already; try again soon."""

    code = "overloaded"


class TimeLimitError(RetryLaterError):
    """The work took longer than a request may; what was begun goes on, and to send it again is safe."""

    code = "time_limit"


class RateLimitedError(RetryLaterError):
    """Too many requests."""

    code = "rate_limited"


class IdempotencyKeyBusyError(RetryLaterError):
    """The request under this Idempotency-Key is being carried out; send it again for its answer."""

    code = "idempotency_key_busy"


class ServiceError(ArbiterError):
    """The service gave no answer that is of use."""

    code = "service_error"


class UnreachableError(ServiceError):
    """The service could not be reached."""

    code = "unreachable"
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


class ClaimedError(StoreError):
    """Somebody else has this in hand."""

    code = "claimed"

    def __init__(
        self, message: str | None = None, *, claimant: str | None = None, until: datetime | None = None
    ) -> None:
        super().__init__(message)
        self.claimant = claimant
        self.until = until


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
