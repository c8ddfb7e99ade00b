"""The report in a real browser: it loads nothing, runs nothing, fits a phone, follows the colour scheme."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from arbiter.scan import scan
from tests.factories import verdict
from tests.scanning import memory_arbiter, raw, write_lines

HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
RED = f"The door is red. {HOSTILE}"
BLUE = "The door is blue, as blue as " + "b" * 300
TOLD = {(RED, BLUE): verdict("contradiction", stakes="high", reason=HOSTILE)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a scan whose texts try to get out of their place."""
    folder = tmp_path_factory.mktemp("report")
    about: dict[str, Any] = {"subject": "door", "claim_key": "door.colour"}
    records: list[object] = [raw(RED, **about), raw(BLUE, at=0.5, **about), "{"]
    scan(memory_arbiter(TOLD), [write_lines(folder / "doors.jsonl", records)], folder)
    return folder / "report.html"


def opened(browser: Browser, report: Path, width: int, scheme: str, seen: list[str]) -> Page:
    """Open the report; what it asks for and complains about is added to ``seen``."""
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.goto(report.as_uri())
    return page


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_fits_and_keeps_to_itself(browser: Browser, report: Path, width: int) -> None:
    """Nothing but the page itself is asked for, nothing is complained about, nothing sticks out sideways."""
    seen: list[str] = []
    page = opened(browser, report, width, "light", seen)
    assert seen == [report.as_uri()]
    assert page.title() == "3 records, 2 facts: arbiter scan"
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("blockquote").all_inner_texts() == [RED, BLUE]
    page.close()


def test_the_colours_follow_the_reader(browser: Browser, report: Path) -> None:
    """Dark where the reader wants it dark."""
    backgrounds = {}
    for scheme in ("light", "dark"):
        page = opened(browser, report, 1280, scheme, [])
        backgrounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.close()
    assert backgrounds == {"light": "rgb(246, 247, 249)", "dark": "rgb(17, 21, 27)"}


def test_the_sections_are_reached_by_keyboard(browser: Browser, report: Path) -> None:
    """The first tab offers to skip; the links lead to their sections; evidence opens without a script."""
    page = opened(browser, report, 1280, "light", [])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.get_by_role("link", name="To review").press("Enter")
    assert page.evaluate("location.hash") == "#review"
    assert page.get_by_role("heading", name="To review").is_visible()
    page.get_by_text("Evidence").first.click()
    assert page.get_by_text("high-stakes-contradiction").first.is_visible()
    assert [page.get_by_role(role).count() for role in ("banner", "navigation", "main", "contentinfo")] == [
        1
    ] * 4
    page.close()
