"""Templates to answers: escaped throughout, under a policy that lets nothing run or load but what is ours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fastapi.responses import HTMLResponse, RedirectResponse

from arbiter.interchange.report_cards import day, judge_name
from arbiter.web.pages import assets, visible, words

if TYPE_CHECKING:
    from jinja2 import Environment

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Under `no-referrer` browsers would not say from which site a form is sent.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def page(template: str, *, status: int = 200, **shown: object) -> HTMLResponse:
    """Return a page made of a template."""
    return HTMLResponse(_environment().get_template(template).render(status=status, **shown), status, HEADERS)


def go(path: str) -> RedirectResponse:
    """Lead to one of our pages."""
    return RedirectResponse(path, 303, HEADERS)


@cache
def _environment() -> Environment:
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=PackageLoader("arbiter.web.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "seen": visible.seen,
        "plain": visible.plain,
        "count": lambda number: f"{number:,}",
        "percent": _percent,
        "day": day,
        "date": lambda on: f"{on.day} {on:%b}",
        "minute": words.minute,
        "clock_time": words.clock_time,
        "span": words.span,
        "judge_name": judge_name,
        "spaced": lambda code: code.replace("_", " "),
    }
    environment.globals |= {
        "asset": assets.address,
        "kinds": words.KINDS,
        "relations": words.RELATIONS,
        "standing": words.standing,
        "ruled": words.ruled,
        "proposed": words.proposed,
    }
    return environment


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
