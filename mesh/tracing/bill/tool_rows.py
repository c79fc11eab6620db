"""The tools on a bill: what their calls took, returned and sent on."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from judgemesh.contracts.tracing import ToolEvent
from judgemesh.mesh.tracing.bill.bill import ToolRow
from judgemesh.mesh.tracing.bill.sums import (
    MoneySums,
    ratio,
    single_amount,
    whole_us,
)


@dataclass(slots=True)
class _CallSums:
    """The calls of one tool. compared_...: of the calls that state both figures."""

    calls: int = 0
    failed: int = 0
    latency_us: int = 0
    request: int | None = None
    raw: int | None = None
    selected: int | None = None
    sent: int | None = None
    compared_raw: int = 0
    compared_sent: int = 0
    cost: MoneySums = field(default_factory=MoneySums)

    def add(self, tool: ToolEvent) -> None:
        """Count one call."""
        raw, sent = tool.response_tokens_raw, tool.tokens_sent_to_next_llm
        self.calls += 1
        self.failed += tool.status != "success"
        self.latency_us += whole_us(tool.tool_latency_ms)
        self.cost.add(tool.tool_cost)
        self.request = _added(self.request, tool.request_tokens)
        self.raw = _added(self.raw, raw)
        self.selected = _added(self.selected, tool.response_tokens_selected)
        self.sent = _added(self.sent, sent)
        # More sent on than came: the two were measured differently, and have no ratio.
        if raw is not None and sent is not None and sent <= raw:
            self.compared_raw += raw
            self.compared_sent += sent


def _added(total: int | None, tokens: int | None) -> int | None:
    return total if tokens is None else (total or 0) + tokens


class ToolSums:
    """Collects tool calls by type and name of the tool."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], _CallSums] = {}

    def add(self, tool: ToolEvent) -> None:
        """Count one call."""
        key = (tool.tool_type, tool.tool_name)
        self._tools.setdefault(key, _CallSums()).add(tool)

    def rows(self) -> tuple[ToolRow, ...]:
        """A row for each tool, the largest cost first, then the most tokens sent on."""
        rows = [_row(*key, sums) for key, sums in self._tools.items()]
        return tuple(sorted(rows, key=_order))


def _row(tool_type: str, name: str, sums: _CallSums) -> ToolRow:
    return ToolRow(
        name=name,
        tool_type=tool_type,
        calls=sums.calls,
        request_tokens=sums.request,
        raw_tokens=sums.raw,
        selected_tokens=sums.selected,
        sent_tokens=sums.sent,
        context_ratio=ratio(sums.compared_sent, sums.compared_raw),
        cost=sums.cost.money,
        latency_ms=sums.latency_us / 1000,
        failed=sums.failed,
    )


def _order(row: ToolRow) -> tuple[Decimal, int, str, str]:
    return (-single_amount(row.cost), -(row.sent_tokens or 0), row.tool_type, row.name)
