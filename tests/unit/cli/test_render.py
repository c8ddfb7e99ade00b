"""What commands print for people."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from arbiter.cli.render import cell, differences, moment, plain, print_changes, print_json, print_table
from arbiter.domain.outcomes import FactState
from arbiter.domain.vocabulary import State, StateReason
from tests.factories import day


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("José lives in Łódź.\n\tYes.", "José lives in Łódź.\n\tYes."),
        ("red \x1b[31mherring", "red \\u001b[31mherring"),
        ("back\rspace\x08", "back\\u000dspace\\u0008"),
        ("paid \u202e000,1\u202c", "paid \\u202e000,1\\u202c"),
        ("क्\u200dष 👩\u200d⚕️", "क्\u200dष 👩\u200d⚕️"),
        ("old\x9b31m", "old\\u009b31m"),
    ],
)
def test_texts_cannot_steer_the_terminal(text: str, shown: str) -> None:
    """Escapes and turns of direction are spelt out; scripts that join letters stay as they are."""
    assert plain(text) == shown


def test_moments_are_told_in_utc() -> None:
    """A time of another zone is told in ours."""
    assert moment(day(0).astimezone(timezone(timedelta(hours=5)))) == "2026-01-01 09:00Z"


def test_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Line breaks stay inside the text, and letters are written as they are."""
    print_json({"content": "José\nlives"})
    assert capsys.readouterr().out == '{"content": "José\\nlives"}\n'


def test_a_table_shows_markup_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Square brackets and emoji names in a text are data."""
    print_table(("fact", "Statement"), [("fact_1", "[red]x[/red] :smile:"), ("fact_2", None)])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines == [
        "fact     Statement",
        "─────────────────────────────",
        "fact_1   [red]x[/red] :smile:",
        "fact_2",
    ]


def test_urgent_rows_are_red(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is colour, the rows that matter most have it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_table(("Stakes",), [("high",), ("normal",)], urgent=[0])
    high, normal = capsys.readouterr().out.splitlines()[-2:]
    assert high.startswith("\x1b[31mhigh")
    assert normal.startswith("normal")


def test_differences_are_marked_in_both_texts() -> None:
    """The words that only one side has stand in marks; letter case alone is no difference."""
    a, b = differences("Ana lives in Porto.", "ana lives in Vila Real, she says.")
    assert (a.plain, b.plain) == ("Ana lives in «Porto».", "ana lives in «Vila Real, she says».")
    assert [str(span.style) for span in a.spans] == ["bold yellow"]


def test_equal_texts_have_no_marks() -> None:
    """Nothing is marked where nothing differs."""
    a, b = differences("The same.", "The same.")
    assert (a.plain, b.plain, a.spans) == ("The same.", "The same.", [])


def test_differences_spell_out_what_steers() -> None:
    """The marked texts are as plain as any other."""
    assert differences("a\x1b[2J", "a")[0].plain == "a«\\u001b[2J»"


def test_cells_tell_times_and_nothing() -> None:
    """None is an empty cell, a time is told to the minute."""
    assert [str(cell(None)), str(cell(day(1))), str(cell(3))] == ["", "2026-01-02 09:00Z", "3"]


def test_changes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Each changed state is a line, for people and for machines."""
    changed = [FactState("fact_1", State.SUPERSEDED, StateReason.RULING, "fact_2", decision="dec_1")]
    print_changes(changed, as_json=False)
    assert capsys.readouterr().out == "fact_1 is superseded (ruling), see fact_2\n1 states changed\n"
    print_changes(changed, as_json=True)
    assert capsys.readouterr().out == (
        '{"fact_id": "fact_1", "state": "superseded", "state_reason": "ruling", '
        '"successor": "fact_2", "contested": false, "decision": "dec_1"}\n'
    )
