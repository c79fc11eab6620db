"""The bill: what a run, or many, used and cost; by state, model, tool and context source. Pure.

Steps are taken as they are priced: see `cost.priced`. Nothing depends on their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from judgemesh.contracts.tracing import (
    CONTEXT_SOURCES,
    RunTotals,
    StateType,
    Step,
    ToolEvent,
    Trace,
)
from judgemesh.contracts.usage import Money, Usage
from judgemesh.mesh.tracing.bill.metrics import (
    Metrics,
    MetricSums,
    calls_of,
    instruction_tokens,
)
from judgemesh.mesh.tracing.bill.sums import (
    MoneySums,
    StepSums,
    allotted,
    ratio,
    share_of,
    whole_us,
)

UNATTRIBUTED = "unattributed"
NO_MODEL = "unknown model"


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """One line of the bill. `share`: of the whole cost; None in several currencies, and of no cost."""

    name: str
    count: int
    tokens: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: tuple[Money, ...] = ()
    share: float | None = None
    latency_ms: float = 0.0
    failed: int = 0
    cost_unknown: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """One tool on the bill. Token sums are over the calls that state them; None where none does."""

    name: str
    tool_type: str
    calls: int
    request_tokens: int | None = None
    raw_tokens: int | None = None
    selected_tokens: int | None = None
    sent_tokens: int | None = None
    context_ratio: float | None = None
    cost: tuple[Money, ...] = ()
    latency_ms: float = 0.0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """One source of input tokens on the bill.

    share: of all input tokens of steps whose sources are known. cost: the part of those steps' input cost that its
    tokens are of their input. estimated_tokens: how many of the tokens were estimated instead of measured.
    """

    name: str
    tokens: int
    estimated_tokens: int = 0
    share: float | None = None
    cost: tuple[Money, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What it came to. `problems`: what of the trace could not be read."""

    trace_ids: tuple[str, ...]
    totals: RunTotals
    by_state: tuple[BillRow, ...]
    by_model: tuple[BillRow, ...]
    by_tool: tuple[ToolRow, ...]
    by_context: tuple[ContextRow, ...]
    metrics: Metrics
    models: tuple[str, ...] = ()
    price_versions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Tool:
    kind: str = ""
    calls: int = 0
    failed: int = 0
    latency_us: int = 0
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    compared_raw: int = 0
    compared_sent: int = 0
    cost: MoneySums = field(default_factory=MoneySums)

    def add(self, tool: ToolEvent) -> None:
        self.calls += 1
        self.failed += tool.status != "success"
        self.latency_us += whole_us(tool.tool_latency_ms)
        self.cost.add(tool.tool_cost)
        for name in (
            "request_tokens",
            "response_tokens_raw",
            "response_tokens_selected",
            "tokens_sent_to_next_llm",
        ):
            number: int | None = getattr(tool, name)
            if number is not None:
                self.tokens[name] = self.tokens.get(name, 0) + number
        if (
            tool.response_tokens_raw is not None
            and tool.tokens_sent_to_next_llm is not None
        ):
            self.compared_raw += tool.response_tokens_raw
            self.compared_sent += tool.tokens_sent_to_next_llm


@dataclass(slots=True)
class _Source:
    tokens: int = 0
    estimated: int = 0
    cost: MoneySums = field(default_factory=MoneySums)


class BillBuilder:
    """Collects traces one by one, in memory that does not grow with their steps."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._all = StepSums()
        self._states: dict[StateType, StepSums] = {}
        self._models: dict[str, StepSums] = {}
        self._tools: dict[tuple[str, str], _Tool] = {}
        self._sources: dict[str, _Source] = {}
        self._parts: dict[str, MoneySums] = {}
        self._metrics = MetricSums()
        self._latency_us: int | None = None
        self._times: list[datetime] = []
        self._versions: set[str] = set()
        self._problems: list[str] = []

    def add(self, trace: Trace) -> None:
        """Put a priced trace on the bill."""
        self._ids.append(trace.trace_id)
        self._problems.extend(trace.problems)
        instruction = 0
        self._note_times(trace.start_time, trace.end_time)
        # One look at the steps: those of a very large trace are unpacked every time.
        for step in trace.steps:
            self._add_step(step)
            self._note_times(step.start_time, step.end_time)
            instruction = max(instruction, instruction_tokens(step))
        self._metrics.add_run(trace, instruction)
        latency = run_latency_ms(trace)
        if latency is not None:
            self._latency_us = (self._latency_us or 0) + whole_us(latency)

    def _note_times(self, *moments: datetime | None) -> None:
        known = [*self._times, *(moment for moment in moments if moment is not None)]
        self._times = [min(known), max(known)] if known else []

    def _add_step(self, step: Step) -> None:
        self._all.add_step(step)
        self._states.setdefault(step.state_type, StepSums()).add_step(step)
        self._metrics.add_step(step)
        for call in calls_of(step):
            model = self._models.setdefault(
                call.model_name or step.model_name or NO_MODEL, StepSums()
            )
            model.steps += 1
            model.add_usage(call.usage)
            model.latency_us += whole_us(call.latency_ms)
            model.cost.add(call.cost)
            model.cost_unknown += call.cost is None
            if call.price is not None:
                self._versions.add(f"{call.price.price_version}")
        for name, money in step.costs.parts():
            self._parts.setdefault(name, MoneySums()).add(money)
        for tool in step.tools:
            line = self._tools.setdefault(
                (tool.tool_type, tool.tool_name), _Tool(kind=tool.tool_type)
            )
            line.add(tool)
        self._add_context(step)

    def _add_context(self, step: Step) -> None:
        if step.context is None:
            return
        tokens = dict(step.context.items())
        rest = max(
            (step.usage.input_total if step.usage is not None else 0)
            - step.context.total,
            0,
        )
        tokens[UNATTRIBUTED] = rest
        costs = _input_costs(step)
        split = {
            money.currency: allotted(money.amount, list(tokens.values()))
            for money in costs
        }
        for index, (name, number) in enumerate(tokens.items()):
            if not number:
                continue
            source = self._sources.setdefault(name, _Source())
            source.tokens += number
            source.estimated += number if step.context.basis == "estimated" else 0
            for currency, parts in split.items():
                source.cost.add(Money(parts[index], currency))

    def bill(self) -> Bill:
        """The bill so far."""
        whole = self._all.cost.money
        models = sorted(self._models)
        return Bill(
            trace_ids=tuple(self._ids),
            totals=self._totals(),
            by_state=_by_cost(
                _line(state.value, tally, whole)
                for state, tally in self._states.items()
            ),
            by_model=_by_cost(
                _line(name, tally, whole) for name, tally in self._models.items()
            ),
            by_tool=tuple(self._tool_lines()),
            by_context=tuple(self._source_lines()),
            metrics=self._metrics.metrics(),
            models=tuple(name for name in models if name != NO_MODEL),
            price_versions=tuple(sorted(self._versions - {""})),
            problems=tuple(self._problems),
        )

    def _totals(self) -> RunTotals:
        tally = self._all
        tools = MoneySums()
        for part in ("tool", "api", "db"):
            tools.add_all(self._part(part))
        return RunTotals(
            trace_id=self._ids[0] if len(self._ids) == 1 else "",
            steps=tally.steps,
            input_tokens_uncached=tally.uncached,
            input_tokens_cached=tally.cached,
            input_tokens_cache_write=tally.cache_write,
            output_tokens=tally.output,
            reasoning_tokens=tally.reasoning,
            cost=tally.cost.money,
            llm_cost=self._part("llm"),
            tool_cost=tools.money,
            compute_cost=self._part("compute"),
            latency_ms=None if self._latency_us is None else self._latency_us / 1000,
            start_time=min(self._times, default=None),
            end_time=max(self._times, default=None),
            inconsistent_steps=tally.inconsistent,
            usage_missing_steps=tally.usage_missing,
            cost_unknown_steps=tally.cost_unknown,
        )

    def _part(self, name: str) -> tuple[Money, ...]:
        purse = self._parts.get(name)
        return () if purse is None else purse.money

    def _tool_lines(self) -> Iterable[ToolRow]:
        lines = [
            ToolRow(
                name=name,
                tool_type=kind,
                calls=tool.calls,
                request_tokens=tool.tokens.get("request_tokens"),
                raw_tokens=tool.tokens.get("response_tokens_raw"),
                selected_tokens=tool.tokens.get("response_tokens_selected"),
                sent_tokens=tool.tokens.get("tokens_sent_to_next_llm"),
                context_ratio=ratio(tool.compared_sent, tool.compared_raw),
                cost=tool.cost.money,
                latency_ms=tool.latency_us / 1000,
                failed=tool.failed,
            )
            for (kind, name), tool in self._tools.items()
        ]
        return sorted(
            lines,
            key=lambda line: (
                -_size(line.cost),
                -(line.sent_tokens or 0),
                line.tool_type,
                line.name,
            ),
        )

    def _source_lines(self) -> Iterable[ContextRow]:
        whole = sum(source.tokens for source in self._sources.values())
        for name in (*CONTEXT_SOURCES, UNATTRIBUTED):
            source = self._sources.get(name)
            if source is not None:
                yield ContextRow(
                    name=name,
                    tokens=source.tokens,
                    estimated_tokens=source.estimated,
                    share=ratio(source.tokens, whole),
                    cost=source.cost.money,
                )


def bill_of(*traces: Trace) -> Bill:
    """The bill of priced traces."""
    builder = BillBuilder()
    for trace in traces:
        builder.add(trace)
    return builder.bill()


def run_latency_ms(trace: Trace) -> float | None:
    """How long a run took: as it says, else from the first start to the last end, else its steps one after another."""
    if trace.latency_ms is not None:
        return trace.latency_ms
    starts, ends = _times(trace)
    if starts and ends and max(ends) >= min(starts):
        return (max(ends) - min(starts)).total_seconds() * 1000
    known = [step.latency_ms for step in trace.steps if step.latency_ms is not None]
    return sum(whole_us(latency) for latency in known) / 1000 if known else None


def _times(trace: Trace) -> tuple[list[datetime], list[datetime]]:
    starts = [
        moment
        for moment in (trace.start_time, *(step.start_time for step in trace.steps))
        if moment is not None
    ]
    ends = [
        moment
        for moment in (trace.end_time, *(step.end_time for step in trace.steps))
        if moment is not None
    ]
    return starts, ends


def _input_costs(step: Step) -> tuple[Money, ...]:
    """What the input of the step's priced calls cost, a currency each."""
    purse = MoneySums()
    for call in calls_of(step):
        if call.price is not None and call.usage is not None:
            usage = call.usage
            fresh, cached, write = (
                usage.input_tokens_uncached,
                usage.input_tokens_cached,
                usage.input_tokens_cache_write,
            )
            purse.add(call.price.cost(Usage(fresh, cached, write)))
    return purse.money


def _line(name: str, tally: StepSums, whole: tuple[Money, ...]) -> BillRow:
    cost = tally.cost.money
    return BillRow(
        name=name,
        count=tally.steps,
        tokens=tally.tokens,
        input_tokens=tally.input_tokens,
        cached_tokens=tally.cached,
        output_tokens=tally.output,
        reasoning_tokens=tally.reasoning,
        cost=cost,
        share=share_of(cost, whole),
        latency_ms=tally.latency_ms,
        failed=tally.failed,
        cost_unknown=tally.cost_unknown,
    )


def _by_cost(lines: Iterable[BillRow]) -> tuple[BillRow, ...]:
    """Dearest first; by tokens where costs are equal or of several currencies."""
    return tuple(
        sorted(lines, key=lambda line: (-(line.share or 0.0), -line.tokens, line.name))
    )


def _size(cost: tuple[Money, ...]) -> Decimal:
    return cost[0].amount if len(cost) == 1 else Decimal(0)
