"""What the pages of one viewer share: its ledger, who may use it, and how a template becomes an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.viewer.jobs import Jobs
from judgemesh.mesh.viewer.rendering import rendered
from judgemesh.mesh.viewer.security import Access

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from judgemesh.mesh.ledger.store import Ledger

POLL_S: Final = 2
"""How often a page asks for what is new of a run in progress."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """One viewer. labeler: who gives labels, unless a form says otherwise. read_only: nobody gives any."""

    ledger: Ledger
    access: Access
    labeler: str
    read_only: bool = False
    jobs: Jobs = field(default_factory=Jobs)


def viewer_of(request: Request) -> Viewer:
    """The viewer that a request came to."""
    viewer: Viewer = request.app.state.viewer
    return viewer


def parameter(request: Request, name: str) -> str | None:
    """A parameter of the address; None where it is missing or empty."""
    # PostgreSQL has no NUL in texts: no name holds one.
    return request.query_params.get(name, "").replace("\0", "\ufffd") or None


def page(
    request: Request, template: str, *, status: int = 200, **values: Any
) -> Response:
    """A template as an answer; none of it is kept by the browser."""
    from starlette.responses import HTMLResponse

    viewer = viewer_of(request)
    text = rendered(
        template,
        here=request.url.path,
        ledger_name=viewer.ledger.url,
        form_token=viewer.access.form_token,
        read_only=viewer.read_only,
        poll_s=POLL_S,
        **values,
    )
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


def problem(request: Request, status: int, line: str) -> Response:
    """A page that says in one line what is wrong."""
    return page(request, "problem.html", status=status, line=line)
