"""Style sheets, script and icon of the pages. Their addresses change with what they hold, so they keep."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources

from fastapi import APIRouter, Response

from arbiter.errors import NotFoundError

router = APIRouter(include_in_schema=False)
PLACE = "/review/assets"
_FILES = {
    # The pages are of one family with the report of a scan.
    "report.css": ("arbiter", "assets/report.css", "text/css; charset=utf-8"),
    "pages.css": ("arbiter.web.pages", "static/pages.css", "text/css; charset=utf-8"),
    "item.css": ("arbiter.web.pages", "static/item.css", "text/css; charset=utf-8"),
    "dashboard.css": ("arbiter.web.pages", "static/dashboard.css", "text/css; charset=utf-8"),
    "pages.js": ("arbiter.web.pages", "static/pages.js", "text/javascript; charset=utf-8"),
    "icon.svg": ("arbiter.web.pages", "static/icon.svg", "image/svg+xml"),
}
_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


@cache
def address(name: str) -> str:
    """Return the address of an asset."""
    return f"{PLACE}/{name}?v={sha256(_read(name)).hexdigest()[:12]}"


@router.get(f"{PLACE}/{{name}}")
async def asset(name: str) -> Response:
    """Serve one."""
    if name not in _FILES:
        raise NotFoundError("there is no such asset")
    return Response(_read(name), media_type=_FILES[name][2], headers=_HEADERS)


@cache
def _read(name: str) -> bytes:
    package, path, _ = _FILES[name]
    return resources.files(package).joinpath(path).read_bytes()
