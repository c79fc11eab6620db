"""`/judges`: whether the judges can be trusted: calibration against labels, drift, errors, cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from judgemesh.mesh.calibration.reliability import (
    Bin,
    expected_calibration_error,
    reliability_table,
)
from judgemesh.mesh.judging.confidence.active import ALARM
from judgemesh.mesh.viewer.charts import Chart
from judgemesh.mesh.viewer.pages.runs import RUNS_A_PAGE
from judgemesh.mesh.viewer.queries import figures, lists
from judgemesh.mesh.viewer.queries.judges import (
    LabelledOpinion,
    labelled_opinions,
    newest_calibrations,
)
from judgemesh.mesh.viewer.viewer import page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from judgemesh.mesh.ledger.labels import CalibrationRow


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReliability:
    """The claims of a judge against people's labels. error: expected calibration error. calibrated: opinions with a
    calibrated probability; the others claim their stability."""

    model: str
    labels: int
    right: int
    calibrated: int
    bins: Sequence[Bin]
    error: float
    chart: Chart


async def judges(request: Request) -> Response:
    """The page; what needs the labels comes as a part of it once it is worked out."""
    run_id = parameter(request, "run")
    viewer = viewer_of(request)

    def read(connection: Connection) -> dict[str, Any] | None:
        if run_id is not None and lists.listed_run(connection, run_id) is None:
            return None
        calibrations = newest_calibrations(connection)
        return {
            "runs": lists.runs_page(connection, None, RUNS_A_PAGE).rows,
            "models": figures.evaluator_costs(connection, run_id, "model"),
            "calibrations": [row for row in calibrations if row.method != ALARM],
            "alarms": [row for row in calibrations if row.method == ALARM],
        }

    found = await viewer.ledger.ask(read)
    if found is None:
        return problem(request, 404, f"the ledger has no run {run_id!r}")
    work = partial(labelled_opinions, run_id=run_id)
    opinions = await viewer.jobs.answer(
        ("labels", run_id, _newest(found["calibrations"])),
        lambda: viewer.ledger.ask(work),
    )
    return page(
        request,
        "judges_part.html" if parameter(request, "part") else "judges.html",
        **found,
        run_id=run_id,
        reliabilities=None if opinions is None else reliabilities(opinions),
    )


def reliabilities(opinions: Sequence[LabelledOpinion]) -> list[JudgeReliability]:
    """A reliability diagram for each judge, the one with most labels first."""
    by_model: dict[str, list[LabelledOpinion]] = {}
    for opinion in opinions:
        by_model.setdefault(opinion.model, []).append(opinion)
    ordered = sorted(by_model.items(), key=lambda item: (-len(item[1]), item[0]))
    return [_reliability(model, rows) for model, rows in ordered]


def _reliability(model: str, rows: Sequence[LabelledOpinion]) -> JudgeReliability:
    claims, truth = [row.claimed for row in rows], [row.is_right for row in rows]
    bins = reliability_table(claims, truth)
    points = [
        {
            "x": row.claimed,
            "y": row.observed,
            "group": "model",
            "text": f"claimed {row.claimed:.2f}, right {row.observed:.2f} of {row.count:,}",
        }
        for row in bins
    ]
    chart: Chart = {
        "rows": points,
        "diagonal": True,
        "x": "claimed probability of being right",
        "y": "share that was right",
    }
    return JudgeReliability(
        model=model,
        labels=len(rows),
        right=sum(truth),
        calibrated=sum(row.is_calibrated for row in rows),
        bins=bins,
        error=expected_calibration_error(claims, truth),
        chart=chart,
    )


def _newest(rows: Sequence[CalibrationRow]) -> str:
    return rows[0].created_at.isoformat() if rows else ""
