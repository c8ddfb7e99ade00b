"""Reports as pages, from results made by hand."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import Spend
from arbiter.errors import MissingExtraError
from arbiter.testing import TableJudge
from evals.report.command import command
from evals.report.files import read_result, result_path, write_result
from evals.report.pages import html, markdown
from evals.report.payloads import pair_payload, stream_payload
from evals.report.provenance import provenance
from evals.report.sections import sections
from evals.report.tables import Table, label_table, pair_table, stream_table
from evals.score.items import Item
from tests.answered import end, item, numbered, run, streams

ORIGIN = provenance("gold_dev", TableJudge(), load_policy())
GOOD = numbered(
    item("update", "update", 0.9),
    item("update", "update", 0.8, loser="b"),
    item("duplicate", "duplicate", 0.7),
    item("unrelated", "update", 0.6),
)
POOR = numbered(
    item("update", "unrelated"), item("update", None), item("duplicate", "duplicate"), item("unrelated", None)
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write the results of two judges on pairs, and of one on streams."""
    folder = tmp_path / "results"
    paid = Spend(llm_calls=4, usd=0.5)
    told: list[tuple[str, tuple[Item, ...], Spend]] = [("local", GOOD, Spend()), ("<b>bold</b>", POOR, paid)]
    for judge, cases, cost in told:
        payload = pair_payload(run(*cases, judge=judge, cost=cost, seconds=2.0))
        write_result(result_path(folder, "hand", judge), "pairs", payload, ORIGIN)
    ends = (end("r1", "active", "active"), end("r2", "active", "superseded"))
    lived = stream_payload(streams(ends, (ends[0], end("r2", "active", "active"))))
    write_result(result_path(folder, "lived", "table"), "streams", lived, ORIGIN)
    return folder


def test_a_judge_on_pairs_is_a_row(results: Path) -> None:
    """What is not judged stands beside what is."""
    good, poor = (read_result(result_path(results, "hand", judge)) for judge in ("local", "<b>bold</b>"))
    told = pair_table([good, poor])
    assert dict(zip(told.header, told.rows[0], strict=True)) == {
        "judge": "local",
        "judged": "4 of 4",
        "label accuracy": "0.750 [0.250, 1.000]",
        "macro-F1": "0.600",
        "right actions": "0.500 [0.000, 1.000]",
        "wrong removals": "2 (50.0 %)",
        "missed conflicts": "0 of 2, 0 unnoticed",
        "coverage": "100 %",
        "calls": "0",
    }
    assert dict(zip(told.header, told.rows[1], strict=True)) == {
        "judge": "<b>bold</b>",
        "judged": "2 of 4",
        "label accuracy": "0.500 [0.000, 1.000]",
        "macro-F1": "–",
        "right actions": "0.250 [0.000, 0.750]",
        "wrong removals": "0 (0.0 %)",
        "missed conflicts": "1 of 1, 1 unnoticed",
        "coverage": "50 %",
        "calls": "4, $0.50",
    }


def test_relations_that_a_suite_lacks_have_no_row(results: Path) -> None:
    """Of five relations this one has three."""
    told = label_table(read_result(result_path(results, "hand", "local")))
    assert told.rows == (
        ("duplicate", "1", "0", "1.000", "1.000", "1.000"),
        ("update", "2", "0", "0.667", "1.000", "0.800"),
        ("unrelated", "1", "0", "–", "0.000", "0.000"),
    )


def test_a_judge_on_streams_is_a_row(results: Path) -> None:
    """The main order in full, and how steady the others are."""
    told = stream_table([read_result(result_path(results, "lived", "table"))])
    assert dict(zip(told.header, told.rows[0], strict=True)) == {
        "judge": "table",
        "state right": "0.500",
        "right, and marked": "0.500",
        "wrong removals": "1 (50.0 %)",
        "missed conflicts": "0",
        "unmerged": "0",
        "held": "0",
        "questions found": "3 of 4",
        "other questions": "2",
        "steady": "0.500",
        "calls": "2, $0.25",
    }


def test_cells_are_data_in_markdown_and_html(results: Path) -> None:
    """A name with marks in it is shown, not obeyed."""
    assert Table(("a",), (("x|y",),)).markdown() == "| a |\n| --- |\n| x\\|y |"
    paths = sorted(results.glob("hand/*.json"))
    page = html(sections([[read_result(path) for path in paths]], "local"))
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_the_page_holds_everything_and_loads_nothing(results: Path) -> None:
    """Plots are data URLs of well-formed SVG, with words for who cannot see them; no script, no link out."""
    suites = [[read_result(path)] for path in sorted(results.glob("*/*.json"))]
    page = html(sections(suites, "local"))
    images = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)">', page)
    assert page.count("<img") == len(images) == 5
    for image, _ in images:
        assert ET.fromstring(base64.b64decode(image)).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314  our own
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!data:|#)', page) == []
    assert "default-src 'none'" in page


def test_the_report_compares_runs_and_writes_its_files(results: Path, tmp_path: Path) -> None:
    """A sentence for each measure on the terminal; pages and plots in the folder, each plot linked."""
    out = tmp_path / "out"
    told = CliRunner().invoke(command, [str(results), "--out", str(out)], catch_exceptions=False)
    assert told.exit_code == 0
    assert told.stdout.splitlines()[1] == (
        "hand: right actions of <b>bold</b> against local: -25.0 points [-75.0, +0.0] on 4 cases; "
        "0 only <b>bold</b>, 1 only local, p = 1: could be chance."
    )
    assert told.stdout.splitlines()[-2:] == [str(out / "report.html"), str(out / "report.md")]
    links = re.findall(r"\]\(([^)]+\.svg)\)", (out / "report.md").read_text("utf-8"))
    assert sorted(links) == sorted(path.name for path in out.glob("*.svg"))
    assert "hand-risk-coverage.svg" in links


def test_where_the_results_come_from_stands_at_the_end(results: Path) -> None:
    """Commit, digests, versions and machine, a row for each."""
    page = markdown(sections([[read_result(path)] for path in sorted(results.glob("*/*.json"))], "local"))
    last = page.split("## Where the results come from")[1]
    assert last.count(ORIGIN.suite[:12]) == 3
    assert ORIGIN.policy in last
    assert f"python {ORIGIN.versions['python']}" in last


def test_a_result_on_other_cases_is_not_compared(results: Path) -> None:
    """Another version of the suite is another suite."""
    path = result_path(results, "hand", "local")
    first, other = read_result(path), read_result(result_path(results, "hand", "<b>bold</b>"))
    path.write_text(path.read_text("utf-8").replace(first.provenance["suite"], "0" * 64))
    titles = [part.title for part in sections([[read_result(path), other]], "local")[0].parts]
    assert [title for title in titles if title.startswith("Against")] == []
    both = [part.title for part in sections([[first, other]], "local")[0].parts]
    assert [title for title in both if title.startswith("Against")] == ["Against local"]


def test_judges_that_grade_nothing_get_no_curves(tmp_path: Path) -> None:
    """Nor does one that judged nothing; the page is made all the same."""
    path = tmp_path / "hand" / "exact.json"
    write_result(path, "pairs", pair_payload(run(item("update", None), judge="exact")), ORIGIN)
    (section, _) = sections([[read_result(path)]], "local")
    assert [part.title for part in section.parts] == ["Judges", "People and cost"]


def test_without_matplotlib_the_extra_is_named(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the harness needs none."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=r"matplotlib is not installed; it comes with arbiter\[evals\]"
    ):
        sections([[read_result(result_path(results, "hand", "local"))]], "local")
