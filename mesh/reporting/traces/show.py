"""One run as a timeline of its steps: `judgemesh trace show`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.tracing import CostStatus, Step, Trace, UsageStatus
from judgemesh.mesh.reporting.bill.rows import costs_text, total_cost_text
from judgemesh.mesh.reporting.tables import (
    add_columns,
    fill_terminal,
    grid,
    plain_table,
)
from judgemesh.mesh.reporting.text import duration, one_line
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.conclusion import percent
from judgemesh.mesh.tracing.bill.split import in_order
from judgemesh.mesh.tracing.findings.findings import Finding

if TYPE_CHECKING:
    from rich.console import JustifyMethod, RenderableType
    from rich.table import Table

_NARROW: Final = 80
_WIDE: Final = 110
_BAR_WIDTHS: Final = ((140, 30), (_WIDE, 20), (_NARROW, 10))
_MAX_STEPS_NAMED: Final = 8
_MAX_DEPTH: Final = 4
_MAX_AGENT: Final = 16


def show_view(
    trace: Trace, bill: Bill, findings: Sequence[Finding], *, width: int, limit: int
) -> Iterator[RenderableType]:
    """What the run is, its steps in time, and what was found in it."""
    from rich.text import Text

    yield grid(_head(trace, bill))
    yield Text("")
    steps = in_order(trace.steps)
    shown = steps[: limit or len(steps)]
    yield _timeline(shown, _Clock.of(steps), width)
    more = len(steps) - len(shown)
    if more > 0:
        yield Text(f"and {more:,} more (--limit 0 shows all)")
    yield Text("")
    if not findings:
        yield Text("No cost pattern above its threshold.")
    for finding in findings:
        yield Text(_finding_line(finding))


def _head(trace: Trace, bill: Bill) -> Iterator[tuple[str, str]]:
    totals = bill.totals
    yield "run", one_line(trace.trace_id)
    for name, value in (
        ("task", trace.task_id),
        ("agent", trace.agent_id),
        ("skill", trace.skill_id),
        ("status", trace.status),
        ("model", ", ".join(bill.models)),
    ):
        if value:
            yield name, one_line(value)
    if totals.start_time is not None:
        yield "start", f"{totals.start_time:%Y-%m-%d %H:%M:%S}"
    if totals.latency_ms is not None:
        yield "took", duration(totals.latency_ms / 1000)
    cost = total_cost_text(bill)
    if totals.cost and totals.cost_unknown_steps:
        cost += f", and {totals.cost_unknown_steps:,} steps of unknown cost"
    yield "cost", cost
    written = totals.output_tokens + totals.reasoning_tokens
    parts = f"input {totals.input_tokens:,}, output {written:,}"
    yield "tokens", f"{totals.tokens:,} ({parts})"


# --- the timeline ---


class _Clock:
    """The time of a run, and how a step lies in it."""

    def __init__(self, start: datetime | None, length_s: float) -> None:
        self._start = start
        self._length_s = length_s

    @classmethod
    def of(cls, steps: Sequence[Step]) -> _Clock:
        """From the first start to the last end."""
        starts = [step.start_time for step in steps if step.start_time is not None]
        ends = [step.end_time for step in steps if step.end_time is not None]
        if not starts or not ends:
            return cls(None, 0.0)
        start = min(starts)
        return cls(start, max(0.0, (max(ends) - start).total_seconds()))

    @property
    def is_known(self) -> bool:
        """Whether the steps have times."""
        return self._start is not None and self._length_s > 0

    def bar(self, step: Step, width: int) -> str:
        """The step's time as a piece of a line as long as the run."""
        if self._start is None or step.start_time is None or not self._length_s:
            return ""
        end = step.end_time or step.start_time
        first = (step.start_time - self._start).total_seconds() / self._length_s
        last = (end - self._start).total_seconds() / self._length_s
        begin = min(int(first * width), width - 1)
        length = max(1, round((last - first) * width))
        return " " * begin + "━" * min(length, width - begin)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the timeline. least: the width from which on it is shown."""

    head: str
    text: Callable[[Step], str]
    least: int = 0
    is_number: bool = True


def _columns(steps: Sequence[Step]) -> Iterator[_Column]:
    """The columns that say something of these steps."""
    if len({step.agent_id for step in steps if step.agent_id}) > 1:
        yield _Column("agent", _agent, _WIDE, is_number=False)
    yield _Column("tokens", _tokens)
    usages = [step.usage for step in steps if step.usage is not None]
    if any(usage.cache_reported for usage in usages):
        yield _Column("cached", _cached, _NARROW)
    yield _Column("output", _output, _WIDE)
    currencies = {m.currency for step in steps for m in step.costs.amounts()}
    if len(currencies) == 1:
        yield _Column(f"cost {currencies.pop()}", _cost_number)
    elif any(step.usage is not None for step in steps) or currencies:
        yield _Column("cost", _cost)
    yield _Column("took", _took)


def _timeline(steps: Sequence[Step], clock: _Clock, width: int) -> Table:
    bar = _bar_width(clock, width)
    parallel = parallel_steps(steps)
    depths = _depths(steps)
    columns = [column for column in _columns(steps) if width >= column.least]
    table = plain_table()
    table.collapse_padding = True
    fill_terminal(table, width)
    add_columns(table, "step")
    add_columns(table, "state", justify="left")
    table.add_column("what", overflow="ellipsis", no_wrap=True, ratio=1, min_width=10)
    for column in columns:
        justify: JustifyMethod = "right" if column.is_number else "left"
        add_columns(table, column.head, justify=justify)
    if bar:
        table.add_column("time", no_wrap=True, width=bar)
    for step in steps:
        depth = min(depths.get(step.step_id, 0), _MAX_DEPTH)
        mark = "‖ " if step.step_id in parallel else ""
        cells = [str(step.step_id), step.state_type.value]
        cells.append(f"{'  ' * depth}{mark}{what_of(step)}")
        cells += [column.text(step) for column in columns]
        if bar:
            cells.append(clock.bar(step, bar))
        table.add_row(*cells, style=_style(step))
    return table


def _bar_width(clock: _Clock, width: int) -> int:
    if clock.is_known:
        for least, bar in _BAR_WIDTHS:
            if width >= least:
                return bar
    return 0


def _style(step: Step) -> str | None:
    return None if step.status == "success" else "red"


def what_of(step: Step) -> str:
    """What was called, and how it failed."""
    tools = [tool.tool_name for tool in step.tools if tool.tool_name]
    name = ", ".join(tools) or step.model_name or _name_in_details(step)
    if step.status == "success":
        return one_line(name)
    reason = step.status
    if step.error_type and step.error_type != step.status:
        reason = step.error_type
    # The mark comes first: a long name is cut off at its end.
    return one_line(f"✗ {name} ({reason})" if name else f"✗ {reason}")


def _name_in_details(step: Step) -> str:
    for key in ("span_name", "role", "validator_name", "next_action", "decision_type"):
        value = step.details.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _tokens(step: Step) -> str:
    if step.usage is not None:
        impossible = {UsageStatus.INCONSISTENT, UsageStatus.MALFORMED}
        mark = "!" if step.usage_status in impossible else ""
        return f"{step.usage.total:,}{mark}"
    if step.usage_status is UsageStatus.MISSING:
        return "missing"
    sent = [tool.tokens_sent_to_next_llm for tool in step.tools]
    known = [tokens for tokens in sent if tokens is not None]
    return f"→ {sum(known):,}" if known else "-"


def _cached(step: Step) -> str:
    usage = step.usage
    if usage is None or not usage.input_total:
        return "-"
    if not usage.cache_reported:
        return "?"
    return percent(usage.input_tokens_cached / usage.input_total)


def _output(step: Step) -> str:
    if step.usage is None:
        return "-"
    return f"{step.usage.output_tokens + step.usage.reasoning_tokens:,}"


def _cost(step: Step) -> str:
    """One amount a currency; what is unknown is not left out."""
    amounts = step.costs.amounts()
    if step.cost_status is not CostStatus.UNKNOWN:
        return costs_text(amounts)
    return f"{costs_text(amounts)} + ?" if amounts else "unknown"


def _cost_number(step: Step) -> str:
    """The cost in the only currency, which the head names."""
    return " ".join(word for word in _cost(step).split() if not word.isupper())


def _agent(step: Step) -> str:
    return one_line(step.agent_id or "-", _MAX_AGENT)


def _took(step: Step) -> str:
    if step.latency_ms is None:
        return "-"
    if step.latency_ms < 100:
        return f"{step.latency_ms:.0f} ms"
    return duration(step.latency_ms / 1000)


def _depths(steps: Sequence[Step]) -> Mapping[int, int]:
    """How many steps each step lies within in time. Parents come before their children.

    Some traces name the step before as the parent; it has ended by then.
    """
    depths: dict[int, int] = {}
    by_id = {step.step_id: step for step in steps}
    for step in steps:
        parent = by_id.get(step.parent_step_id or -1)
        depths[step.step_id] = 0
        if parent is not None and _is_within(step, parent):
            depths[step.step_id] = depths.get(parent.step_id, 0) + 1
    return depths


def _is_within(step: Step, parent: Step) -> bool:
    begin, end = step.start_time, parent.end_time
    return begin is not None and end is not None and begin < end


def parallel_steps(steps: Sequence[Step]) -> frozenset[int]:
    """The steps that ran at the same time as another step below the same parent."""
    found: set[int] = set()
    running: dict[int | None, tuple[int, datetime]] = {}
    timed = [step for step in steps if step.start_time is not None]
    for step in sorted(timed, key=_start):
        end = step.end_time or step.start_time
        before = running.get(step.parent_step_id)
        if before is not None and before[1] > _start(step):
            found |= {before[0], step.step_id}
        if end is not None and (before is None or end > before[1]):
            running[step.parent_step_id] = (step.step_id, end)
    return frozenset(found)


def _start(step: Step) -> datetime:
    return step.start_time or datetime.max.replace(tzinfo=UTC)


def _finding_line(finding: Finding) -> str:
    steps = ", ".join(map(str, finding.steps[:_MAX_STEPS_NAMED]))
    more = len(finding.steps) - _MAX_STEPS_NAMED
    if more > 0:
        steps += f" and {more} more"
    saving = f"; may save {costs_text(finding.saving)}" if finding.saving else ""
    name = "step" if len(finding.steps) == 1 else "steps"
    return f"{finding.kind.value}: {finding.title} ({name} {steps}){saving}"
