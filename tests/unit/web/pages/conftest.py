"""A house whose pages are read as text, each test in a namespace of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.review_house import House, served

if TYPE_CHECKING:
    import httpx

_names = count()


@dataclass(frozen=True)
class Room:
    """A namespace of the house, as a browser without scripts sees it."""

    house: House
    namespace: str

    def get(self, path: str = "/review", **query: Any) -> httpx.Response:
        """Look at a page."""
        return self.house.server.client.get(
            path, params={"namespace": self.namespace, **query}, headers={"accept": "text/html"}
        )

    def post(self, path: str, headers: dict[str, str] | None = None, /, **fields: str) -> httpx.Response:
        """Send a form from one of the pages."""
        form = "application/x-www-form-urlencoded"
        own = {"accept": "text/html", "content-type": form, "origin": self.house.server.url}
        return self.house.server.client.post(
            path,
            params={"namespace": self.namespace},
            data=fields,
            headers=own if headers is None else headers,
        )

    def item(self, review_id: str, **query: Any) -> httpx.Response:
        """Look at an item."""
        return self.get(f"/review/items/{review_id}", **query)

    def rule(self, review_id: str, **fields: str) -> httpx.Response:
        """Send a ruling on both sides as they are."""
        return self.post(f"/review/items/{review_id}/ruling", **self.digests(review_id), **fields)

    def digests(self, review_id: str) -> dict[str, str]:
        """Return what the forms of an item hold."""
        page = self.item(review_id).text
        return {
            name: re.findall(f'name="{name}" value="([^"]+)"', page)[0] for name in ("digest_a", "digest_b")
        }

    def ask(self, a: str, b: str, relation: str = "contradiction", **fields: Any) -> str:
        """Let two statements come in that somebody has to settle, and return the id of the question."""
        self.house.tell(a, b, relation, **{"confidence": 0.6, **fields})
        return self.house.ask(a, b, namespace=self.namespace, subject=f"{a} or {b}")


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a served store; it is shared, so a test keeps to a namespace of its own."""
    with served(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture
def room(house: House) -> Room:
    """Return an empty namespace of the house."""
    return Room(house, f"room {next(_names)}")


def words(answer: httpx.Response) -> str:
    """Return the text of a page without its tags, white space made single."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())
