"""What can be asked of the review queue: one function a call, the same for both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from arbiter.client.calls import (
    JSON,
    Call,
    Page,
    Parameters,
    encoded,
    json_of,
    key_for,
    of_key,
    page_of,
    path_to,
)
from arbiter.client.reviews import Comment, Imported, Queued, Review, ReviewCounts, Ruled
from arbiter.client.words import (
    Answer,
    ImportForm,
    OpenForm,
    Relation,
    ReviewStatus,
    SettledForm,
    Stakes,
)

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
_MEDIA_TYPES: dict[ImportForm, str] = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "label-studio": JSON,
    "argilla": JSON,
}


class ReviewRequests:
    """Makes calls about the review queue. ``reviewer`` is by default whoever the service takes us for."""

    def __init__(self, namespace: str | None = None) -> None:
        self.namespace = namespace

    def place(self, namespace: str | None) -> Parameters:
        """Return the parameters that say in which namespace a call works."""
        return {"namespace": namespace if namespace is not None else self.namespace}

    def reviews(  # noqa: PLR0913
        self,
        *,
        status: ReviewStatus | Literal["all"] = "open",
        kinds: Iterable[str] = (),
        stakes: Stakes | None = None,
        assignee: str | None = None,
        claimed_by: str | None = None,
        text: str | None = None,
        free_for: str | None = None,
        limit: int = 50,
        namespace: str | None = None,
    ) -> Iterator[Call[Page[Review]]]:
        """List what waits for a person, most urgent first, ``limit`` items a request."""
        query = _wanted(status, kinds, stakes, assignee, claimed_by, text, free_for)
        yield Call("GET", "/v1/reviews", page_of("items"), {**query, "limit": limit, **self.place(namespace)})

    def review(self, review_id: str, *, namespace: str | None = None) -> Call[Review]:
        """Read one item with everything about it."""
        return Call("GET", path_to("reviews", review_id), json_of, self.place(namespace))

    def review_counts(self, *, namespace: str | None = None) -> Call[ReviewCounts]:
        """Count what waits."""
        return Call("GET", "/v1/reviews/counts", json_of, self.place(namespace))

    def rule(  # noqa: PLR0913
        self,
        review: Queued,
        answer: Answer,
        *,
        relabel: Relation | None = None,
        text: str | None = None,
        confirmed: bool = False,
        reviewer: str | None = None,
        reason: str = "",
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Ruled]:
        """Settle an item as it was shown; if a side has changed since, the ruling is refused as stale."""
        ruling = {
            "ruling": answer,
            "digest_a": review["digest_a"],
            "digest_b": review["digest_b"],
            "relabel": relabel,
            "text": text,
            "confirmed": confirmed,
            "reviewer": reviewer,
            "reason": reason,
        }
        path = path_to("reviews", review["id"], "ruling")
        return self._change(path, json_of, ruling, namespace, key=key_for(key))

    def undo_ruling(
        self,
        ruling_id: str,
        *,
        reviewer: str | None = None,
        cascade: bool = False,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Ruled]:
        """Take a ruling back as if it had never been made."""
        path = path_to("rulings", ruling_id, "undo")
        body = {"reviewer": reviewer, "cascade": cascade}
        return self._change(path, json_of, body, namespace, key=key_for(key))

    def claim(
        self,
        review_id: str,
        *,
        reviewer: str | None = None,
        minutes: int = 15,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Queued]:
        """Take an item in hand, so that nobody else answers it meanwhile."""
        body = {"reviewer": reviewer, "minutes": minutes}
        path = path_to("reviews", review_id, "claim")
        return self._change(path, json_of, body, namespace, key=key_for(key))

    def claim_next(
        self,
        *,
        reviewer: str | None = None,
        minutes: int = 15,
        kinds: Iterable[str] = (),
        stakes: Stakes | None = None,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Review | None]:
        """Take the most urgent free item in hand; None: nothing waits."""
        body = {"reviewer": reviewer, "minutes": minutes, "kinds": list(kinds), "stakes": stakes}
        return self._change("/v1/reviews/next", of_key("review"), body, namespace, key=key_for(key))

    def release(
        self,
        review_id: str,
        *,
        reviewer: str | None = None,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Queued]:
        """Let go of an item."""
        path = path_to("reviews", review_id, "release")
        return self._change(path, json_of, {"reviewer": reviewer}, namespace, key=key_for(key))

    def assign(
        self,
        review_id: str,
        assignee: str | None,
        *,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Queued]:
        """Say who is to look at an item; None: nobody in particular."""
        path = path_to("reviews", review_id, "assign")
        return self._change(path, json_of, {"assignee": assignee}, namespace, key=key_for(key))

    def comment(
        self,
        review_id: str,
        text: str,
        *,
        author: str | None = None,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Comment]:
        """Note something on an item."""
        path, body = path_to("reviews", review_id, "comments"), {"text": text, "author": author}
        return self._change(path, json_of, body, namespace, key=key_for(key))

    def export_reviews(  # noqa: PLR0913
        self,
        form: OpenForm = "jsonl",
        *,
        status: ReviewStatus | Literal["all"] = "open",
        kinds: Iterable[str] = (),
        stakes: Stakes | None = None,
        assignee: str | None = None,
        claimed_by: str | None = None,
        text: str | None = None,
        free_for: str | None = None,
        namespace: str | None = None,
    ) -> Call[bytes]:
        """Read what waits as a file to fill in, or what a tool needs beside it."""
        query = {"format": form, **_wanted(status, kinds, stakes, assignee, claimed_by, text, free_for)}
        return Call("GET", "/v1/reviews/export", _bytes, {**query, **self.place(namespace)})

    def export_rulings(self, form: SettledForm = "jsonl", *, namespace: str | None = None) -> Call[bytes]:
        """Read the pairs that people settled as a file."""
        return Call("GET", "/v1/rulings/export", _bytes, {"format": form, **self.place(namespace)})

    def import_reviews(
        self,
        content: bytes,
        form: ImportForm = "jsonl",
        *,
        reviewer: str | None = None,
        users: Mapping[str, str] | None = None,
        namespace: str | None = None,
        key: str | None = None,
    ) -> Call[Imported]:
        """Put the rulings of a filled-in file into force, each checked on its own.

        ``users`` are the names of a tool's users by their ids there; with it, nobody else may answer.
        """
        told = [f"{user_id}={name}" for user_id, name in (users or {}).items()]
        query = {"format": form, "reviewer": reviewer, "user": told or None, **self.place(namespace)}
        return Call(
            "POST",
            "/v1/reviews/import",
            json_of,
            query,
            content,
            _MEDIA_TYPES[form],
            key=key_for(key),
            itemised="lines",
        )

    def _change(
        self,
        path: str,
        read: Callable[[httpx.Response], T],
        body: object,
        namespace: str | None,
        *,
        key: str,
    ) -> Call[T]:
        return Call("POST", path, read, self.place(namespace), encoded(body, "body"), key=key)


def _bytes(response: httpx.Response) -> bytes:
    return response.content


def _wanted(
    status: str,
    kinds: Iterable[str],
    stakes: Stakes | None,
    assignee: str | None,
    claimed_by: str | None,
    text: str | None,
    free_for: str | None,
) -> Parameters:
    return {
        "status": status,
        "kind": list(kinds) or None,
        "stakes": stakes,
        "assignee": assignee,
        "claimed_by": claimed_by,
        "text": text,
        "free_for": free_for,
    }
