"""The runs that traces record, one row each, or together by agent, skill, model or day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.analysis.traces import MalformedCount, TraceQuery, priced_traces
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.bounds import Bound, is_at_most
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.sums import MoneySums, single_amount
from judgemesh.mesh.tracing.findings.findings import Finding, findings_of
from judgemesh.mesh.tracing.findings.pattern import Kind

GROUPS: Final = ("agent", "skill", "model", "task", "status", "day")
SORTS: Final = ("cost", "tokens", "steps", "start", "latency", "findings")
UNNAMED: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """One run, or a group of them.

    name: the id of the trace, or what the group has in common.
    cost_unknown: steps of unknown cost, which are not in `cost`.
    bounds: what the costs of the model calls say of what was paid.
    findings: the codes of what was found, dangers first; of a group, all of them.
    """

    name: str
    runs: int = 1
    agent: str = UNNAMED
    skill: str = UNNAMED
    model: str = UNNAMED
    task: str = UNNAMED
    status: str = UNNAMED
    start: datetime | None = None
    steps: int = 0
    tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: tuple[Money, ...] = ()
    cost_unknown: int = 0
    bounds: frozenset[Bound] = frozenset()
    latency_ms: float | None = None
    failed_steps: int = 0
    findings: tuple[str, ...] = ()
    dangers: int = 0

    @property
    def cost_is_at_most(self) -> bool:
        """Whether what was paid can be less than the cost, and cannot be more."""
        return is_at_most(self.bounds)

    @property
    def day(self) -> str:
        """The day on which the run began."""
        return UNNAMED if self.start is None else f"{self.start:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class TraceList:
    """The rows to show, and how many there are."""

    rows: tuple[ListedRun, ...]
    total: int
    malformed: MalformedCount


async def list_traces(
    query: TraceQuery, *, group_by: str | None, sort: str, limit: int
) -> TraceList:
    """List the runs of traces.

    group_by: one of `GROUPS`. sort: one of `SORTS`, the largest or latest first.
    limit: how many rows; 0 for all.

    Raises:
        ConfigError: an unknown group or order.
        InputError: a file cannot be read, or there is no such trace.
        LedgerError: the ledger cannot be read.
    """
    _check("--group-by", group_by, GROUPS)
    _check("--sort", sort, SORTS)
    malformed = MalformedCount()
    runs = [listed_run(trace) async for trace in priced_traces(query, malformed)]
    if group_by is not None:
        runs = _grouped(runs, group_by)
    runs.sort(key=lambda run: run.name)
    runs.sort(key=lambda run: _order(run, sort), reverse=True)
    return TraceList(tuple(runs[: limit or None]), len(runs), malformed)


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """One trace with its bill and its findings."""

    trace: Trace
    bill: Bill
    findings: tuple[Finding, ...]
    malformed: MalformedCount


async def one_trace(query: TraceQuery) -> ShownTrace:
    """The first trace that is asked for.

    Raises:
        ConfigError: several traces begin with the id.
        InputError: a file cannot be read, or there is no such trace.
        LedgerError: the ledger cannot be read.
    """
    malformed = MalformedCount()
    found: list[Trace] = []
    async for trace in priced_traces(query, malformed):
        if query.trace_id is None or trace.trace_id == query.trace_id:
            found = [trace]
            break
        found.append(trace)
        if len(found) > 1:
            ids = " and ".join(trace.trace_id for trace in found)
            problem = f"{query.trace_id!r} is the beginning of several ids: {ids}"
            raise ConfigError(problem, where=query.name)
    bill = bill_of(found[0])
    return ShownTrace(found[0], bill, findings_of(found[0], bill), malformed)


def _check(option: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise ConfigError(f"{option} is one of {', '.join(known)}, not {value!r}")


def listed_run(trace: Trace) -> ListedRun:
    """The row of one priced trace."""
    bill = bill_of(trace)
    totals = bill.totals
    findings = findings_of(trace, bill)
    agents = [step.agent_id for step in trace.steps if step.agent_id]
    return ListedRun(
        name=trace.trace_id,
        agent=trace.agent_id or next(iter(agents), UNNAMED),
        skill=trace.skill_id or UNNAMED,
        model=", ".join(bill.models) or UNNAMED,
        task=trace.task_id or UNNAMED,
        status=trace.status or UNNAMED,
        start=totals.start_time,
        steps=totals.steps,
        tokens=totals.tokens,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens + totals.reasoning_tokens,
        cost=totals.cost,
        cost_unknown=totals.cost_unknown_steps,
        bounds=bill.bounds,
        latency_ms=totals.latency_ms,
        failed_steps=sum(row.failed for row in bill.by_state),
        findings=tuple(finding.code for finding in findings),
        dangers=sum(finding.kind is Kind.DANGER for finding in findings),
    )


def _grouped(runs: Iterable[ListedRun], group_by: str) -> list[ListedRun]:
    groups: dict[str, list[ListedRun]] = {}
    for run in runs:
        name: str = getattr(run, group_by)
        groups.setdefault(name, []).append(run)
    return [_group(name, members) for name, members in groups.items()]


def _group(name: str, runs: Sequence[ListedRun]) -> ListedRun:
    cost = MoneySums()
    findings: list[str] = []
    for run in runs:
        cost.add_all(run.cost)
        findings += run.findings
    starts = [run.start for run in runs if run.start is not None]
    latencies = [run.latency_ms for run in runs if run.latency_ms is not None]
    return ListedRun(
        name=name,
        runs=len(runs),
        start=min(starts, default=None),
        steps=sum(run.steps for run in runs),
        tokens=sum(run.tokens for run in runs),
        input_tokens=sum(run.input_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        cost=cost.money,
        cost_unknown=sum(run.cost_unknown for run in runs),
        bounds=frozenset(bound for run in runs for bound in run.bounds),
        latency_ms=sum(latencies) if latencies else None,
        failed_steps=sum(run.failed_steps for run in runs),
        findings=tuple(findings),
        dangers=sum(run.dangers for run in runs),
    )


def _order(run: ListedRun, sort: str) -> tuple[Decimal | float, int]:
    """What a row is sorted by; its tokens where that is equal."""
    values: dict[str, Decimal | float] = {
        "cost": single_amount(run.cost),
        "tokens": run.tokens,
        "steps": run.steps,
        "start": 0.0 if run.start is None else run.start.timestamp(),
        "latency": run.latency_ms or 0.0,
        "findings": len(run.findings) + 1000 * run.dangers,
    }
    return values[sort], run.tokens
