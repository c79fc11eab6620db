"""The derived metrics of article 002, Part VII, over one run or many. Pure; a zero denominator gives no value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.tracing import ModelCall, StateType, Step, Trace
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.sums import MoneySums, ratio
from judgemesh.mesh.tracing.steps.values import count_of

_PER_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Ratios without a unit, None where there is nothing to divide by.

    cache_hit_ratio: cached / all input tokens. cache_saving: what the cached tokens would have cost more at the price
        of fresh ones. cache_write_premium: what writing the cache cost more than reading fresh would have.
    tool_context_ratio: tokens sent on / raw tokens, over every tool. retrieval_compression_ratio: over RETRIEVE only.
    input_amplification_ratio: input tokens / tokens of the user's instruction, which is counted once a run.
    validation_repair_rate: issues fixed later / issues found. refinement_efficiency: tokens modified / tokens written.
    """

    cache_hit_ratio: float | None = None
    cache_saving: tuple[Money, ...] = ()
    cache_write_premium: tuple[Money, ...] = ()
    tool_context_ratio: float | None = None
    input_amplification_ratio: float | None = None
    validation_repair_rate: float | None = None
    refinement_efficiency: float | None = None
    retrieval_compression_ratio: float | None = None
    user_instruction_tokens: int = 0


@dataclass(slots=True)
class MetricSums:
    """What the metrics are quotients of, collected step by step."""

    cached: int = 0
    input_tokens: int = 0
    raw: int = 0
    sent: int = 0
    retrieved_raw: int = 0
    retrieved_sent: int = 0
    instruction: int = 0
    issues_found: int = 0
    issues_fixed: int = 0
    refined: int = 0
    modified: int = 0
    saving: MoneySums = field(default_factory=MoneySums)
    premium: MoneySums = field(default_factory=MoneySums)

    def add_run(self, trace: Trace, largest_instruction: int) -> None:
        """Count the user's instruction: once a run, however often it is sent again."""
        stated = count_of(trace.details.get("user_instruction_tokens"))
        self.instruction += largest_instruction if stated is None else stated

    def add_step(self, step: Step) -> None:
        """Count one step."""
        if step.usage is not None:
            self.cached += step.usage.input_tokens_cached
            self.input_tokens += step.usage.input_total
        for call in calls_of(step):
            self._add_prices(call)
        for tool in step.tools:
            if (
                tool.response_tokens_raw is not None
                and tool.tokens_sent_to_next_llm is not None
            ):
                self.raw += tool.response_tokens_raw
                self.sent += tool.tokens_sent_to_next_llm
                if step.state_type is StateType.RETRIEVE:
                    self.retrieved_raw += tool.response_tokens_raw
                    self.retrieved_sent += tool.tokens_sent_to_next_llm
        if step.state_type is StateType.VALIDATE:
            self.issues_found += count_of(step.details.get("issues_found")) or 0
            self.issues_fixed += count_of(step.details.get("issues_fixed_later")) or 0
        modified = count_of(step.details.get("modified_content_tokens"))
        if (
            step.state_type is StateType.REFINE
            and modified is not None
            and step.usage is not None
        ):
            self.modified += modified
            self.refined += step.usage.output_tokens

    def _add_prices(self, call: ModelCall) -> None:
        price, usage = call.price, call.usage
        if price is None or usage is None:
            return
        fresh = price.price_input_per_million
        if price.price_cached_input_per_million is not None:
            saved = (
                usage.input_tokens_cached
                * (fresh - price.price_cached_input_per_million)
                / _PER_MILLION
            )
            self.saving.add(Money(saved, price.currency))
        if (
            price.price_cache_write_per_million is not None
            and usage.input_tokens_cache_write
        ):
            more = (
                usage.input_tokens_cache_write
                * (price.price_cache_write_per_million - fresh)
                / _PER_MILLION
            )
            self.premium.add(Money(more, price.currency))

    def metrics(self) -> Metrics:
        """The quotients."""
        return Metrics(
            cache_hit_ratio=ratio(self.cached, self.input_tokens),
            cache_saving=self.saving.money,
            cache_write_premium=self.premium.money,
            tool_context_ratio=ratio(self.sent, self.raw),
            input_amplification_ratio=ratio(self.input_tokens, self.instruction),
            validation_repair_rate=ratio(self.issues_fixed, self.issues_found),
            refinement_efficiency=ratio(self.modified, self.refined),
            retrieval_compression_ratio=ratio(self.retrieved_sent, self.retrieved_raw),
            user_instruction_tokens=self.instruction,
        )


def calls_of(step: Step) -> Iterator[ModelCall]:
    """The model calls of a step, also where it is one call itself."""
    if step.calls:
        yield from step.calls
    elif step.usage is not None or step.reported_cost is not None:
        yield ModelCall(
            model_name=step.model_name,
            provider=step.provider,
            usage=step.usage,
            usage_status=step.usage_status,
            latency_ms=step.latency_ms,
            cost=step.costs.llm,
            reported_cost=step.reported_cost,
            price=step.price,
        )


def instruction_tokens(step: Step) -> int:
    """Tokens of the user's instruction in this step's context; 0 where nobody counted."""
    return 0 if step.context is None else step.context.user_instruction_tokens


METRIC_MEANINGS: Final[Mapping[str, str]] = {
    "cache_hit_ratio": "cached input tokens / input tokens",
    "tool_context_ratio": "tool tokens sent on / raw tool tokens",
    "input_amplification_ratio": "input tokens / user instruction tokens",
    "validation_repair_rate": "issues fixed later / issues found",
    "refinement_efficiency": "tokens modified / tokens written",
    "retrieval_compression_ratio": "retrieved tokens sent on / raw retrieved tokens",
}
