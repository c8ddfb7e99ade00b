"""People in front of a browser: they sign in with a key once, and a cookie stands for it afterwards.

The cookie holds a random token, of which the store has the digest. Scripts cannot read it, other sites cannot
have it sent, and whatever changes something has to come from one of our own pages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cache, partial
from html import escape
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException

from arbiter.adapters.secret_tokens import new_session
from arbiter.domain.access import Scope
from arbiter.errors import ForbiddenError, UnauthorizedError, UnreadableError
from arbiter.interchange.record_in import Name
from arbiter.web.access import Caller, Place, is_origin_of, only_from_here
from arbiter.web.pages.assets import address
from arbiter.web.service import Service, service_of
from arbiter.web.strict import read_body, require_media_type

if TYPE_CHECKING:
    from arbiter.domain.access import ApiKey

COOKIE = "arbiter_session"
HOME, SIGN_IN, SIGN_OUT = "/review", "/review/login", "/review/logout"
_FORM = "application/x-www-form-urlencoded"
_HARMLESS = ("GET", "HEAD", "OPTIONS")
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · arbiter</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="{colours}">
<link rel="stylesheet" href="{style}">
</head>
<body>
<main class="sign-in box">
<p class="home"><img src="{icon}" width="22" height="22" alt=""><strong>arbiter</strong></p>
<h1>Sign in</h1>
{message}<form method="post" action="{action}">
<input type="hidden" name="next" value="{next}">
<p><label for="key">API key</label><br>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus></p>
<p><button class="primary">Sign in</button></p>
</form>
<p class="muted"><code>arbiter keys create</code> makes one; it says who you are and what you may do.</p>
</main>
</body>
</html>
"""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    # Under `no-referrer` browsers would not say from which site the form is sent.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

router = APIRouter(include_in_schema=False)
Served = Annotated[Service, Depends(service_of)]


@cache
def visitor(scope: Scope) -> Callable[[Request], Awaitable[Caller]]:
    """Return the dependency that gives the person in front of a page, whose key holds ``scope``.

    Who is not signed in is led to the form that asks for a key. Otherwise it raises what that of
    ``access.caller`` raises, and ``ForbiddenError`` where another site's page sends what changes something.
    """

    async def visiting(request: Request) -> Caller:
        if request.method not in _HARMLESS:
            from_own_page(request)
        try:
            return await service_of(request).gate.by_session(request, request.cookies.get(COOKIE), scope)
        except UnauthorizedError as error:
            raise _asked_to_sign_in(request) or error from error

    visiting.__name__ = f"visitor_{scope}"
    return visiting


@cache
def visit(scope: Scope) -> Callable[..., Awaitable[Place]]:
    """Return the dependency that gives that person together with the one namespace of the page."""
    known = Depends(visitor(scope))

    async def visited(
        who: Caller = known,
        namespace: Annotated[Name | None, Query()] = None,
    ) -> Place:
        return Place(who, who.within(namespace))

    return visited


def from_own_page(request: Request) -> None:
    """Refuse what a page of another site sends.

    Raises:
        ForbiddenError: it does, or the browser does not say where it comes from.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "")
    own = is_origin_of(origin, request.headers.get("host", "")) if site is None else site == "same-origin"
    if not own:
        raise ForbiddenError("this has to come from one of the service's own pages")


@router.get(SIGN_IN)
async def sign_in_form(
    request: Request, service: Served, onward: Annotated[str, Query(alias="next")] = HOME
) -> Response:
    """Ask for a key; where none is needed, go on."""
    if await service.gate.is_open_now(request):
        return _go(_own_path(onward))
    return _form(_own_path(onward))


@router.post(SIGN_IN)
async def sign_in(request: Request, service: Served) -> Response:
    """Begin a session with the key of the form."""
    from_own_page(request)
    gate = service.gate
    if await gate.is_open_now(request):
        only_from_here(request)
        return _go(HOME)
    require_media_type(request, _FORM)
    fields = _fields(await read_body(request))
    token, onward = fields.get("key", "").strip(), _own_path(fields.get("next", HOME))
    key = await service.run(partial(gate.key_of, token))
    if key is None:
        gate.count(request)
        return _form(onward, "This key does not hold.", status=401)
    answer = _go(onward)
    lifetime = timedelta(hours=service.settings.serve_session_h)
    secret = await service.run(partial(_begin, service, key, lifetime))
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer


@router.post(SIGN_OUT)
async def sign_out(request: Request, service: Served) -> RedirectResponse:
    """End the session of the browser; other processes may take it for good for a few seconds more."""
    from_own_page(request)
    token = request.cookies.get(COOKIE)
    if token:
        await service.run(partial(service.gate.end_session, token))
    answer = _go(SIGN_IN)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _begin(service: Service, key: ApiKey, lifetime: timedelta) -> str:
    context = service.arbiter.context
    now = context.clock()
    session, token = new_session(key, expires_at=now + lifetime)
    context.store.keys.begin_session(session, now)
    return token


def _fields(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=8))
    except ValueError as error:
        raise UnreadableError("the form cannot be read") from error


def _form(onward: str, message: str = "", *, status: int = 200) -> HTMLResponse:
    told = f'<p role="alert">{escape(message)}</p>\n' if message else ""
    page = _PAGE.format(
        message=told,
        action=SIGN_IN,
        next=escape(onward),
        icon=address("icon.svg"),
        colours=address("report.css"),
        style=address("pages.css"),
    )
    return HTMLResponse(page, status, _HEADERS)


def _go(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303, {"Cache-Control": "no-store"})


def _own_path(path: str) -> str:
    """Return a path of our pages: what is asked for, unless it leads elsewhere."""
    inside = path == HOME or path.startswith((f"{HOME}/", f"{HOME}?"))
    return path if inside and path.isascii() and path.isprintable() and "\\" not in path else HOME


def _asked_to_sign_in(request: Request) -> HTTPException | None:
    """Return the way to the form, for a page that is looked at or a part of one that is loaded later."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if "hx-request" in request.headers:
        return HTTPException(401, "sign in first", {"HX-Redirect": SIGN_IN})
    if request.method in _HARMLESS and "text/html" in request.headers.get("accept", ""):
        return HTTPException(303, "sign in first", {"Location": f"{SIGN_IN}?next={quote(path)}"})
    return None
