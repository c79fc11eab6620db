"""Adds up the bill of priced traces. Pure; nothing depends on the order of steps.

Steps count with the costs they have: see `cost.priced`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, RunTotals, StateType, Step, Trace
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow
from judgemesh.mesh.tracing.bill.context_rows import ContextSums
from judgemesh.mesh.tracing.bill.implied_prices import implied_prices
from judgemesh.mesh.tracing.bill.metrics import MetricSums
from judgemesh.mesh.tracing.bill.model_calls import calls_of
from judgemesh.mesh.tracing.bill.split import StepSplitter, in_order
from judgemesh.mesh.tracing.bill.step_sums import StepSums
from judgemesh.mesh.tracing.bill.sums import MoneySums, share_of, whole_us
from judgemesh.mesh.tracing.bill.tool_rows import ToolSums

NO_MODEL: Final = "unknown model"
_TOOL_PARTS: Final = ("tool", "api", "db")


def bill_of(*traces: Trace) -> Bill:
    """The bill of priced traces."""
    builder = BillBuilder()
    for trace in traces:
        builder.add(trace)
    return builder.bill()


class BillBuilder:
    """Collects traces one by one, in memory that does not grow with their steps."""

    def __init__(self) -> None:
        self._trace_ids: list[str] = []
        self._all = StepSums()
        self._states: dict[StateType, StepSums] = {}
        self._runs: dict[str, StepSums] = {}
        self._models: dict[str, StepSums] = {}
        self._tools = ToolSums()
        self._contexts = ContextSums()
        self._parts: dict[str, MoneySums] = {}
        self._metrics = MetricSums()
        self._latency_us: int | None = None
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._price_versions: set[str] = set()
        self._problems: list[str] = []

    def add(self, trace: Trace) -> None:
        """Put a priced trace on the bill."""
        self._trace_ids.append(trace.trace_id)
        self._problems.extend(trace.problems)
        self._note_time(trace.start_time)
        self._note_time(trace.end_time)
        instruction = 0
        run = self._runs.setdefault(trace.trace_id, StepSums())
        splitter = StepSplitter(implied_prices(trace.steps))
        for step in in_order(trace.steps):
            self._add_step(step, splitter)
            run.add_step(step)
            self._note_time(step.start_time)
            self._note_time(step.end_time)
            if step.context is not None:
                tokens = step.context.user_instruction_tokens
                instruction = max(instruction, tokens)
        self._metrics.add_run(trace, instruction)
        latency_ms = run_latency_ms(trace)
        if latency_ms is not None:
            self._latency_us = (self._latency_us or 0) + whole_us(latency_ms)

    def _note_time(self, moment: datetime | None) -> None:
        if moment is None:
            return
        if self._first is None or moment < self._first:
            self._first = moment
        if self._last is None or moment > self._last:
            self._last = moment

    def _add_step(self, step: Step, splitter: StepSplitter) -> None:
        self._all.add_step(step)
        self._states.setdefault(step.state_type, StepSums()).add_step(step)
        self._metrics.add_step(step)
        for call in calls_of(step):
            self._add_call(call, call.model_name or step.model_name or NO_MODEL)
        for part, money in step.costs.parts():
            self._parts.setdefault(part, MoneySums()).add(money)
        for tool in step.tools:
            self._tools.add(tool)
        self._contexts.add(step, splitter)

    def _add_call(self, call: ModelCall, model: str) -> None:
        sums = self._models.setdefault(model, StepSums())
        sums.steps += 1
        sums.add_usage(call.usage)
        sums.latency_us += whole_us(call.latency_ms)
        sums.cost.add(call.cost)
        sums.add_bound(call)
        sums.cost_unknown += call.cost is None
        if call.price is not None:
            self._price_versions.add(call.price.price_version)

    def bill(self) -> Bill:
        """The bill so far."""
        states = {state.value: sums for state, sums in self._states.items()}
        models = sorted(self._models.keys() - {NO_MODEL})
        return Bill(
            trace_ids=tuple(self._trace_ids),
            totals=self._totals(),
            bounds=frozenset(self._all.bounds),
            by_state=self._rows(states),
            by_model=self._rows(self._models),
            by_run=self._rows(self._runs),
            by_tool=self._tools.rows(),
            by_context=self._contexts.rows(),
            metrics=self._metrics.metrics(),
            models=tuple(models),
            price_versions=tuple(sorted(self._price_versions - {""})),
            problems=tuple(self._problems),
        )

    def _rows(self, groups: dict[str, StepSums]) -> tuple[BillRow, ...]:
        """A row for each group, the largest cost first.

        By tokens where costs are equal, unknown, or of several currencies.
        """
        whole = self._all.cost.money
        rows = [_row(name, sums, whole) for name, sums in groups.items()]
        rows.sort(key=lambda row: (-(row.share or 0.0), -row.tokens, row.name))
        return tuple(rows)

    def _totals(self) -> RunTotals:
        sums = self._all
        tool_cost = MoneySums()
        for part in _TOOL_PARTS:
            tool_cost.add_all(self._cost_of_part(part))
        latency_ms = None if self._latency_us is None else self._latency_us / 1000
        is_one_run = len(self._trace_ids) == 1
        return RunTotals(
            trace_id=self._trace_ids[0] if is_one_run else "",
            steps=sums.steps,
            input_tokens_uncached=sums.uncached,
            input_tokens_cached=sums.cached,
            input_tokens_cache_write=sums.cache_write,
            output_tokens=sums.output,
            reasoning_tokens=sums.reasoning,
            cost=sums.cost.money,
            llm_cost=self._cost_of_part("llm"),
            tool_cost=tool_cost.money,
            compute_cost=self._cost_of_part("compute"),
            latency_ms=latency_ms,
            start_time=self._first,
            end_time=self._last,
            inconsistent_steps=sums.inconsistent,
            usage_missing_steps=sums.usage_missing,
            cost_unknown_steps=sums.cost_unknown,
        )

    def _cost_of_part(self, part: str) -> tuple[Money, ...]:
        sums = self._parts.get(part)
        return () if sums is None else sums.money


def _row(name: str, sums: StepSums, whole: tuple[Money, ...]) -> BillRow:
    cost = sums.cost.money
    return BillRow(
        name=name,
        count=sums.steps,
        tokens=sums.tokens,
        input_tokens=sums.input_tokens,
        cached_tokens=sums.cached,
        cache_unknown_tokens=sums.cache_unknown,
        output_tokens=sums.output,
        reasoning_tokens=sums.reasoning,
        cost=cost,
        share=None if sums.cost_unknown and not cost else share_of(cost, whole),
        latency_ms=sums.latency_ms,
        failed=sums.failed,
        cost_unknown=sums.cost_unknown,
        cost_is_at_most=sums.cost_is_at_most,
    )


def run_latency_ms(trace: Trace) -> float | None:
    """How long a run took; None where nothing says.

    As it says; else from the first start to the last end; else the sum of its steps.
    """
    if trace.latency_ms is not None:
        return trace.latency_ms
    starts = _known([trace.start_time, *(step.start_time for step in trace.steps)])
    ends = _known([trace.end_time, *(step.end_time for step in trace.steps)])
    if starts and ends and max(ends) >= min(starts):
        return (max(ends) - min(starts)).total_seconds() * 1000
    latencies = [step.latency_ms for step in trace.steps if step.latency_ms is not None]
    if not latencies:
        return None
    return sum(whole_us(latency) for latency in latencies) / 1000


def _known(moments: Iterable[datetime | None]) -> list[datetime]:
    return [moment for moment in moments if moment is not None]
