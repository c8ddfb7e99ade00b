"""The review pages in a real browser: they keep to themselves, fit, and can be used by everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]

from arbiter.domain.evidence import GuardFinding
from arbiter.domain.review_queue import QueueQuery
from arbiter.domain.vocabulary import RulingKind
from tests.review_browser import Visitor, chromium, visitor
from tests.review_house import House, fill, past, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CORPUS = (
    "<script>window.owned = 1</script>",
    "<img src=x onerror='window.owned = 2'>",
    "\"><svg onload='window.owned = 3'>",
    "'-alert(4)-'",
    "</textarea><script>window.owned = 5</script>",
    "</title><script>window.owned = 6</script>",
    "<iframe srcdoc='<script>parent.owned = 7</script>'></iframe>",
    "<a href='javascript:window.owned = 8'>here</a>",
    "<style>@import 'https://evil.example/x.css'; * { display: none }</style>",
    "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "{{ self._TemplateReference__context }} ${7*7} <%= 7*7 %>",
    "\u202e\u2066reversed\u2069 \u200bzero \U000e0041tag a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307z",
    "x" * 400,
)
HOSTILE = "\n".join(CORPUS)
COLOURS = {"light": "rgb(246, 247, 249)", "dark": "rgb(17, 21, 27)"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a served store with weeks of work behind it, and hostile texts in a namespace of their own."""
    with served(tmp_path_factory.mktemp("house")) as found:
        past(found)
        fill(found)
        attack(found)
        yield found


def attack(house: House) -> None:
    """Put texts that try to get out of their place wherever a text can stand."""
    a, b = f"The door is red. {HOSTILE}", f"The door is blue. {HOSTILE}"
    guards = (GuardFinding(HOSTILE, HOSTILE, HOSTILE),)
    named = {"reason": HOSTILE, "attribute": HOSTILE, "merged_text": HOSTILE, "guards": guards}
    house.tell(a, b, "contradiction", confidence=0.5, **named)
    told = {
        "subject": HOSTILE[:450],
        "claim_key": HOSTILE[:200],
        "value": HOSTILE[:200],
        "tags": [HOSTILE[:60]],
    }
    door = house.ask(a, b, namespace="attacked", source=HOSTILE[:300], ref=HOSTILE[:200], **told)
    review = house.arbiter.review
    review.rule(door, RulingKind.SKIP, reviewer="<b>" + HOSTILE[:150], reason=HOSTILE, namespace="attacked")
    review.comment(door, HOSTILE, author=HOSTILE[:200], namespace="attacked")
    review.assign(door, HOSTILE[:200], namespace="attacked")


def items(house: House, namespace: str = "default") -> list[str]:
    """Return the paths of everything that is asked, set aside or settled in a namespace."""
    found = house.arbiter.review.page(QueueQuery(status=None), namespace=namespace, limit=9).items
    return [f"/review/items/{view.queued.item.id}?namespace={namespace}" for view in found]


def paths(house: House) -> list[str]:
    """Return one page of every kind."""
    waiting = house.arbiter.review.page().items
    settled = next(path for path in reversed(items(house)) if path)
    return [
        "/review",
        "/review?text=nothing+of+the+kind",
        "/review?status=all&kind=unsure",
        f"/review/items/{waiting[0].queued.item.id}",
        settled,
        "/review/dashboard",
        "/review/items/rev_0",
    ]


def test_texts_stay_texts_wherever_they_stand(browser: Browser, house: House) -> None:
    """Nothing of them runs, loads, hides, leads away or reorders; the policy has nothing to forbid."""
    with visitor(browser, house) as me:
        (door,) = items(house, "attacked")
        query = "namespace=attacked&status=all"
        for path in (
            f"/review?{query}",
            f"/review?{query}&text=%3Cscript%3Eowned",
            door,
            f"/review/dashboard?{query}",
        ):
            me.page.goto(house.server.url + path)
            me.ready()
            assert me.page.evaluate("[typeof owned, document.baseURI === location.href]") == [
                "undefined",
                True,
            ]
            assert me.page.locator("main").is_visible()
            assert me.page.locator("main :is(script, iframe, img, style, base, meta, object)").count() == 0
            assert me.page.evaluate("document.documentElement.scrollWidth") == 1280
        me.open(door)
        assert (
            me.page.locator("blockquote")
            .first.inner_text()
            .startswith("The door is red.\n<script>".replace("\n", " "))
        )
        assert "U+202E" in me.page.locator("blockquote").first.inner_text()
        me.press("m")
        me.page.keyboard.type(" Oslo 99")
        me.page.get_by_role("button", name="Merge", exact=True).click()
        me.page.get_by_role("alert").wait_for()
        me.ready()
        assert me.page.evaluate("typeof owned") == "undefined"
        unexpected = [told for told in me.complaints if "status of 422" not in told]
        assert (unexpected, me.outside()) == ([], [])


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_every_page_fits(browser: Browser, house: House, width: int) -> None:
    """Nothing sticks out sideways, from a small phone to a desk; on a phone every control can be hit."""
    with visitor(browser, house, width=width, height=800, has_touch=width < 500) as me:
        for path in [*paths(house), *items(house, "attacked")]:
            me.page.goto(house.server.url + path)
            assert me.page.evaluate("document.documentElement.scrollWidth") == width, path
            if width < 500:
                assert small_targets(me) == [], path


def small_targets(me: Visitor) -> list[str]:
    """Return the controls that are less than 24 pixels high or wide, links within a text aside."""
    found: list[str] = me.page.evaluate(
        """() => [...document.querySelectorAll("button, summary, input, select, textarea, a.button, nav a")]
            .filter((e) => e.checkVisibility() && e.type !== "hidden")
            .map((e) => [e.getBoundingClientRect(), e.outerHTML])
            .filter(([box]) => box.right > 0 && (box.height < 24 || box.width < 18))
            .map(([, markup]) => markup)"""
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_every_page(browser: Browser, house: House, scheme: str) -> None:
    """No rule of axe-core is broken: names, landmarks, order, contrast; in the colours that are asked for."""
    with visitor(browser, house, color_scheme=scheme) as me:
        for path in paths(house):
            me.page.goto(house.server.url + path)
            assert me.page.evaluate("getComputedStyle(document.body).backgroundColor") == COLOURS[scheme]
            assert broken_rules(me) == [], path
        me.open("/review/next")
        me.press("r", "Escape")
        for summary in me.page.locator("summary").all():
            summary.click()
        assert broken_rules(me) == []
        me.press("?")
        assert broken_rules(me) == []


def broken_rules(me: Visitor) -> list[str]:
    """Return the rules that a page breaks by axe-core, with the elements."""
    me.page.evaluate(AXE_SCRIPT)
    found: list[str] = me.page.evaluate(
        """async () => (await axe.run({ resultTypes: ["violations"] })).violations.flatMap((rule) =>
            rule.nodes.map((node) => `${rule.id}: ${node.html} ${node.any.map((a) => a.message)}`))"""
    )
    return found


def test_the_rules_are_really_held_against_the_page(browser: Browser, house: House) -> None:
    """A field without a name and a text too pale to read are found."""
    with visitor(browser, house) as me:
        me.open()
        me.page.evaluate("""() => {
            document.querySelector("label[for=text]").remove();
            document.querySelector(".lead").style.color = "#c8ccd2";
        }""")
        assert [told.partition(":")[0] for told in broken_rules(me)] == ["color-contrast", "label"]


def test_the_focus_is_seen_and_goes_in_order(browser: Browser, house: House) -> None:
    """First past the head of the page, then both answers before what is rarer; each stop has a ring."""
    with visitor(browser, house, reduced_motion="reduce") as me:
        me.open("/review/next")
        stops = []
        for _ in range(40):
            me.press("Tab")
            name, width, style = me.page.evaluate(
                """() => { const e = document.activeElement, s = getComputedStyle(e);
                    return [e.textContent.trim().split("\\n")[0], s.outlineWidth, s.outlineStyle]; }"""
            )
            stops.append(name)
            assert (width, style) == ("3px", "solid"), name
            if name.startswith("Needs more context"):
                break
        assert stops[0] == "Skip to the content"
        wanted = ["Keep AA", "Keep BB", "Keep bothO", "NeitherN", "Add a reason R", "Merge into one text M"]
        assert [stop for stop in stops if stop in wanted] == wanted
        assert me.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
        roles = ("banner", "navigation", "main")
        assert [me.page.get_by_role(role).count() for role in roles] == [1, 2, 1]  # type: ignore[arg-type]


def test_the_main_answers_stay_under_the_thumb(browser: Browser, house: House) -> None:
    """On a phone they are at the foot of the screen wherever the page is scrolled to."""
    with visitor(browser, house, width=390, height=700, has_touch=True) as me:
        me.open("/review/next")
        keep = me.page.get_by_role("button", name="Keep B", exact=True)
        places = []
        for _ in range(2):
            box = keep.bounding_box()
            assert box is not None
            places.append(box["y"] + box["height"])
            me.page.mouse.wheel(0, 2000)
        assert all(650 < place <= 700 for place in places)
