"""The failure dashboard and the cost dashboard, of one run or of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.reporting.text import amount
from judgemesh.mesh.viewer import charts
from judgemesh.mesh.viewer.pages.runs import CODES_SHOWN, RUNS_A_PAGE, attributions
from judgemesh.mesh.viewer.queries import figures, lists
from judgemesh.mesh.viewer.viewer import page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

CHECKS_SHOWN: Final = 50
CODES_OVER_TIME: Final = 6


async def failures(request: Request) -> Response:
    """`/failures`: how the rate moves, which codes and checks fail."""
    run_id = parameter(request, "run")

    def read(connection: Connection) -> dict[str, Any] | None:
        known = lists.runs_page(connection, None, RUNS_A_PAGE).rows
        if run_id is not None and lists.listed_run(connection, run_id) is None:
            return None
        codes = figures.codes_of(connection, run_id)
        frequent = [row.code for row in codes[:CODES_OVER_TIME] if row.as_primary]
        return {
            "runs": known,
            "numbers": figures.gates_of(connection, run_id),
            "days": figures.gates_by_day(connection, run_id),
            "codes": codes,
            "frequent": frequent,
            "codes_by_day": figures.codes_by_day(connection, run_id, frequent),
            "checks": figures.checks_of(connection, run_id, CHECKS_SHOWN),
        }

    found = await viewer_of(request).ledger.ask(read)
    if found is None:
        return problem(request, 404, f"the ledger has no run {run_id!r}")
    over_time, legend = charts.codes_over_time(found["codes_by_day"], found["frequent"])
    return page(
        request,
        "failures.html",
        **found,
        run_id=run_id,
        attributions=attributions([row.code for row in found["codes"]]),
        rate_over_time=charts.gates_over_time(found["days"]),
        code_bars=charts.codes_chart(found["codes"][:CODES_SHOWN]),
        code_lines=over_time,
        legend_of_codes=legend,
    )


async def costs(request: Request) -> Response:
    """`/costs`: what the agents cost, by run and by state, and what the evaluation costs."""
    run_id = parameter(request, "run")

    def read(connection: Connection) -> dict[str, Any] | None:
        known = lists.runs_page(connection, None, RUNS_A_PAGE).rows
        if run_id is not None and lists.listed_run(connection, run_id) is None:
            return None
        ids = [run_id] if run_id is not None else [run.run_id for run in known]
        return {
            "runs": known,
            "agent": figures.agent_costs(connection, ids),
            "states": figures.state_costs(connection),
            "models": figures.evaluator_costs(connection, run_id, "model"),
            "validators": figures.evaluator_costs(connection, run_id, "validator_name"),
            "days": figures.evaluator_costs(connection, run_id, "day"),
        }

    found = await viewer_of(request).ledger.ask(read)
    if found is None:
        return problem(request, 404, f"the ledger has no run {run_id!r}")
    return page(
        request,
        "costs.html",
        **found,
        run_id=run_id,
        state_charts=_by_currency(found["states"]),
        model_charts=_by_currency(found["models"]),
        day_charts={
            currency: charts.costs_over_time(rows)
            for currency, rows in _split(found["days"]).items()
        },
    )


def _by_currency(rows: Sequence[figures.CostFigures]) -> dict[str, charts.Chart]:
    """A chart for each currency: amounts of two currencies are never on one axis."""
    found: dict[str, charts.Chart] = {}
    for currency, own in _split(rows).items():
        texts = {position: amount(row.cost) for position, row in enumerate(own)}
        found[currency] = charts.costs_chart(own, texts)
    return found


def _split(rows: Sequence[figures.CostFigures]) -> dict[str, list[figures.CostFigures]]:
    found: dict[str, list[figures.CostFigures]] = {}
    for row in rows:
        if row.cost is not None and row.cost.amount:
            found.setdefault(row.cost.currency, []).append(row)
    return found
