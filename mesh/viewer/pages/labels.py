"""The queue of questions for people, and the forms that write their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.results.loading import result_page_of
from judgemesh.mesh.ledger.labels import HumanLabel
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.viewer.pages.runs import RUNS_A_PAGE
from judgemesh.mesh.viewer.queries import lists
from judgemesh.mesh.viewer.queries.results import has_result
from judgemesh.mesh.viewer.queue import Queue, make_queue
from judgemesh.mesh.viewer.rendering import address
from judgemesh.mesh.viewer.security import form_of
from judgemesh.mesh.viewer.viewer import Viewer, page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from judgemesh.mesh.analysis.results.result_page import ResultPage

_ALLOWED: Final[Mapping[str, Sequence[str]]] = {
    "label": ("yes", "no"),
    "outcome_class": tuple(each.value for each in OutcomeClass),
}
_LIMITS: Final[Mapping[str, int]] = {"note": 2_000, "labeler": 100}
_FIELDS: Final = (
    "result_id",
    "run_id",
    "task_id",
    "validator_name",
    "question_id",
    "labeler",
    "label",
    "outcome_class",
    "note",
)
"""Fields of a form that are fields of a label."""
_KIND: Final = "queue"


async def labels(request: Request) -> Response:
    """`/labels?run=&at=`: the next question that a label helps most."""
    viewer = viewer_of(request)
    run_id = parameter(request, "run")

    def read(connection: Connection) -> Any:
        return lists.runs_page(connection, None, RUNS_A_PAGE).rows

    known = await viewer.ledger.ask(read)
    if run_id is None and known:
        run_id = known[0].run_id
    if run_id is None:
        return problem(request, 404, "the ledger has no run yet")
    if await viewer.ledger.ask(partial(lists.listed_run, run_id=run_id)) is None:
        return problem(request, 404, f"the ledger has no run {run_id!r}")
    queue = await _queue(viewer, run_id)
    at = None if queue is None else queue.next(_position(parameter(request, "at")))
    row = None if queue is None or at is None else queue.rows[at]
    result, damage = None, ""
    if row is not None:
        result, damage = await _result(viewer, run_id, row.result_id)
    labeler = parameter(request, "labeler") or viewer.labeler
    return page(
        request,
        "labels_part.html" if parameter(request, "part") else "labels.html",
        runs=known,
        run_id=run_id,
        queue=queue,
        at=at,
        row=row,
        result=result,
        damage=damage,
        labeler=labeler,
        said=parameter(request, "said"),
        addresses=_addresses(run_id, at, labeler),
    )


async def save(request: Request) -> Response:
    """`POST /labels`: write one label, then go on."""
    viewer = viewer_of(request)
    if viewer.read_only:
        return problem(request, 403, "this viewer was started with --read-only")
    fields = {
        name: values[-1] for name, values in form_of(await request.body()).items()
    }
    try:
        label = _label(fields)
    except ValueError as error:
        return problem(request, 400, str(error))
    eval_id = eval_id_of(label.run_id or "", label.result_id)
    if not await viewer.ledger.ask(partial(has_result, eval_id=eval_id)):
        return problem(request, 404, f"the run has no result {label.result_id!r}")
    await viewer.ledger.write_labels([label])
    return await _go_on(viewer, label, fields)


async def _go_on(
    viewer: Viewer, label: HumanLabel, fields: Mapping[str, str]
) -> Response:
    """To the next question, or back to the result that was labelled as a whole."""
    from starlette.responses import RedirectResponse

    if label.question_id is None:
        where = address("/result", run=label.run_id, id=label.result_id)
        return RedirectResponse(where, status_code=303)
    at = _position(fields.get("at"))
    queue = await _queue(viewer, label.run_id or "")
    if queue is not None:
        for position, row in enumerate(queue.rows):
            if (row.result_id, row.question_id) == (label.result_id, label.question_id):
                queue.answered.add(position)
        if queue.next(0) is None:
            viewer.jobs.forget(_KIND)
    where = address(
        "/labels",
        run=label.run_id,
        at=str(at + 1),
        labeler=label.labeler,
        said=f"{label.label} for {label.result_id}",
    )
    return RedirectResponse(where, status_code=303)


def _label(fields: Mapping[str, str]) -> HumanLabel:
    """The label of a form.

    Raises:
        ValueError: what is wrong with it.
    """
    texts = _filled(fields)
    if {"label", "outcome_class"}.isdisjoint(texts):
        raise ValueError("a label needs an answer: label or outcome_class")
    for name, allowed in _ALLOWED.items():
        if name in texts and texts[name] not in allowed:
            raise ValueError(
                f"{name} is {texts[name]!r}, expected {', '.join(allowed)}"
            )
    for name in ("run_id", "result_id", "labeler"):
        if name not in texts:
            raise ValueError(f"a label needs a {name}")
    if "label" in texts and "question_id" not in texts:
        raise ValueError("a label answers a question: question_id is missing")
    for name, limit in _LIMITS.items():
        if len(texts.get(name, "")) > limit:
            raise ValueError(f"{name} is longer than {limit} characters")
    known: dict[str, Any] = {name: texts[name] for name in _FIELDS if name in texts}
    return HumanLabel(created_at=datetime.now(UTC), drawn="chosen", **known)


def _filled(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields that are not empty."""
    texts: dict[str, str] = {}
    for name, value in fields.items():
        text = value.replace("\0", "\ufffd").strip()
        if text:
            texts[name] = text
    return texts


async def _queue(viewer: Viewer, run_id: str) -> Queue | None:
    """The queue of a run; None while it is being made."""
    return await viewer.jobs.answer(
        (_KIND, run_id), lambda: make_queue(viewer.ledger, run_id)
    )


async def _result(
    viewer: Viewer, run_id: str, result_id: str
) -> tuple[ResultPage | None, str]:
    try:
        return await result_page_of(viewer.ledger, run_id, result_id), ""
    except LedgerError as error:
        return None, str(error)


def _addresses(run_id: str, at: int | None, labeler: str) -> dict[str, str]:
    own = partial(address, "/labels", run=run_id, labeler=labeler)
    found = {"part": own(part="1"), "here": own()}
    if at is not None:
        found["skip"] = own(at=str(at + 1))
    return found


def _position(text: str | None) -> int:
    return (
        int(text)
        if text is not None and text.isascii() and text.isdigit() and len(text) < 9
        else 0
    )
