"""Routes whose errors are pages, too."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from arbiter.errors import ArbiterError
from arbiter.web.pages.render import page
from arbiter.web.problems import problem_of


class PageRoute(APIRoute):
    """A route that tells people in a page what went wrong; scripts and programs get the problem."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request to this route."""
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await handle(request)
            except ArbiterError as error:
                if not wants_page(request):
                    raise
                problem = problem_of(error)
                return page(
                    "error.html.j2", status=problem.status, title=problem.title, detail=problem.detail
                )
            except RequestValidationError:
                if not wants_page(request):
                    raise
                detail = "The address of this page names something that is not valid."
                status = HTTPStatus.UNPROCESSABLE_ENTITY
                return page("error.html.j2", status=status, title=status.phrase, detail=detail)

        return told


def wants_page(request: Request) -> bool:
    """Does whoever asks read pages?"""
    return "text/html" in request.headers.get("accept", "")
