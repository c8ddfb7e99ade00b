"""The picture of the review page in the README: ``python -m tests.docs.review_page_image`` takes it anew."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import expect

from arbiter.domain.vocabulary import RulingKind
from tests.review_browser import chromium, visitor
from tests.review_house import fill, served

PATH = Path(__file__).with_name("images") / "review-page.png"


def main() -> None:
    """Take the picture: a question of high stakes, with some rulings made today."""
    with TemporaryDirectory() as folder, served(Path(folder)) as house, chromium() as browser:
        fill(house)
        key = house.key("Kim")
        house.clock.forward(minutes=1)
        review = house.arbiter.review
        items = [view.queued.item.id for view in review.page().items]
        review.rule(items[-1], RulingKind.KEEP_B, reviewer="Kim")
        review.rule(items[-2], RulingKind.NEEDS_CONTEXT, reviewer="Kim")
        review.comment(items[0], "Her passport is on file with HR.", author="Noor")
        with visitor(browser, house, height=745, key=key) as me:
            me.open(f"/review/items/{items[0]}")
            expect(me.page.locator("[data-hand]")).to_contain_text("In your hands until")
            me.page.screenshot(path=PATH)


if __name__ == "__main__":
    main()
