"""Checks of the patterns that only the whole run shows."""

from __future__ import annotations

from decimal import Decimal
from statistics import median_low
from typing import Final

from judgemesh.contracts.tracing import CostStatus, Step, UsageStatus
from judgemesh.mesh.tracing.bill.split import INPUT_PARTS
from judgemesh.mesh.tracing.findings.pattern import (
    MIN_TOKENS,
    Cut,
    Number,
    PatternMatch,
    PricedRun,
    step_ids,
)

AMPLIFIED_FROM: Final = 100.0
GROWN_FROM: Final = 4
MIN_GROWN_TOKENS: Final = 4 * MIN_TOKENS
_MIN_CALLS: Final = 3


def check_amplification(run: PricedRun) -> PatternMatch | None:
    """Far more input than the user's instruction, or input that grows from call to call."""
    inputs = {number: tokens for number, tokens in run.input_tokens.items() if tokens}
    sizes = list(inputs.values())
    if len(sizes) < _MIN_CALLS or max(sizes) < MIN_TOKENS:
        return None
    amplification = run.bill.metrics.input_amplification_ratio
    is_amplified = amplification is not None and amplification >= AMPLIFIED_FROM
    grows = max(sizes) >= max(GROWN_FROM * sizes[0], MIN_GROWN_TOKENS)
    if not is_amplified and not grows:
        return None
    median = median_low(sizes)
    numbers: dict[str, Number] = {
        "calls": len(sizes),
        "first_call": sizes[0],
        "median_call": median,
        "largest_call": max(sizes),
    }
    if amplification is not None:
        numbers["input_amplification_ratio"] = amplification
    above = [number for number, tokens in inputs.items() if tokens > median]
    cuts: list[Cut] = []
    for number in above:
        share = Decimal(inputs[number] - median) / inputs[number]
        for name in INPUT_PARTS:
            if name in run.parts.get(number, {}):
                cuts.append(Cut(step_id=number, part=name, share=share))
    return PatternMatch(
        numbers=numbers,
        steps=tuple(above) or tuple(inputs),
        assumption="no call has more input than the run's median call",
        cuts=cuts,
        per_call={"input_tokens": tuple(sizes)},
        cause=_cause(sizes[0], max(sizes), len(sizes)),
    )


def _cause(first: int, largest: int, calls: int) -> str:
    if largest >= GROWN_FROM * first:
        return (
            f"The input grows from {first:,} to {largest:,} tokens over {calls} calls."
        )
    return f"The loop makes {calls} calls with up to {largest:,} input tokens each."


def check_usage(run: PricedRun) -> PatternMatch | None:
    """Model calls without token counts: the bill is too low."""
    missing = [step for step in run.steps if _is_uncounted(step)]
    if not missing:
        return None
    numbers = {step.step_id for step in missing}
    counted = [step for step in run.callers if step.step_id not in numbers]
    return PatternMatch(
        numbers={
            "calls_without_counts": len(missing),
            "calls_with_counts": len(counted),
        },
        steps=step_ids(missing),
        assumption="nothing: what was not counted cannot be saved",
    )


def _is_uncounted(step: Step) -> bool:
    """A call that failed has nothing to count."""
    return step.usage_status is UsageStatus.MISSING and step.status == "success"


def check_prices(run: PricedRun) -> PatternMatch | None:
    """Some steps have a cost and others have tokens without a price."""
    unknown = [step for step in run.steps if _is_unpriced(step)]
    if not unknown or not run.bill.totals.cost:
        return None
    models = {step.model_name or "unknown model" for step in unknown}
    tokens = sum(step.usage.total for step in unknown if step.usage is not None)
    return PatternMatch(
        numbers={"models": ", ".join(sorted(models)), "tokens_without_a_price": tokens},
        steps=step_ids(unknown),
        assumption="nothing: an unknown cost cannot be saved",
    )


def _is_unpriced(step: Step) -> bool:
    return step.cost_status is CostStatus.UNKNOWN and step.usage is not None
