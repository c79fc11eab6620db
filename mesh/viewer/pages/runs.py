"""The list of runs, and one run: its figures, its failures over time, its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.report import Gate
from judgemesh.mesh.viewer.charts import codes_chart, gates_chart, gates_over_time
from judgemesh.mesh.viewer.paging import Key, decoded
from judgemesh.mesh.viewer.queries import figures, lists
from judgemesh.mesh.viewer.queries.lists import ListedRun, ResultsFilter
from judgemesh.mesh.viewer.queries.rows import ShownRow, shown_rows
from judgemesh.mesh.viewer.rendering import address
from judgemesh.mesh.viewer.viewer import page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

RUNS_A_PAGE: Final = 50
RESULTS_A_PAGE: Final = 50
CODES_SHOWN: Final = 12
_FIGURES: Final = "figures"
_PARTS: Final = {_FIGURES: "run_figures.html", "results": "run_results.html"}
"""Parts of the page of a run that are asked for by themselves while it is in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """What the first screen of a run shows."""

    gates: figures.GateFigures
    days: Sequence[tuple[str, figures.GateFigures]]
    codes: Sequence[figures.CodeFigures]
    agent: figures.AgentCostFigures | None
    evaluator: Sequence[figures.CostFigures]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPart:
    """One page of the results of a run. next: the address of the page after it."""

    where: ResultsFilter
    rows: Sequence[ShownRow]
    next: str | None
    is_first: bool


async def runs(request: Request) -> Response:
    """`/`: the runs of the ledger, the newest first."""
    after = decoded(parameter(request, "after"), 2)
    if after is not None and not lists.is_run_key(after):
        return problem(request, 400, "no list of runs goes on there")

    def read(connection: Connection) -> tuple[Any, Any, Any]:
        found = lists.runs_page(connection, after, RUNS_A_PAGE)
        ids = [run.run_id for run in found.rows]
        costs = {row.run_id: row for row in figures.agent_costs(connection, ids)}
        return found, figures.gates_by_run(connection, ids), costs

    found, gates, costs = await viewer_of(request).ledger.ask(read)
    return page(
        request,
        "runs.html",
        runs=found.rows,
        gates=gates,
        costs=costs,
        next=found.next and address("/", after=found.next),
        nothing=figures.GateFigures(),
        is_first=after is None,
    )


async def run(request: Request) -> Response:
    """`/run?id=`: one run."""
    run_id = parameter(request, "id") or ""
    where = _filter(request)
    if isinstance(where, str):
        return problem(request, 400, where)
    after = decoded(parameter(request, "after"), 2)
    wanted = parameter(request, "part")

    def read(
        connection: Connection,
    ) -> tuple[ListedRun, RunFigures, ResultsPart] | None:
        found = lists.listed_run(connection, run_id)
        if found is None:
            return None
        size = 0 if wanted == _FIGURES else RESULTS_A_PAGE
        part = _results(connection, run_id, where, after, size)
        return found, _figures(connection, run_id), part

    answer = await viewer_of(request).ledger.ask(read)
    if answer is None:
        return problem(request, 404, f"the ledger has no run {run_id!r}")
    found, numbers, part = answer
    template = _PARTS.get(wanted or "", "run.html")
    codes = numbers.codes[:CODES_SHOWN]
    return page(
        request,
        template,
        run=found,
        numbers=numbers,
        part=part,
        gates=Gate,
        all_codes=numbers.codes,
        attributions=attributions([row.code for row in numbers.codes]),
        gate_bars=gates_chart(numbers.gates),
        code_bars=codes_chart(codes),
        over_time=gates_over_time(numbers.days),
        **_addresses(run_id, where),
    )


def attributions(codes: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Whose failure each code is, and what it means; nothing for codes that this version does not know."""
    known = {code.value for code in FailureCode}
    found: dict[str, tuple[str, str]] = {}
    for code in codes:
        if code in known:
            info = CODES[FailureCode(code)]
            found[code] = (info.attribution.value, info.meaning)
    return found


def _figures(connection: Connection, run_id: str) -> RunFigures:
    agent = figures.agent_costs(connection, [run_id])
    return RunFigures(
        gates=figures.gates_of(connection, run_id),
        days=figures.gates_by_day(connection, run_id),
        codes=figures.codes_of(connection, run_id),
        agent=agent[0] if agent else None,
        evaluator=figures.evaluator_costs(connection, run_id, "run_id"),
    )


def _results(
    connection: Connection,
    run_id: str,
    where: ResultsFilter,
    after: Key | None,
    size: int,
) -> ResultsPart:
    found = lists.results_page(connection, run_id, where, after, size)
    rows = shown_rows(connection, found.rows)
    following = None
    if found.next is not None:
        following = address("/run", id=run_id, **_named(where), after=found.next)
    return ResultsPart(where=where, rows=rows, next=following, is_first=after is None)


def _filter(request: Request) -> ResultsFilter | str:
    """What the address restricts the list to; a text says why it cannot."""
    gate = parameter(request, "gate")
    if gate is not None and gate not in set(Gate):
        return f"no gate is called {gate!r}; there is {', '.join(Gate)}"
    return ResultsFilter(
        gate=None if gate is None else Gate(gate),
        code=parameter(request, "code"),
        task=parameter(request, "task"),
        prefix=(parameter(request, "q") or "").strip(),
    )


def _named(where: ResultsFilter) -> dict[str, str | None]:
    """A filter as the parameters of an address."""
    gate = where.gate.value if where.gate is not None else None
    return {"gate": gate, "code": where.code, "task": where.task, "q": where.prefix}


def _addresses(run_id: str, where: ResultsFilter) -> dict[str, Any]:
    """Where the links of the page lead."""
    own = partial(address, "/run", id=run_id)
    changes: dict[str, ResultsFilter] = {"": replace(where, gate=None)}
    changes |= {gate.value: replace(where, gate=gate) for gate in lists.GATES}
    return {
        "part_address": own(**_named(where)),
        "clear_address": own(),
        "gate_addresses": {
            name: own(**_named(other)) for name, other in changes.items()
        },
    }
