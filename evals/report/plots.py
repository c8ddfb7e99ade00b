"""Plots as SVG: reliability, risk and coverage, confusion, cost against accuracy.

Every plot raises ``MissingExtraError`` where matplotlib is not installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any

from arbiter.errors import MissingExtraError
from evals.report.files import Result
from evals.report.payloads import answered_pairs
from evals.score.coverage import score_coverage
from evals.score.labels import LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people of every colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
_LINES = ("-", "--", ":", "-.")
_MARKS = ("o", "s", "^", "D")


@dataclass(frozen=True, slots=True)
class _Look:
    """How one judge is drawn, as a line and as a point."""

    line: Mapping[str, Any]
    point: Mapping[str, Any]


def risk_coverage(named: Mapping[str, Result], *, digest: str = "") -> str:
    """Plot how wrong each judge is on its surest part, for every size of that part.

    A judge that grades its confidence is a curve; any other can only be taken whole, which is a point.

    Args:
        named: results over labelled pairs by the name to show.
        digest: what the file says of the results that it shows.
    """
    with _style():
        figure, axes = _axes(6.4, 4.0)
        for (name, result), look in zip(named.items(), _looks(), strict=False):
            curve = score_coverage(answered_pairs(result).items).curve
            if not curve:
                continue
            graded = is_graded(result)
            coverage, risk = zip(*(curve if graded else curve[-1:]), strict=True)
            drawn = look.line if graded else look.point
            axes.plot(coverage, risk, label=name, **drawn)
        axes.set(xlim=(0, 1.02), ylim=(0, None), xlabel="coverage: share of the pairs, surest first")
        axes.set_ylabel("risk: share of them named wrongly")
        axes.legend(frameon=False, fontsize=8)
        return _svg(figure, digest)


def reliability(named: Mapping[str, Result]) -> str:
    """Plot the share that is right against the confidence, for judges that grade it."""
    with _style():
        figure, axes = _axes(4.6, 4.2)
        axes.plot([0, 1], [0, 1], "--", color="#888888", linewidth=1, label="as sure as right")
        for (name, result), look in zip(named.items(), _looks(), strict=False):
            if is_graded(result):
                bins = result.payload["score"]["calibration"]["bins"]
                _, confidence, accuracy = zip(*bins, strict=True)
                axes.plot(confidence, accuracy, label=name, marker="o", markersize=4, **look.line)
        axes.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="mean confidence of ten equal parts")
        axes.set_ylabel("share of them that is right")
        axes.legend(frameon=False, fontsize=8)
        return _svg(figure)


def confusion(result: Result) -> str:
    """Plot what one judge called the pairs of each relation."""
    score = result.payload["score"]
    counts = [[score["confusion"][truth][label] for label in LABELS] for truth in LABELS]
    most = max(max(row) for row in counts) or 1
    with _style():
        figure, axes = _axes(5.0, 4.2)
        axes.imshow(counts, cmap="Blues", vmin=0, vmax=most)
        for row, found in enumerate(counts):
            for column, number in enumerate(found):
                ink = "white" if number > most / 2 else "black"
                axes.text(column, row, str(number), ha="center", va="center", color=ink)
        axes.grid(visible=False)
        axes.set_xticks(range(len(LABELS)), LABELS, rotation=30, ha="right")
        axes.set_yticks(range(len(LABELS)), LABELS)
        axes.set(xlabel="called", ylabel="is")
        return _svg(figure)


def cost_accuracy(named: Mapping[str, Result]) -> str:
    """Plot the share of all pairs named rightly against what a pair costs.

    That is money where any of the results cost some, else the time that it took.
    """
    scores = {name: result.payload["score"] for name, result in named.items()}
    paid = any(score["cost"]["usd"] for score in scores.values())
    with _style():
        figure, axes = _axes(6.4, 4.0)
        for (name, score), look in zip(scores.items(), _looks(), strict=False):
            right = sum(score["confusion"][label][label] for label in LABELS) / score["pairs"]
            cost = 1000 * score["cost"]["usd" if paid else "seconds"] / score["pairs"]
            axes.plot([cost], [right], label=name, **look.point)
        axes.set(ylim=(0, 1.02), xlim=(0, None), ylabel="share of all pairs named rightly")
        axes.set_xlabel("US dollars a thousand pairs" if paid else "milliseconds a pair, on this machine")
        axes.legend(frameon=False, fontsize=8)
        return _svg(figure)


def _looks() -> Iterator[_Look]:
    """Yield looks that can be told apart also where two lines are one."""
    for number in count():
        colour = _COLOURS[number % len(_COLOURS)]
        # The more a line is broken, the higher it lies, so that none hides another.
        style = number % len(_LINES)
        line = {"color": colour, "linestyle": _LINES[style], "zorder": 2 + style, "linewidth": 1.6}
        mark = _MARKS[number // len(_COLOURS) % len(_MARKS)]
        yield _Look(line, {"color": colour, "marker": mark, "linestyle": "none", "clip_on": False})


def is_graded(result: Result) -> bool:
    """Does the judge grade its confidence, so that curves say something?"""
    return bool(result.payload["score"]["calibration"]["graded"])


def _style() -> AbstractContextManager[None]:
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is not installed; it comes with arbiter[evals]") from error
    return mpl.rc_context(
        {
            "svg.hashsalt": "arbiter",  # the same plot is the same file
            "svg.fonttype": "none",  # text stays text
            "text.parse_math": False,  # names are data
            "font.size": 10.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#dddddd",
            "axes.axisbelow": True,
        }
    )


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of a size in inches, with one pair of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Figure, digest: str = "") -> str:
    told = StringIO()
    figure.savefig(
        told, format="svg", metadata={"Date": None, "Creator": None, "Description": digest or None}
    )
    return told.getvalue()
