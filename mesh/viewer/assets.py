"""The files that pages load, by name: nothing else of the machine has an address."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_REPORTS: Final = "judgemesh.mesh.reporting.html"
_OWN: Final = "judgemesh.mesh.viewer"
_SCRIPT: Final = "text/javascript"
_STYLE: Final = "text/css"
ASSETS: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "page.css": (_REPORTS, "static/page.css", _STYLE),
        "viewer.css": (_OWN, "static/viewer.css", _STYLE),
        "d3.js": (_REPORTS, "vendor/d3.min.js", _SCRIPT),
        "plot.js": (_REPORTS, "vendor/plot.umd.min.js", _SCRIPT),
        "charts.js": (_REPORTS, "static/charts.js", _SCRIPT),
        "htmx.js": (_OWN, "vendor/htmx.min.js", _SCRIPT),
        "viewer.js": (_OWN, "static/viewer.js", _SCRIPT),
    }
)
"""Package, path and type of each."""


async def asset(request: Request) -> Response:
    """`/assets/NAME`."""
    from starlette.responses import PlainTextResponse, Response

    name = request.path_params["name"]
    if name not in ASSETS:
        return PlainTextResponse("no such file\n", 404)
    kind = ASSETS[name][2]
    # Asked for again by every page view: a newer judgemesh may serve this address tomorrow.
    headers = {"cache-control": "max-age=300"}
    return Response(_content(name), media_type=kind, headers=headers)


@cache
def _content(name: str) -> bytes:
    package, path, _ = ASSETS[name]
    return files(package).joinpath(path).read_bytes()
