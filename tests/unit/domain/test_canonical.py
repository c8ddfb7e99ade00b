"""The canonical form against its definition, written out."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.domain.canonical import canonical

# White space and marks of every kind among letters, so that few examples are needed.
TEXTS = st.text(
    st.one_of(
        st.sampled_from("aB .\t\n\x0b\x1c\x1f\x85\xa0\u200b\u200e\u2003\u2028\u3000İıßǅé"), st.characters()
    ),
    max_size=20,
)


def written_out(text: str) -> str:
    """Fold letters, then white space, then the full stop of a sentence."""
    composed = unicodedata.normalize("NFC", text).replace("İ", "i").replace("ı", "i")
    folded = unicodedata.normalize("NFC", composed.casefold())
    spaced = re.sub(r"\s+", " ", folded).strip()
    return re.sub(r"(?<=[^\W\d_])\.\Z", "", spaced)


@given(TEXTS)
@example(" Two  spaces. ")
@example("a tab\tand a\nline.")
@example("no\xa0break")
@example("left\u200eright mark.")
@example("5.")
@example(".")
def test_it_is_what_its_definition_says(text: str) -> None:
    """However a text is spaced, and whether it is ASCII or not, the form is the one of the definition."""
    assert canonical(text) == written_out(text)
