"""Checks of the cost patterns that context, states and the whole run show."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from statistics import median_low
from typing import Final

from judgemesh.contracts.tracing import ModelCall, StateType, Step
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.model_calls import calls_of, input_cost, output_cost
from judgemesh.mesh.tracing.bill.pattern import (
    MIN_TOKENS,
    Check,
    Number,
    PatternMatch,
    PricedRun,
    cost_of,
    scaled,
    step_ids,
    tokens_of,
)
from judgemesh.mesh.tracing.bill.sums import MoneySums, cut
from judgemesh.mesh.tracing.steps.values import count_of

SOURCE_SHARE: Final = 0.25
STATE_COST_SHARE: Final = 0.15
CACHE_HIT_GOAL: Final = 0.5
MIN_CACHEABLE_TOKENS: Final = 5 * MIN_TOKENS
AMPLIFIED_FROM: Final = 100.0
FAILED_COST_SHARE: Final = 0.05

_HALF: Final = Decimal("0.5")
_PER_MILLION: Final = Decimal(1_000_000)
_FAILED: Final = frozenset({"error", "timeout"})


# --- context sources ---


def source_check(source: str, assumption: str) -> Check:
    """The check whether a context source makes up a quarter of the input.

    The estimate, under `assumption`, is half of it.
    """

    def check(run: PricedRun) -> PatternMatch | None:
        rows = [row for row in run.bill.by_context if row.name == source]
        if not rows:
            return None
        row = rows[0]
        if row.share is None or row.share < SOURCE_SHARE or row.tokens < MIN_TOKENS:
            return None
        steps = [step for step in run.trace.steps if _has_source(step, source)]
        return PatternMatch(
            numbers={f"{source}_tokens": row.tokens, "share_of_input": row.share},
            steps=step_ids(steps),
            assumption=assumption,
            saving=scaled(row.cost, _HALF),
            saving_tokens=row.tokens // 2,
        )

    return check


def _has_source(step: Step, source: str) -> bool:
    return step.context is not None and dict(step.context.items())[source] > 0


# --- states ---


def check_validation(run: PricedRun) -> PatternMatch | None:
    """Validation that makes up much of the cost."""
    share = _cost_share(run, StateType.VALIDATE)
    if share is None:
        return None
    rounds = run.steps_of(StateType.VALIDATE)
    without_issue: list[Step] = []
    for step in rounds:
        if count_of(step.details.get("issues_found")) == 0:
            without_issue.append(step)
    unneeded = without_issue or rounds[1:]
    if without_issue:
        assumption = "the validation rounds that found no issue are not run"
    elif unneeded:
        assumption = "only the first validation round is run"
    else:
        assumption = "there was one round: nothing is estimated"
    return PatternMatch(
        numbers={
            "cost_share": share,
            "rounds": len(rounds),
            "rounds_without_issue": len(without_issue),
        },
        steps=step_ids(rounds),
        assumption=assumption,
        saving=cost_of(unneeded),
        saving_tokens=tokens_of(unneeded) if unneeded else None,
    )


def check_refinement(run: PricedRun) -> PatternMatch | None:
    """Refinement that makes up much of the cost."""
    share = _cost_share(run, StateType.REFINE)
    if share is None:
        return None
    rounds = run.steps_of(StateType.REFINE)
    written = sum(step.usage.output_tokens for step in rounds if step.usage is not None)
    numbers: dict[str, Number] = {"cost_share": share, "output_tokens": written}
    efficiency = run.bill.metrics.refinement_efficiency
    if efficiency is None:
        unneeded = _HALF
        assumption = (
            "half of what is written in repair is not needed (nothing says how much was"
            " modified)"
        )
    else:
        unneeded = max(1 - Decimal(str(efficiency)), Decimal(0))
        assumption = "only the tokens that are modified are written"
        numbers["refinement_efficiency"] = efficiency
    return PatternMatch(
        numbers=numbers,
        steps=step_ids(rounds),
        assumption=assumption,
        saving=scaled(output_cost(rounds), unneeded),
        saving_tokens=int(written * unneeded),
    )


def _cost_share(run: PricedRun, state: StateType) -> float | None:
    """The share of a state in the cost; None below the threshold."""
    for row in run.bill.by_state:
        if row.name == state.value and row.share is not None:
            return row.share if row.share >= STATE_COST_SHARE else None
    return None


# --- the whole run ---


def check_cache(run: PricedRun) -> PatternMatch | None:
    """Input that the provider's cache hardly serves."""
    totals, hit_ratio = run.bill.totals, run.bill.metrics.cache_hit_ratio
    if hit_ratio is None or hit_ratio >= CACHE_HIT_GOAL:
        return None
    callers = _callers(run)
    if totals.input_tokens < MIN_CACHEABLE_TOKENS or len(callers) < 2:
        return None
    goal = totals.input_tokens * Decimal(str(CACHE_HIT_GOAL))
    missing = goal - totals.input_tokens_cached
    uncached = sum(
        step.usage.input_tokens_uncached for step in callers if step.usage is not None
    )
    part = min(missing / uncached, Decimal(1)) if uncached else Decimal(0)
    saving = MoneySums()
    for step in callers:
        for call in calls_of(step):
            saving.add(_saved_by_cache(call, part))
    return PatternMatch(
        numbers={
            "cache_hit_ratio": hit_ratio,
            "input_tokens": totals.input_tokens,
            "model_steps": len(callers),
        },
        steps=step_ids(callers),
        assumption=(
            f"a stable prompt prefix brings the cache hit ratio to {CACHE_HIT_GOAL:.0%};"
            " writing the cache is free"
        ),
        saving=saving.money,
    )


def _saved_by_cache(call: ModelCall, part: Decimal) -> Money | None:
    """What a call saves when that part of its uncached input is cached."""
    if call.price is None or call.usage is None:
        return None
    cached_price = call.price.price_cached_input_per_million
    if cached_price is None:
        return None
    difference = call.price.price_input_per_million - cached_price
    saved = call.usage.input_tokens_uncached * part * difference / _PER_MILLION
    return Money(cut(saved), call.price.currency)


def check_amplification(run: PricedRun) -> PatternMatch | None:
    """Far more input than the user's instruction."""
    metrics = run.bill.metrics
    if metrics.input_amplification_ratio is None:
        return None
    if metrics.input_amplification_ratio < AMPLIFIED_FROM:
        return None
    callers = [step for step in _callers(run) if _input_tokens(step)]
    median = median_low([_input_tokens(step) for step in callers])
    above = [step for step in callers if _input_tokens(step) > median]
    return PatternMatch(
        numbers={
            "input_amplification_ratio": metrics.input_amplification_ratio,
            "input_tokens": run.bill.totals.input_tokens,
            "user_instruction_tokens": metrics.user_instruction_tokens,
            "median_input_tokens": median,
        },
        steps=step_ids(above),
        assumption="a context budget holds every step to the run's median input",
        saving=_saved_above(above, median),
        saving_tokens=sum(_input_tokens(step) - median for step in above),
    )


def _saved_above(steps: Sequence[Step], limit: int) -> tuple[Money, ...]:
    """What the input of steps cost beyond a limit of tokens."""
    saving = MoneySums()
    for step in steps:
        tokens = _input_tokens(step)
        part = Decimal(tokens - limit) / tokens
        for money in input_cost(step):
            saving.add(Money(cut(money.amount * part), money.currency))
    return saving.money


def check_failures(run: PricedRun) -> PatternMatch | None:
    """Failed steps that make up much of the cost."""
    failed = [step for step in run.trace.steps if step.status in _FAILED]
    spent, whole = cost_of(failed), run.bill.totals.cost
    if len(spent) != 1 or len(whole) != 1 or not whole[0].amount:
        return None
    share = float(spent[0].amount / whole[0].amount)
    if share < FAILED_COST_SHARE:
        return None
    return PatternMatch(
        numbers={"failed_steps": len(failed), "cost_share": share},
        steps=step_ids(failed),
        assumption="the failing steps are not made",
        saving=spent,
        saving_tokens=tokens_of(failed),
    )


def _callers(run: PricedRun) -> list[Step]:
    """The steps with token counts."""
    return [step for step in run.trace.steps if step.usage is not None]


def _input_tokens(step: Step) -> int:
    return 0 if step.usage is None else step.usage.input_total
