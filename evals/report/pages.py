"""A report as pages: Markdown with its plots as files beside it, and one HTML page that holds everything."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from evals.report.sections import Section

_HERE = Path(__file__).parent


def markdown(told: Sequence[Section]) -> str:
    """Return the report in Markdown; plots are links to SVG files beside it."""
    lines = ["# Evaluation"]
    for section in told:
        lines.append(f"## {section.title}")
        for part in section.parts:
            lines.append(f"### {part.title}")
            lines += part.sentences
            lines += [table.markdown() for table in part.tables]
            lines += [f"![{plot.alt}]({plot.name}.svg)" for plot in part.plots]
    return "\n\n".join(lines) + "\n"


def html(told: Sequence[Section]) -> str:
    """Return the report as one HTML page, without scripts and without anything from elsewhere.

    Names of suites and judges are data: all text is escaped, and the page's own policy (CSP) lets a browser
    load nothing and run nothing.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inline"] = _inline
    style = (_HERE / "page.css").read_text("utf-8")
    return environment.get_template("page.html.j2").render(
        sections=told,
        style=style,
        style_digest=b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def write_report(folder: Path, told: Sequence[Section]) -> None:
    """Write ``report.html``, ``report.md`` and the plots into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(html(told), encoding="utf-8")
    (folder / "report.md").write_text(markdown(told), encoding="utf-8")
    for section in told:
        for part in section.parts:
            for plot in part.plots:
                (folder / f"{plot.name}.svg").write_text(plot.svg, encoding="utf-8")


def _inline(svg: str) -> str:
    """Return an image as a data URL."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
