"""The guards on pairs whose difference a careful reader would never overlook."""

from __future__ import annotations

import pytest

from arbiter.domain.evidence import GuardFinding
from arbiter.judges.guards import TextGuards
from tests.factories import make_record

GUARDS = TextGuards()


def findings(a: str, b: str) -> list[GuardFinding]:
    """Return what the guards find between two texts."""
    return list(GUARDS.compare(make_record(a), make_record(b)))


@pytest.mark.parametrize(
    ("guard", "a", "b", "told"),
    [
        ("number", "The canoe weighs 31 kg.", "The canoe weighs 33 kg.", ("31 kg", "33 kg")),
        (
            "number",
            "He was hired as first engineer.",
            "He was hired as second engineer.",
            ("first", "second"),
        ),
        ("number", "SKU 9914 weighs 500 g", "SKU 9914 weighs 550 g, not 500", ("500 g", "550 g")),
        ("unit", "Give her 5 mg a day.", "Give her 5 g a day.", ("5 mg a day", "5 g a day")),
        (
            "date",
            "Surgery took place on 4 April.",
            "Surgery took place on 14 April.",
            ("4 April", "14 April"),
        ),
        ("date", "It was booked on 3 March 2025.", "It was booked on 4 March.", ("3 March 2025", "4 March")),
        ("time", "The ferry leaves at 14:00.", "The ferry leaves at 3 pm.", ("14:00", "3 pm")),
        ("identifier", "Donor 12 is A+.", "Donor 12 is A-.", ("a+", "a-")),
        ("identifier", "It listens on 10.4.2.17.", "It listens on 10.4.9.17.", ("10.4.2.17", "10.4.9.17")),
        ("negation", "Guests may bring pets.", "Guests may not bring pets.", ("", "not")),
        ("antonym", "Valve 3 opens above 4 bar.", "Valve 3 closes above 4 bar.", ("opens", "closes")),
        ("antonym", "The invoice is paid.", "The invoice is unpaid.", ("paid", "unpaid")),
        ("quantifier", "All sites are open.", "Some sites are open.", ("all", "some")),
        ("quantifier", "Audited firms may join.", "Only audited firms may join.", ("", "only")),
        ("qualifier", "Ana is a manager at Acme.", "Ana is a former manager at Acme.", ("", "former")),
        ("qualifier", "Leila is vegetarian.", "Leila is no longer vegetarian.", ("", "no longer")),
        (
            "qualifier",
            "Teams need at least 5 people.",
            "Teams need at most 5 people.",
            ("at least", "at most"),
        ),
        (
            "qualifier",
            "Sign-in must stay switched on.",
            "Sign-in must be switched off.",
            ("", "switched off"),
        ),
        ("period", "It costs 5 per week.", "It costs 5 per month.", ("per week", "per month")),
        ("role", "Farah reports to Lionel.", "Lionel reports to Farah.", ("Farah", "Lionel")),
        (
            "role",
            "Bao Tran reports to Celia Novak.",
            "Celia Novak reports to Bao Tran.",
            ("Bao Tran", "Celia Novak"),
        ),
        (
            "role",
            "Kalda beat Vik in the Norrvik final.",
            "In the Norrvik final Vik beat Kalda.",
            ("Kalda", "Vik"),
        ),
        ("number", "The app has 2000 users.", "The app has 500 users.", ("2000", "500")),
        ("name", "Hanne was born in Ribe.", "Hanne was born in Odense.", ("Ribe", "Odense")),
        (
            "wording",
            "Settings of the ledger package.",
            "Settings of the parcel package.",
            ("ledger", "parcel"),
        ),
    ],
)
def test_a_difference_is_found(guard: str, a: str, b: str, told: tuple[str, str]) -> None:
    """The guard names what each side says, on whichever side it stands."""
    found = {finding.guard: (finding.a, finding.b) for finding in findings(a, b)}
    assert found[guard] == told
    turned = {finding.guard: (finding.b, finding.a) for finding in findings(b, a)}
    assert turned == found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("It weighs 3.5 kg.", "It weighs 3500 g."),
        ("The fee is €1,150.00.", "The fee is 1150 euro."),
        ("The ferry leaves at 14:00.", "The ferry leaves at 2pm."),
        ("The shop closes at half past nine.", "The shop closes at 9:30."),
        ("The passport expires on 8 August 2027.", "Passport valid through 2027-08-08."),
        ("It isn't open on Sundays.", "It is closed on Sundays."),
        ("Export the invoices as CSV.", "Do not forget to export the invoices as CSV."),
        ("Osei and Marchetti found the moth.", "Marchetti and Osei found the moth."),
        ("A fire destroyed the mill in Velm.", "The mill in Velm was destroyed by a fire."),
        ("Room Birch is above room Alder.", "Room Alder is below room Birch."),
        ("Locker no. 12 is Ana's.", "Locker 12 is Ana's."),
        ("Ngozi Okafor chairs the board.", "The board is chaired by Okafor, Ngozi."),
        ("My mother Graciela grew up in Tandil.", "My mum Graciela grew up in Tandil."),
        ("The trial is run by the Mutual Aid Society.", "The trial is run by the MAS."),
        ("The boiler was serviced on 4 May; next service May 2027.", "The boiler was serviced on 4 May."),
    ],
)
def test_other_words_are_no_difference(a: str, b: str) -> None:
    """Units, formats, order, kinship words, acronyms and details on one side are no conflict."""
    assert findings(a, b) == []
    assert findings(b, a) == []


@pytest.mark.parametrize(
    ("guard", "a", "b"),
    [
        ("script", "Uses Kotlin；办公室在成都。", "Uses Kotlin；办公室已搬到苏州。"),
        ("script", "办公室在成都。", "办公室在苏州。"),
        ("script", "A4 用紙は三階の棚にあります。", "A4 ポスターの印刷は禁止です。"),
        ("negation", "他喜欢咖啡。", "他不喜欢咖啡。"),
        ("negation", "Насос меняют раз в год.", "Насос не меняют раз в год."),
        ("wording", "회의는 매주 목요일에 열립니다.", "회의는 매주 금요일에 열립니다."),
        ("wording", "يبدأ الدوام في السابعة صباحا.", "يبدأ الدوام في الثامنة صباحا."),
    ],
)
def test_every_script_is_compared(guard: str, a: str, b: str) -> None:
    """A change in another script is found as one in Latin letters is."""
    assert [finding.guard for finding in findings(a, b)] == [guard]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("不少顾客喜欢深色主题。", "很多顾客喜欢深色主题。"),
        ("客人到店要先登记姓名和电话。", "到店的客人必须先登记姓名与电话。"),
        ("İZMİR DEPOSU SAAT 8'DE AÇILIR.", "İzmir deposu saat 8'de açılır."),
        ("Der Vertrag läuft am 30. Juni 2027 aus.", "The contract expires on 30 June 2027."),
    ],
)
def test_scripts_and_languages_raise_no_false_alarm(a: str, b: str) -> None:
    """A character inside a word is no negation, and another language is no other name."""
    assert findings(a, b) == []


def test_relative_days_are_worked_out() -> None:
    """Yesterday is the day before the statement was made."""
    booked = make_record("It was booked on 2 January.")
    assert GUARDS.compare(booked, make_record("It was booked yesterday.", at=2)) == ()
    (found,) = GUARDS.compare(booked, make_record("It was booked yesterday.", at=5))
    assert found == GuardFinding("date", "2 January", "yesterday")


def test_aliases_are_no_difference() -> None:
    """A name and what the alias table joins with it are one."""
    a, b = make_record("The talk is in Saigon today."), make_record("The talk is in Hanoi today.")
    assert [finding.guard for finding in GUARDS.compare(a, b)] == ["name"]
    one_name = TextGuards(lambda name: "city" if name in {"Saigon", "Hanoi"} else name)
    assert one_name.compare(a, b) == ()


def test_remembered_texts_can_be_forgotten() -> None:
    """After an erasure nothing is remembered, and the answer is the same."""
    before = findings("It weighs 5 kg.", "It weighs 6 kg.")
    GUARDS.forget()
    assert findings("It weighs 5 kg.", "It weighs 6 kg.") == before
