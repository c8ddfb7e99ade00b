"""People at the review page, in a real browser: by keyboard alone, together, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from arbiter.domain.vocabulary import Relation, RulingKind
from tests.review_browser import Visitor, chromium, visitor
from tests.review_house import BORN_B, BOTH, PLAN_B, House, fill, served

REFUSED = "Failed to load resource: the server responded with a status of"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    with chromium() as launched:
        yield launched


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a served store in which six questions wait."""
    with served(tmp_path) as found:
        fill(found)
        yield found


def made(house: House) -> list[tuple[str, RulingKind, Relation | None, str]]:
    """Return the rulings in the store, by kind: who, what, which relation, why."""
    rulings = house.arbiter.context.store.rulings("default")
    found = [(r.reviewer, r.kind, r.relabel, r.reason) for r in rulings]
    return sorted(found, key=lambda ruling: (ruling[1], ruling[3]))


def test_a_queue_is_worked_off_by_keyboard(browser: Browser, house: House) -> None:
    """From the list to the last item without a mouse: rule, undo, relabel, merge, skip, ask for more."""
    with visitor(browser, house) as me:
        me.open()
        assert me.heading() == "6 questions wait for a person."
        me.press("j", "j", "k")
        expect(me.focused()).to_contain_text("born on 4 March 1987")
        me.press("Enter")
        me.sees("1 of 6")
        expect(me.page.locator("[data-hand]")).to_contain_text("In your hands until")
        me.press("b")
        me.sees("You kept B.")
        assert "apixaban" in me.page.locator("blockquote").first.inner_text()
        me.press("u")
        me.sees("Taken back: “kept B” by local holds no more.")
        assert me.page.locator("blockquote").nth(1).inner_text() == BORN_B
        me.press("r")
        me.page.keyboard.type("The passport says so.")
        me.press("Escape", "b")
        me.sees("You kept B.")
        assert "apixaban" in me.page.locator("blockquote").first.inner_text()
        me.press("j")
        me.sees("Northwind")
        me.press("2")
        me.sees("You said update.")
        me.press("m")
        expect(me.page.get_by_label("One text that stands for both")).to_have_value(BOTH)
        me.page.keyboard.type(" They sit in Oslo.")
        me.press("Control+Enter")
        me.sees("The text says more than the two sides")
        assert me.page.locator(".invented").inner_text() == "Oslo"
        expect(me.focused()).to_have_value(f"{BOTH} They sit in Oslo.")
        me.page.get_by_label("It is meant").focus()
        me.press("Space")
        me.page.get_by_label("One text that stands for both").focus()
        me.press("Control+Enter")
        me.sees("You merged both into one text.")
        me.press("s")
        me.page.keyboard.type("ask the ward")
        me.press("Enter")
        me.sees("You skipped it.")
        me.press("x")
        me.sees("You asked for more context.")
        assert "apixaban" in me.page.locator("blockquote").first.inner_text()
        me.press("n")
        me.sees("You ruled that neither holds.")
        assert me.heading() == "Nothing waits for a person."
        me.sees("You made 6 rulings today. 2 questions are set aside")
        assert (me.complaints, me.outside()) == ([f"{REFUSED} 422 (Unprocessable Entity)"], [])
    who = "local"
    assert made(house) == [
        (who, RulingKind.KEEP_B, None, ""),
        (who, RulingKind.KEEP_B, None, "The passport says so."),
        (who, RulingKind.MERGE, None, ""),
        (who, RulingKind.NEEDS_CONTEXT, None, ""),
        (who, RulingKind.NEITHER, None, ""),
        (who, RulingKind.RELABEL, Relation.UPDATE, ""),
        (who, RulingKind.RETRACT, None, ""),
        (who, RulingKind.SKIP, None, "ask the ward"),
    ]


def test_keys_act_only_where_they_are_meant(browser: Browser, house: House) -> None:
    """Not while somebody writes, not with another key held, not once they are turned off."""
    with visitor(browser, house) as me:
        me.open("/review/next")
        first = me.page.url
        me.press("c")
        me.page.keyboard.type("a b 1 n u?")
        expect(me.page.get_by_label("Note something")).to_have_value("a b 1 n u?")
        me.press("Escape", "Control+a", "Alt+b", "Meta+n")
        me.page.keyboard.down("Shift")
        me.page.keyboard.up("Shift")
        me.press("?")
        keys = me.page.get_by_role("dialog", name="Keys")
        expect(keys).to_be_visible()
        me.press("a")
        keys.get_by_label("Single keys act").uncheck()
        me.press("Escape")
        expect(keys).to_be_hidden()
        me.press("a", "b", "n", "1")
        me.page.reload()
        me.ready()
        me.press("a")
        assert me.page.url == first
        assert made(house) == []
        me.press("?")
        keys.get_by_label("Single keys act").check()
        keys.get_by_role("button", name="Close").click()
        me.press("j")
        me.sees("2 of 6")
        me.press("k")
        me.sees("1 of 6")
        me.press("q")
        expect(me.page).to_have_url(f"{house.server.url}/review")
        me.ready()
        me.press("/")
        me.page.keyboard.type("apixaban")
        me.press("Enter")
        me.sees("1–1 of 1")
        assert me.complaints == []


def sign_in(house: House, *names: str) -> list[str]:
    """Make keys for people, and let the service learn that it has some."""
    keys = [house.key(name) for name in names]
    house.clock.forward(minutes=1)
    return keys


def test_two_people_never_work_on_one_item_unknowingly(browser: Browser, house: House) -> None:
    """Who opens it second is told who has it, cannot rule, and gets it once the first one leaves."""
    ada, bo = sign_in(house, "Ada", "Bo")
    with visitor(browser, house, key=ada) as first, visitor(browser, house, key=bo) as second:
        first.press("w")
        first.sees("1 of 6")
        item = first.page.url
        expect(first.page.locator("[data-hand]")).to_contain_text("In your hands until")
        second.page.goto(item)
        second.sees("Ada is working on this")
        expect(second.page.get_by_role("button", name="Keep A")).to_be_disabled()
        second.press("a", "1", "x")
        assert second.page.url == item
        second.press("c")
        second.page.keyboard.type("I know her.")
        second.press("Control+Enter")
        second.sees("I know her.")
        first.press("q")
        expect(first.page).to_have_url(f"{house.server.url}/review")
        expect(first.page.locator("main")).to_contain_text("questions wait")
        second.page.goto(item)
        second.sees("Who works on it")
        expect(second.page.locator("[data-hand]")).to_contain_text("In your hands until")
        second.press("a")
        second.sees("You kept A.")
        assert (first.complaints, second.complaints) == ([], [])
    assert made(house) == [("Bo", RulingKind.KEEP_A, None, "")]


def test_a_page_that_was_left_open_is_refused_kindly(browser: Browser, house: House) -> None:
    """Its claim ran out, somebody else ruled: nothing is written, the page says so and leads on."""
    ada, bo = sign_in(house, "Ada", "Bo")
    with visitor(browser, house, key=ada) as first, visitor(browser, house, key=bo) as second:
        first.press("w")
        first.sees("1 of 6")
        expect(first.page.locator("[data-hand]")).to_contain_text("In your hands until")
        house.clock.forward(minutes=6)
        second.page.goto(first.page.url)
        second.ready()
        expect(second.page.locator("[data-hand]")).to_contain_text("In your hands until")
        second.press("b")
        second.sees("You kept B.")
        first.press("a")
        first.sees("This changed while you looked at it")
        expect(first.page.get_by_role("alert")).to_contain_text("Nothing was written.")
        first.sees("Bo kept B")
        first.page.get_by_role("link", name="Go on with the next one").click()
        first.sees("apixaban")
    assert made(house) == [("Bo", RulingKind.KEEP_B, None, "")]


def without_scripts(me: Visitor, path: str) -> None:
    """Open a page that does nothing by itself."""
    me.page.goto(me.house.server.url + path)


def test_everything_needed_works_without_scripts(browser: Browser, house: House) -> None:
    """Filter, open, claim, comment, give, rule, take back, merge: by links and buttons alone."""
    with visitor(browser, house, java_script_enabled=False) as me:
        page = me.page
        without_scripts(me, "/review")
        page.get_by_text("Search and filter").click()
        page.get_by_label("Asked because").select_option("unsure")
        page.get_by_role("button", name="Show").click()
        page.get_by_role("link", name=PLAN_B).click()
        page.get_by_role("button", name="Take it in hand").click()
        expect(page.locator("[data-hand]")).to_contain_text("In your hands until")
        page.get_by_label("Note something").fill("Asked Acme.")
        page.get_by_role("button", name="Comment").click()
        page.get_by_label("Given to").fill("Kim")
        page.get_by_role("button", name="Give").click()
        expect(page.get_by_label("Given to")).to_have_value("Kim")
        page.get_by_role("button", name="Keep A").click()
        expect(page.get_by_role("status").first).to_contain_text("You kept A.")
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("Merge into one text", exact=False).first.click()
        page.get_by_role("button", name="Merge").click()
        expect(page.get_by_role("status").first).to_contain_text("You merged both into one text.")
        assert page.locator("kbd:visible").count() == 0
        assert page.get_by_role("button", name="Keys").count() == 0
        assert (me.complaints, me.outside()) == ([], [])
    kinds = [kind for _, kind, _, _ in made(house)]
    assert kinds == [RulingKind.KEEP_A, RulingKind.MERGE, RulingKind.RETRACT]
