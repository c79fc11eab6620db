"""Traces of files or a ledger, priced one after another: their bill, their patterns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.sections.tools import Tool
from judgemesh.contracts.tracing import Access, Trace
from judgemesh.mesh.analysis.run_lookup import run_of
from judgemesh.mesh.analysis.trace_outcomes import TraceOutcomes, trace_outcomes_of
from judgemesh.mesh.grading.contract_check.check import load_contracts
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.builder import BillBuilder
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.findings.findings import Finding, findings_of
from judgemesh.mesh.tracing.findings.registry import accesses_of, with_accesses
from judgemesh.mesh.tracing.findings.suggestions import Suggestions
from judgemesh.mesh.tracing.findings.totals import PatternTotals
from judgemesh.mesh.tracing.readers.ingest import paths_of, read_traces

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_KEPT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceQuery:
    """Which traces are read: those of files, or those of a ledger.

    trace_id: only that one; the beginning of its id is enough.
    since, until: only runs that began at that time or after, or before.
    agent, skill: only runs with a step of that agent, or of that skill.
    contracts: whose registries of tools say which of them write.

    Raises:
        ConfigError: both, or neither, are given.
    """

    files: tuple[Path, ...] = ()
    ledger: str | None = None
    trace_id: str | None = None
    format: str = "auto"
    prices: Path | None = None
    since: datetime | None = None
    until: datetime | None = None
    agent: str | None = None
    skill: str | None = None
    contracts: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.files) == (self.ledger is not None):
            raise ConfigError(
                "give trace files, or --ledger URL",
                hint="judgemesh trace bill trace.jsonl",
            )

    def takes(self, trace: Trace) -> bool:
        """Whether a trace is one of those that are asked for."""
        if self.trace_id is not None and not trace.trace_id.startswith(self.trace_id):
            return False
        return self._is_in_time(trace) and self._is_of(trace)

    def _is_in_time(self, trace: Trace) -> bool:
        if self.since is None and self.until is None:
            return True
        starts = [step.start_time for step in trace.steps if step.start_time]
        start = trace.start_time or min(starts, default=None)
        if start is None:
            return False
        is_late_enough = self.since is None or start >= self.since
        return is_late_enough and (self.until is None or start < self.until)

    def _is_of(self, trace: Trace) -> bool:
        agents = {trace.agent_id, *(step.agent_id for step in trace.steps)}
        if self.agent is not None and self.agent not in agents:
            return False
        skills = {trace.skill_id, *(step.skill_id for step in trace.steps)}
        return self.skill is None or self.skill in skills

    @property
    def is_narrowed(self) -> bool:
        """Whether only some of the traces are asked for, other than by id."""
        parts = (self.since, self.until, self.agent, self.skill)
        return any(part is not None for part in parts)

    @property
    def name(self) -> str:
        """The ledger, or the files."""
        return self.ledger or ", ".join(map(str, self.files))


@dataclass(slots=True)
class MalformedCount:
    """Parts of traces that could not be read: how many, and the first as text."""

    count: int = 0
    problems: list[str] = field(default_factory=list[str])

    def __call__(self, problem: str) -> None:
        """Count a problem."""
        self.count += 1
        if len(self.problems) < _MAX_KEPT:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class TraceBill:
    """The bill of all traces, and their first findings."""

    bill: Bill
    findings: list[Finding]
    malformed: MalformedCount


@dataclass(frozen=True, slots=True)
class TraceFindings:
    """The patterns of all traces.

    first: the findings of the first trace that has any.
    findings, suggestions: every finding, and the changes they suggest together, where
        asked for.
    outcomes: the graded run of the ledger by states; None without a ledger or a run.
    """

    totals: PatternTotals
    first: list[Finding]
    findings: list[Finding]
    suggestions: list[dict[str, Any]]
    outcomes: TraceOutcomes | None
    malformed: MalformedCount


async def trace_bill(query: TraceQuery, *, with_findings: bool) -> TraceBill:
    """Add up what the traces used and cost.

    Raises:
        InputError: a file cannot be read, or there is no such trace.
        LedgerError: the ledger cannot be read.
    """
    builder, malformed = BillBuilder(), MalformedCount()
    findings: list[Finding] = []
    async with AsyncExitStack() as stack:
        ledger = await _opened(query, stack)
        async for trace in _priced(query, ledger, malformed):
            builder.add(trace)
            if with_findings and len(findings) < _MAX_KEPT:
                findings += findings_of(trace)
    return TraceBill(builder.bill(), findings[:_MAX_KEPT], malformed)


async def trace_findings(
    query: TraceQuery, *, run: str | None, with_suggestions: bool
) -> TraceFindings:
    """Find cost patterns in the traces.

    Raises:
        InputError: a file cannot be read, or there is no such trace or run.
        LedgerError: the ledger cannot be read.
    """
    totals, malformed = PatternTotals(), MalformedCount()
    first: list[Finding] = []
    kept: list[Finding] = []
    suggestions = Suggestions()
    outcomes: TraceOutcomes | None = None
    async with AsyncExitStack() as stack:
        ledger = await _opened(query, stack)
        async for trace in _priced(query, ledger, malformed):
            findings = list(findings_of(trace))
            totals.add(findings)
            first = first or findings
            if with_suggestions:
                kept += findings
                suggestions.add(findings, trace)
        if ledger is not None and await ledger.runs():
            graded = await run_of(ledger, run)
            outcomes = await trace_outcomes_of(ledger, graded.run_id)
    patches = suggestions.patches()
    return TraceFindings(totals, first, kept, patches, outcomes, malformed)


async def priced_traces(
    query: TraceQuery, malformed: MalformedCount
) -> AsyncIterator[Trace]:
    """The traces that are asked for, with their costs, one after another.

    Raises:
        InputError: a file cannot be read, or there is no such trace.
        LedgerError: the ledger cannot be read.
    """
    async with AsyncExitStack() as stack:
        ledger = await _opened(query, stack)
        async for trace in _priced(query, ledger, malformed):
            yield trace


async def _opened(query: TraceQuery, stack: AsyncExitStack) -> Ledger | None:
    if query.ledger is None:
        return None
    ledger = await Ledger.open(query.ledger, read_only=True)
    return await stack.enter_async_context(ledger)


async def _priced(
    query: TraceQuery, ledger: Ledger | None, malformed: MalformedCount
) -> AsyncIterator[Trace]:
    book = PriceBook.bundled(user_file=query.prices)
    accesses = _accesses(query.contracts)
    is_empty = True
    async for trace in _read(query, ledger, malformed):
        if query.takes(trace):
            is_empty = False
            yield with_accesses(priced(trace, book), accesses)
    if is_empty:
        name = "" if query.trace_id is None else f" {query.trace_id!r}"
        if query.is_narrowed:
            name += " of that time, agent and skill"
        hint = "`judgemesh trace import` puts traces there" if query.ledger else None
        raise ConfigError(f"holds no trace{name}", where=query.name, hint=hint)


def _accesses(contracts: tuple[Path, ...]) -> dict[str, Access]:
    tools: list[Tool] = []
    if contracts:
        for loaded in load_contracts(contracts).contracts:
            if loaded.contract.tools is not None:
                tools += loaded.contract.tools.registry
    return accesses_of(tools)


async def _read(
    query: TraceQuery, ledger: Ledger | None, malformed: MalformedCount
) -> AsyncIterator[Trace]:
    if ledger is None:
        for trace in _read_files(query, malformed):
            yield trace
    elif query.trace_id is None:
        async for trace in ledger.traces():
            yield trace
    else:
        stored = await ledger.trace(query.trace_id)
        if stored is not None:
            yield stored
            return
        async for trace in ledger.traces():
            yield trace


def _read_files(query: TraceQuery, malformed: MalformedCount) -> Iterator[Trace]:
    paths = paths_of(query.files)
    return read_traces(paths, format=query.format, on_malformed=malformed)
