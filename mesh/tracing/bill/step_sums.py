"""What a group of steps used and cost, in whole numbers and exact amounts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.tracing import CostStatus, ModelCall, Step, UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing.bill.bounds import Bound, bound_of, is_at_most
from judgemesh.mesh.tracing.bill.model_calls import calls_of
from judgemesh.mesh.tracing.bill.sums import MoneySums, whole_us

_IMPOSSIBLE: Final = frozenset({UsageStatus.INCONSISTENT, UsageStatus.MALFORMED})


@dataclass(slots=True)
class StepSums:
    """What a group of steps used and cost. Latency in microseconds."""

    steps: int = 0
    uncached: int = 0
    cached: int = 0
    cache_write: int = 0
    cache_unknown: int = 0
    output: int = 0
    reasoning: int = 0
    latency_us: int = 0
    failed: int = 0
    inconsistent: int = 0
    usage_missing: int = 0
    cost_unknown: int = 0
    bounds: set[Bound] = field(default_factory=set[Bound])
    cost: MoneySums = field(default_factory=MoneySums)

    def add_usage(self, usage: Usage | None) -> None:
        """Count the tokens of a call or a step."""
        if usage is not None:
            self.uncached += usage.input_tokens_uncached
            self.cached += usage.input_tokens_cached
            self.cache_write += usage.input_tokens_cache_write
            if not usage.cache_reported:
                self.cache_unknown += usage.input_total
            self.output += usage.output_tokens
            self.reasoning += usage.reasoning_tokens

    def add_bound(self, call: ModelCall) -> None:
        """Count what the cost of a call says of what was paid."""
        self.bounds.add(bound_of(call))

    def add_step(self, step: Step) -> None:
        """Count a whole step."""
        for call in calls_of(step):
            self.add_bound(call)
        self.steps += 1
        self.add_usage(step.usage)
        self.latency_us += whole_us(step.latency_ms)
        self.failed += step.status != "success"
        self.inconsistent += step.usage_status in _IMPOSSIBLE
        self.usage_missing += step.usage_status is UsageStatus.MISSING
        self.cost_unknown += step.cost_status is CostStatus.UNKNOWN
        self.cost.add_all(step.costs.amounts())

    @property
    def cost_is_at_most(self) -> bool:
        """Whether what was paid can be less than the cost, and cannot be more."""
        return is_at_most(self.bounds)

    @property
    def latency_ms(self) -> float:
        """Time of the steps together."""
        return self.latency_us / 1000

    @property
    def input_tokens(self) -> int:
        """All input tokens."""
        return self.uncached + self.cached + self.cache_write

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output + self.reasoning
