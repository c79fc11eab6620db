"""What a bill is: totals, and rows by state, model, tool and context source."""

from __future__ import annotations

from dataclasses import dataclass

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import RunTotals
from judgemesh.mesh.tracing.bill.bounds import Bound, is_at_most
from judgemesh.mesh.tracing.bill.metrics import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """One state, model or run on the bill.

    cache_unknown_tokens: input tokens of calls that do not report cached tokens.
    share: of the whole cost that is known; None in several currencies, and of a cost that
        is unknown.
    cost_is_at_most: what was paid can be less than `cost`, and cannot be more.
    """

    name: str
    count: int
    tokens: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_unknown_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: tuple[Money, ...] = ()
    share: float | None = None
    latency_ms: float = 0.0
    failed: int = 0
    cost_unknown: int = 0
    cost_is_at_most: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """One tool on the bill.

    Token sums are over the calls that state them; None where none does.
    """

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

    cached_tokens: how many of the tokens were read from a cache.
    cache_unknown_tokens: how many are of calls that do not report cached tokens.
    estimated_tokens: how many of the tokens were estimated instead of measured.
    share: of all input tokens of steps whose sources are known.
    cost: of the input cost of those steps: see `split`.
    """

    name: str
    tokens: int
    cached_tokens: int = 0
    cache_unknown_tokens: int = 0
    estimated_tokens: int = 0
    share: float | None = None
    cost: tuple[Money, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What one run, or many, used and cost.

    by_run: a row for each trace; `count` is its steps.
    bounds: what the costs of the model calls say of what was paid.
    problems: what of the traces could not be read.
    """

    trace_ids: tuple[str, ...]
    totals: RunTotals
    bounds: frozenset[Bound] = frozenset()
    by_state: tuple[BillRow, ...]
    by_model: tuple[BillRow, ...]
    by_tool: tuple[ToolRow, ...]
    by_context: tuple[ContextRow, ...]
    metrics: Metrics
    by_run: tuple[BillRow, ...] = ()
    models: tuple[str, ...] = ()
    price_versions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def cost_is_at_most(self) -> bool:
        """Whether what was paid can be less than the cost, and cannot be more."""
        return is_at_most(self.bounds)
