"""Hidden characters are named where they stand; what is markup stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.web.pages.visible import hidden, plain, seen

RLO = '<span class="ctl" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>'


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("Ana moved.\n\tTo Porto.", "Ana moved.\n\tTo Porto."),
        ("<b onclick='x'>&", "&lt;b onclick=&#39;x&#39;&gt;&amp;"),
        ("a\u202eb", f"a{RLO}b"),
        ("\u202e\u202e", RLO * 2),
        ("a\r\nb", "a\nb"),
        ("a\rb", 'a<span class="ctl" title="CONTROL CHARACTER">U+000D</span>b'),
        ("\x7f", '<span class="ctl" title="CONTROL CHARACTER">U+007F</span>'),
        ("\x00", '<span class="ctl" title="CONTROL CHARACTER">U+0000</span>'),
        ("pass\u00adword", 'pass<span class="ctl" title="SOFT HYPHEN">U+00AD</span>word'),
        ("\U000e0041", '<span class="ctl" title="TAG LATIN CAPITAL LETTER A">U+E0041</span>'),
        ("\u3164", '<span class="ctl" title="HANGUL FILLER">U+3164</span>'),
        ("\u2028", '<span class="ctl" title="LINE SEPARATOR">U+2028</span>'),
        ("\ud800", '<span class="ctl" title="CONTROL CHARACTER">U+D800</span>'),
        ("", ""),
    ],
)  # fmt: skip
def test_hidden_characters_are_named(text: str, markup: str) -> None:
    """Bidirectional and other controls, tags and fillers become labels; white space and markup do not."""
    assert seen(text) == markup


@pytest.mark.parametrize(
    "text",
    ["👩\u200d⚕️", "می\u200cخواهم", "क\u094d\u200dष", "مرحبا", "Ünïcode – “quoted” 東京", "\u0600\u0661"],
)
def test_what_scripts_need_stays_as_it_is(text: str) -> None:
    """Joiners between letters or pictures, and signs of other scripts, are no disguise."""
    assert str(seen(text)) == plain(text) == text
    assert hidden(text) == []


@pytest.mark.parametrize("text", ["a\u200db", "\u200dب", "ب\u200c", "\u200d"])
def test_joiners_that_join_nothing_are_named(text: str) -> None:
    """Between plain letters, or at an end, a joiner only tells two equal texts apart."""
    assert "U+200" in seen(text)


def test_places_without_markup_get_codes() -> None:
    """A title or an option shows the code in brackets, and every kind is listed once."""
    text = "ab\u202ec\u202e\x07"
    assert plain(text) == "ab⟨U+202E⟩c⟨U+202E⟩⟨U+0007⟩"
    assert hidden(text) == ["U+202E RIGHT-TO-LEFT OVERRIDE", "U+0007 CONTROL CHARACTER"]


@given(st.text())
def test_nothing_hidden_and_no_markup_is_left(text: str) -> None:
    """Whatever a text holds, its labels hide nothing, and no character of it opens a tag."""
    shown = plain(text)
    assert hidden(shown) == []
    outside = (
        str(seen(text)).replace('<span class="ctl" title="', "").replace("</span>", "").replace('">U+', "")
    )
    assert "<" not in outside
    assert '"' not in outside
