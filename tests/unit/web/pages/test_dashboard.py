"""The dashboard: its numbers, and its pictures with words beside them."""

from __future__ import annotations

import re

from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.web.access import OPEN, Place
from arbiter.web.pages.charts import Bar, Interval
from arbiter.web.pages.dashboard import DAYS, Dashboard, dashboard
from arbiter.web.pages.desk import Desk
from arbiter.web.pages.filters import Chosen
from tests.review_house import said
from tests.unit.web.pages.conftest import Room, words


def read(room: Room) -> Dashboard:
    """Return what the dashboard of a namespace shows."""
    at = Desk(Place(OPEN, room.namespace), Chosen(room.namespace), room.house.server.service)
    return dashboard(at, at.store.queue_counts(room.namespace, at.now()))


def test_an_empty_namespace_has_a_dashboard(room: Room) -> None:
    """Nothing is divided by nothing, and every picture says that there is nothing."""
    found = read(room)
    assert (found.wait, found.agreed, found.kinds, found.ages) == (
        None,
        Interval("all", None, 0.0, 1.0, 0),
        [],
        [],
    )
    page = words(room.get("/review/dashboard"))
    assert "0 records tell 0 different facts." in page
    assert page.count("Nothing in these days.") == 4
    assert "No ruling says anything about a judge yet." in page


def test_the_numbers_are_those_of_the_namespace(room: Room) -> None:
    """Questions, ages, answers, cost and agreement, each counted from what is in the store."""
    clock, review, namespace = room.house.clock, room.house.arbiter.review, room.namespace
    doors = room.ask("The door is red.", "The door is blue.", stakes="high")
    gates = room.ask("The gate is red.", "The gate is green.", "duplicate")
    clock.forward(days=2)
    wells = room.ask("The well is deep.", "The well is dry.", "update")
    review.rule(doors, RulingKind.KEEP_B, reviewer="kim", namespace=namespace)
    review.rule(gates, RulingKind.RELABEL, reviewer="kim", relabel=Relation.UPDATE, namespace=namespace)
    clock.forward(days=1)
    read_again = said(
        "The well is dry.", at=2, subject="The well is deep. or The well is dry.", namespace=namespace
    )
    room.house.arbiter.submit([read_again])
    found = read(room)
    assert (found.totals.records, found.totals.redundant, found.totals.facts) == (7, 1, 6)
    assert found.wait == 2
    assert found.kinds == [Bar("unsure", 1, 100.0)]
    assert [(age.label, age.count) for age in found.ages] == [("1 to 3 days", 1)]
    assert [(bar.label, bar.amount) for bar in found.answers] == [("another relation", 1), ("keep B", 1)]
    assert found.people == [Bar("kim", 2, 100.0)]
    assert [column.amount for column in found.depth.columns[-4:]] == [2, 2, 1, 1]
    assert [column.amount for column in found.rulings.columns[-2:]] == [2, 0]
    assert [column.amount for column in found.outcomes.columns[-4:]] == [4, 0, 2, 0]
    assert len(found.costs.columns) == DAYS
    assert round(found.costs.total, 4) == round(found.spend.usd, 4) == 0.012
    assert (found.agreed.said, found.agreed.share) == (2, 0.5)
    assert found.instead == [("duplicate", "update", 1)]
    assert [row.label for row in found.agreement["relation"]] == ["contradiction", "duplicate"]
    assert wells in room.get().text


def test_old_days_are_left_out(room: Room) -> None:
    """What was taken in more than thirty days ago is in no picture of days; what still waits is."""
    room.ask("The roof is new.", "The roof is old.")
    room.house.clock.forward(days=DAYS)
    found = read(room)
    assert (found.outcomes.total, found.costs.total, found.totals.records) == (0, 0, 2)
    assert [(age.label, age.count) for age in found.ages] == [("8 to 30 days", 1)]
    room.house.clock.forward(days=1)
    assert [age.label for age in read(room).ages] == ["longer"]


def test_every_picture_has_words(room: Room) -> None:
    """Each picture is named or beside its numbers; days can be read as a table."""
    room.ask("The roof is new.", "The roof is old.")
    page = room.get("/review/dashboard").text
    pictures = re.findall(r"<svg[^>]*>", page)
    assert pictures
    assert all('role="img" aria-label="' in tag or 'aria-hidden="true"' in tag for tag in pictures)
    today = room.house.clock()
    day = f"{today.day} {today:%b}"
    assert f'aria-label="Outcomes: most on {day}, 2; 2 on {day}."' in page
    assert re.search(rf'<tr><td>{day}</td><td class="num">2</td></tr>', page)
