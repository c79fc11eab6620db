"""The prices with which a trace was billed, for the same calls read again. Pure.

A bill that was written stays: calls that are known keep their price, whatever a newer
price book says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from judgemesh.contracts.tracing import ModelCall, Step, Trace
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.steps.packed import PackedSteps

_Key: TypeAlias = tuple[object, ...]


def with_kept_prices(trace: Trace, billed: Trace) -> Trace:
    """A trace, not yet priced, whose calls have the prices of equal calls of `billed`."""
    prices = dict(_prices(billed))
    if not prices:
        return trace
    steps = (_with_prices(step, prices) for step in trace.steps)
    if isinstance(trace.steps, PackedSteps):
        return replace(trace, steps=PackedSteps(steps))
    return replace(trace, steps=tuple(steps))


def _prices(billed: Trace) -> Iterator[tuple[_Key, PriceSnapshot]]:
    for step in billed.steps:
        if not step.calls and step.price is not None:
            yield _key(step, step.model_name, step.provider, step.usage), step.price
        for call in step.calls:
            if call.price is not None:
                yield _key_of_call(step, call), call.price


def _with_prices(step: Step, prices: dict[_Key, PriceSnapshot]) -> Step:
    if step.calls:
        calls: list[ModelCall] = []
        for call in step.calls:
            price = call.price or prices.get(_key_of_call(step, call))
            calls.append(replace(call, price=price))
        return replace(step, calls=tuple(calls))
    if step.price is not None or step.usage is None:
        return step
    key = _key(step, step.model_name, step.provider, step.usage)
    price = prices.get(key)
    return step if price is None else replace(step, price=price)


def _key_of_call(step: Step, call: ModelCall) -> _Key:
    return _key(step, call.model_name, call.provider, call.usage)


def _key(step: Step, model: str | None, provider: str, usage: Usage | None) -> _Key:
    """What a call is known by: two with the same key have the same price."""
    figures: _Key = ()
    if usage is not None:
        figures = (
            usage.input_tokens_uncached,
            usage.input_tokens_cached,
            usage.input_tokens_cache_write,
            usage.input_tokens_cache_write_1h,
            usage.output_tokens,
            usage.reasoning_tokens,
            usage.searches,
            usage.service_tier,
        )
    return (step.start_time, model, provider, *figures)
