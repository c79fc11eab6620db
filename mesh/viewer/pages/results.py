"""`/result?run=&id=`: one result in full, and the form that labels it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.results.loading import result_page_of
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.viewer.queries.results import has_result, labels_of, runs_with
from judgemesh.mesh.viewer.viewer import page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response


async def result(request: Request) -> Response:
    """The page; of a damaged result what is left of it, undecided."""
    viewer = viewer_of(request)
    run_id, result_id = parameter(request, "run") or "", parameter(request, "id") or ""

    def read(connection: Connection) -> tuple[bool, Any, Any]:
        found = has_result(connection, eval_id_of(run_id, result_id))
        return found, labels_of(connection, result_id), runs_with(connection, result_id)

    found, labels, others = await viewer.ledger.ask(read)
    if not found:
        return problem(request, 404, f"run {run_id!r} has no result {result_id!r}")
    shown, damage = None, ""
    try:
        shown = await result_page_of(viewer.ledger, run_id, result_id)
    except LedgerError as error:
        damage = str(error)
    return page(
        request,
        "result.html",
        run_id=run_id,
        result_id=result_id,
        result=shown,
        damage=damage,
        labels=labels,
        others=[name for name in others if name != run_id],
        classes=[each.value for each in OutcomeClass],
        labeler=parameter(request, "labeler") or viewer.labeler,
    )
