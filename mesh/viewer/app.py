"""The viewer as an ASGI application: which address shows which page."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.viewer.assets import asset
from judgemesh.mesh.viewer.pages.compare import compare
from judgemesh.mesh.viewer.pages.dashboards import costs, failures
from judgemesh.mesh.viewer.pages.judges import judges
from judgemesh.mesh.viewer.pages.labels import labels, save
from judgemesh.mesh.viewer.pages.results import result
from judgemesh.mesh.viewer.pages.runs import run, runs
from judgemesh.mesh.viewer.security import Guard
from judgemesh.mesh.viewer.viewer import Viewer, problem

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp


def create_app(viewer: Viewer) -> ASGIApp:
    """The application of a viewer, behind its guard. The ledger stays its caller's: whoever opened it closes it."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        yield
        await viewer.jobs.close()

    app = Starlette(
        routes=[
            Route("/", runs),
            Route("/run", run),
            Route("/result", result),
            Route("/compare", compare),
            Route("/failures", failures),
            Route("/costs", costs),
            Route("/judges", judges),
            Route("/labels", labels, methods=["GET"]),
            Route("/labels", save, methods=["POST"]),
            Route("/assets/{name}", asset),
        ],
        exception_handlers={
            404: _missing,
            405: _wrong_method,
            LedgerError: _unreadable,
        },
        lifespan=lifespan,
    )
    app.state.viewer = viewer
    return Guard(app, viewer.access)


async def _missing(request: Request, _: Any) -> Response:
    return problem(request, 404, "there is no such page")


async def _wrong_method(request: Request, _: Any) -> Response:
    return problem(request, 405, "this page is only for reading")


async def _unreadable(request: Request, error: Any) -> Response:
    return problem(request, 503, str(error))
