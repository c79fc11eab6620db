"""The check whether calls pay in full for what an earlier call has already sent.

What a cache could serve is measured: of each call, what the agent's call before it to
the same model had at the beginning, if that was not long ago. Calls that do not report
cached tokens are left out: not reported is not zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.model_calls import calls_of
from judgemesh.mesh.tracing.bill.split import FIXED_SOURCES, INPUT_PARTS
from judgemesh.mesh.tracing.bill.sums import ratio
from judgemesh.mesh.tracing.findings.pattern import (
    MIN_TOKENS,
    Cut,
    Number,
    PatternMatch,
    PricedRun,
    step_ids,
)

CACHE_HIT_GOAL: Final = 0.5
MIN_CACHEABLE_TOKENS: Final = 5 * MIN_TOKENS
CACHEABLE_SHARE: Final = 0.25
MIN_PREFIX: Final = 1_024
"""Providers do not cache a shorter beginning."""
_OWN_PROMPTS: Final = frozenset({StateType.VALIDATE, StateType.REFINE})
"""States whose calls do not go on with the conversation of the others."""
_LIFE: Final = timedelta(minutes=5)
"""How long a cache keeps what nobody reads, at most providers."""


@dataclass(frozen=True, slots=True)
class _Cacheable:
    """One call: what it could have read from a cache, and did not."""

    step: Step
    usage: Usage
    sent_before: int
    price: PriceSnapshot | None

    @property
    def missing(self) -> int:
        """The tokens that were paid in full and had been sent before."""
        missing = self.sent_before - self.usage.input_tokens_cached
        return max(0, min(missing, self.usage.input_tokens_uncached))


def check_cache(run: PricedRun) -> PatternMatch | None:
    """Input that was sent before and that the provider's cache did not serve."""
    hit_ratio = run.bill.metrics.cache_hit_ratio
    if hit_ratio is None or hit_ratio >= CACHE_HIT_GOAL:
        return None
    calls = list(_calls(run))
    missing = sum(call.missing for call in calls)
    known = sum(call.usage.input_total for call in calls)
    if missing < MIN_CACHEABLE_TOKENS or missing < CACHEABLE_SHARE * known:
        return None
    written = sum(call.usage.input_tokens_cache_write for call in calls)
    cuts = _cuts(run, calls)
    if cuts is None:
        return None
    numbers: dict[str, Number] = {
        "cache_hit_ratio": hit_ratio,
        "calls": len(calls),
        "tokens_sent_before": sum(call.sent_before for call in calls),
        "of_them_paid_in_full": missing,
        "could_be_cached": ratio(missing, known) or 0.0,
    }
    if written:
        numbers["cache_write_tokens"] = written
    return PatternMatch(
        numbers=numbers,
        steps=step_ids(call.step for call in calls if call.missing),
        assumption=_assumption(cuts),
        cuts=cuts,
        cause=_cause(written, missing),
    )


def _cause(written: int, missing: int) -> str:
    if written >= missing:
        return "The cache is written and then not read: the beginning of the prompt changes."
    return "What an earlier call has already sent is paid in full again."


def _assumption(cuts: Sequence[Cut]) -> str:
    if not cuts:
        return "what was sent before is read from the cache; it has no price of its own here"
    return (
        "what the agent's call before has sent is read from the cache, less what"
        " writing the cache costs more"
    )


def _calls(run: PricedRun) -> Iterator[_Cacheable]:
    last: dict[tuple[str | None, str | None, StateType | None], Step] = {}
    for step in run.callers:
        if step.usage is None or not step.usage.cache_reported:
            continue
        own_prompt = step.state_type if step.state_type in _OWN_PROMPTS else None
        key = (step.agent_id, step.model_name, own_prompt)
        before = last.get(key)
        last[key] = step
        sent_before = 0 if before is None else _sent_before(before, step)
        price = next((call.price for call in calls_of(step)), None)
        yield _Cacheable(step, step.usage, sent_before, price)


def _sent_before(before: Step, step: Step) -> int:
    """How much of a call's beginning the call before it had sent.

    A call continues the one before if it holds its input and what it answered. Where the
    sources are known, instructions are the same in both in any case.
    """
    ended, began = before.end_time or before.start_time, step.start_time
    if ended is not None and began is not None and began - ended > _LIFE:
        return 0
    if before.usage is None or step.usage is None:
        return 0
    earlier, now = before.usage.input_total, step.usage.input_total
    continues = now >= earlier + before.usage.output_tokens // 2
    if before.context is None or step.context is None:
        shared = earlier if continues else 0
    else:
        sources_before, sources = dict(before.context.items()), step.context.items()
        shared = 0
        for name, tokens in sources:
            if continues or name in FIXED_SOURCES:
                shared += min(tokens, sources_before[name])
        shared = min(shared, earlier, now)
    return shared if shared >= MIN_PREFIX else 0


def _cuts(run: PricedRun, calls: Sequence[_Cacheable]) -> list[Cut] | None:
    """The discount on each call's input; None where a cache would save nothing.

    That is where writing it costs more, or where the models' prices know no cache.
    """
    prices = [call.price for call in calls if call.price is not None]
    if prices and all(p.price_cached_input_per_million is None for p in prices):
        return None
    gross, premium = Decimal(0), Decimal(0)
    saved: list[tuple[_Cacheable, Decimal]] = []
    for number, call in enumerate(calls):
        price = call.price
        if price is None or price.price_cached_input_per_million is None:
            continue
        full = price.price_input_per_million
        difference = full - price.price_cached_input_per_million
        saved.append((call, call.missing * difference))
        gross += call.missing * difference
        writing = price.price_cache_write_per_million
        if writing is not None and number + 1 < len(calls):
            new = call.usage.input_tokens_uncached - call.missing
            premium += new * max(writing - full, Decimal(0))
    if gross and premium >= gross:
        return None
    cuts: list[Cut] = []
    for call, amount in saved:
        paid = call.usage.input_tokens_uncached * _full_price(call)
        if not amount or not paid:
            continue
        share = amount / paid * (1 - premium / gross)
        cuts += _on_fresh_parts(run, call, share)
    return cuts


def _full_price(call: _Cacheable) -> Decimal:
    return Decimal(0) if call.price is None else call.price.price_input_per_million


def _on_fresh_parts(run: PricedRun, call: _Cacheable, share: Decimal) -> Iterator[Cut]:
    """The discount on the parts of the input that are not read from the cache."""
    parts = run.parts.get(call.step.step_id, {})
    fresh_share = Decimal(call.usage.input_tokens_uncached) / call.usage.input_total
    for name in INPUT_PARTS:
        if name in parts:
            yield Cut(
                step_id=call.step.step_id,
                part=name,
                share=share * fresh_share,
                keeps_tokens=True,
            )
