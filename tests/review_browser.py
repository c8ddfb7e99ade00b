"""Browsers in front of the review pages; what they ask for and complain about is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Locator, Page

    from tests.review_house import House

_PATIENCE_MS = 30_000


@dataclass
class Visitor:
    """Somebody in front of a page. ``complaints`` are errors, policy violations and other consoles' words."""

    page: Page
    house: House
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str = "/review") -> None:
        """Go to a page and wait until its keys act."""
        self.page.goto(self.house.server.url + path)
        self.ready()

    def ready(self) -> None:
        """Wait until the keys of the page act; where scripts are off there are none."""
        self.page.locator("html[data-ready]").wait_for(state="attached")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def sees(self, text: str) -> None:
        """Wait until the page has a text, then until its keys act."""
        expect(self.page.locator("main")).to_contain_text(text)
        self.ready()

    def heading(self) -> str:
        """Return what the page is about."""
        return self.page.get_by_role("heading", level=1).inner_text()

    def focused(self) -> Locator:
        """Return what has the focus."""
        return self.page.locator(":focus")

    def dismiss(self, dialog: Dialog) -> None:
        """Close a box that a script has opened, and keep what it said."""
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def outside(self) -> list[str]:
        """Return what was asked of anybody else than the service."""
        return [url for url in self.requests if not url.startswith(self.house.server.url)]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a headless Chromium."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@contextmanager
def visitor(
    browser: Browser,
    house: House,
    *,
    width: int = 1280,
    height: int = 900,
    key: str | None = None,
    **options: Any,
) -> Iterator[Visitor]:
    """Open a browser of its own, signed in with ``key`` where there is one."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    context.set_default_timeout(_PATIENCE_MS)
    expect.set_options(timeout=_PATIENCE_MS)
    made = Visitor(context.new_page(), house)
    made.page.on("request", lambda request: made.requests.append(request.url))
    made.page.on("console", lambda message: made.complaints.append(message.text))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.on("dialog", made.dismiss)
    if key is not None:
        made.page.goto(f"{house.server.url}/review")
        made.page.get_by_label("API key").fill(key)
        made.page.get_by_role("button", name="Sign in").click()
        made.ready()
        # Chromium has advice for the form.
        made.complaints.clear()
    yield made
    context.close()
