"""The OpenAPI document, and for people at ``/docs``: Swagger UI, served from here and not from elsewhere."""

from __future__ import annotations

from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

router = APIRouter(include_in_schema=False)
assets = StaticFiles(directory=Path(fastapi_offline.__file__).parent / "static")

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>arbiter: HTTP API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START = (
    'SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null});\n'
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get("/")
async def home() -> RedirectResponse:
    """Lead whoever opens the address of the service in a browser to its page."""
    return RedirectResponse("/review", headers={"Cache-Control": "no-store"})


@router.get("/openapi.json")
def document(request: Request) -> JSONResponse:
    """Return the document; to make it takes a while, so no other request waits for it."""
    return JSONResponse(request.app.openapi())


@router.get("/docs")
async def page() -> HTMLResponse:
    """Return the page."""
    return HTMLResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})


@router.get("/docs/start.js")
async def start() -> Response:
    """Return the script that starts it."""
    return Response(_START, media_type="text/javascript")
