"""The derived metrics of article 002, Part VII, over one run or many. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, StateType, Step, ToolEvent, Trace
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.bounds import unreported_saving
from judgemesh.mesh.tracing.bill.model_calls import calls_of
from judgemesh.mesh.tracing.bill.sums import MoneySums, ratio
from judgemesh.mesh.tracing.steps.values import count_of

_PER_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Ratios without a unit; None where there is nothing to divide by.

    cache_hit_ratio: cached / all input tokens of the calls that report cached tokens;
        None where none does.
    cache_unknown_tokens: input tokens of the calls that do not.
    cache_saving: what the cached tokens would have cost more at the price of uncached
        ones; of the calls that report cached tokens, empty where none does.
    cache_write_premium: what writing the cache cost more than reading uncached input.
    unreported_saving: what the bill can be too high by, because calls do not report cached
        tokens and are billed as if none was cached.
    output_at_most_calls: model calls whose output tokens can be too many.
    tool_context_ratio: tokens sent on / raw tokens, over every tool.
    retrieval_compression_ratio: the same over RETRIEVE steps only.
    input_amplification_ratio: input tokens / tokens of the user's instruction, which is
        counted once a run.
    validation_repair_rate: issues fixed later / issues found.
    refinement_efficiency: tokens modified / tokens written.
    """

    cache_hit_ratio: float | None = None
    cache_unknown_tokens: int = 0
    cache_saving: tuple[Money, ...] = ()
    cache_write_premium: tuple[Money, ...] = ()
    unreported_saving: tuple[Money, ...] = ()
    output_at_most_calls: int = 0
    tool_context_ratio: float | None = None
    input_amplification_ratio: float | None = None
    validation_repair_rate: float | None = None
    refinement_efficiency: float | None = None
    retrieval_compression_ratio: float | None = None
    user_instruction_tokens: int = 0


METRIC_MEANINGS: Final[Mapping[str, str]] = {
    "cache_hit_ratio": "cached input tokens / input tokens",
    "tool_context_ratio": "tool tokens sent on / raw tool tokens",
    "input_amplification_ratio": "input tokens / user instruction tokens",
    "validation_repair_rate": "issues fixed later / issues found",
    "refinement_efficiency": "tokens modified / tokens written",
    "retrieval_compression_ratio": "retrieved tokens sent on / raw retrieved tokens",
}


@dataclass(slots=True)
class MetricSums:
    """What the metrics are quotients of, collected step by step."""

    cached: int = 0
    cache_known: int = 0
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
    unreported: MoneySums = field(default_factory=MoneySums)
    output_at_most: int = 0

    def add_run(self, trace: Trace, largest_instruction: int) -> None:
        """Count the user's instruction once, however often it is sent again."""
        stated = count_of(trace.details.get("user_instruction_tokens"))
        self.instruction += largest_instruction if stated is None else stated

    def add_step(self, step: Step) -> None:
        """Count one step."""
        if step.usage is not None:
            self.input_tokens += step.usage.input_total
        for call in calls_of(step):
            if call.usage is not None:
                self._add_usage(call.usage)
            self._add_cache_prices(call)
        for tool in step.tools:
            self._add_tool(tool, is_retrieval=step.state_type is StateType.RETRIEVE)
        if step.state_type is StateType.VALIDATE:
            self._add_issues(step)
        elif step.state_type is StateType.REFINE:
            self._add_refinement(step)

    def _add_usage(self, usage: Usage) -> None:
        if usage.cache_reported:
            self.cached += usage.input_tokens_cached
            self.cache_known += usage.input_total
        self.output_at_most += usage.output_is_at_most

    def _add_tool(self, tool: ToolEvent, *, is_retrieval: bool) -> None:
        raw, sent = tool.response_tokens_raw, tool.tokens_sent_to_next_llm
        # More sent on than came: the two were measured differently, and have no ratio.
        if raw is None or sent is None or sent > raw:
            return
        self.raw += raw
        self.sent += sent
        if is_retrieval:
            self.retrieved_raw += raw
            self.retrieved_sent += sent

    def _add_issues(self, step: Step) -> None:
        found = count_of(step.details.get("issues_found")) or 0
        fixed = count_of(step.details.get("issues_fixed_later")) or 0
        # More fixed than found: some were found elsewhere, and there is no ratio.
        if fixed <= found:
            self.issues_found += found
            self.issues_fixed += fixed

    def _add_refinement(self, step: Step) -> None:
        modified = count_of(step.details.get("modified_content_tokens"))
        if modified is None or step.usage is None:
            return
        # More modified than written: the two were measured differently.
        if modified <= step.usage.output_tokens:
            self.modified += modified
            self.refined += step.usage.output_tokens

    def _add_cache_prices(self, call: ModelCall) -> None:
        price, usage = call.price, call.usage
        if price is None or usage is None:
            return
        uncached = price.price_input_per_million
        cached = price.price_cached_input_per_million
        if usage.cache_reported and cached is not None:
            saved = usage.input_tokens_cached * (uncached - cached) / _PER_MILLION
            self.saving.add(Money(saved, price.currency))
        self.unreported.add(unreported_saving(call))
        premium = _write_premium(price, usage)
        if premium is not None:
            self.premium.add(Money(premium, price.currency))

    def metrics(self) -> Metrics:
        """The quotients."""
        return Metrics(
            cache_hit_ratio=ratio(self.cached, self.cache_known),
            cache_unknown_tokens=max(self.input_tokens - self.cache_known, 0),
            cache_saving=self.saving.money,
            cache_write_premium=self.premium.money,
            unreported_saving=self.unreported.money,
            output_at_most_calls=self.output_at_most,
            tool_context_ratio=ratio(self.sent, self.raw),
            input_amplification_ratio=ratio(self.input_tokens, self.instruction),
            validation_repair_rate=ratio(self.issues_fixed, self.issues_found),
            refinement_efficiency=ratio(self.modified, self.refined),
            retrieval_compression_ratio=ratio(self.retrieved_sent, self.retrieved_raw),
            user_instruction_tokens=self.instruction,
        )


def _write_premium(price: PriceSnapshot, usage: Usage) -> Decimal | None:
    """What writing the cache cost more than uncached input; None where nothing priced was written."""
    uncached = price.price_input_per_million
    short = price.price_cache_write_per_million
    long = price.price_cache_write_1h_per_million
    written = usage.input_tokens_cache_write
    if not written or (short is None and long is None):
        return None
    short = uncached if short is None else short
    long = short if long is None else long
    long_tokens = usage.input_tokens_cache_write_1h
    short_tokens = written - long_tokens
    extra = short_tokens * (short - uncached) + long_tokens * (long - uncached)
    return extra / _PER_MILLION
