"""The model calls of a step, and what parts of their tokens cost. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, Step
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing.bill.sums import MoneySums


def calls_of(step: Step) -> Iterator[ModelCall]:
    """The model calls of a step, also where the step itself is the only one."""
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


def input_cost(step: Step) -> tuple[Money, ...]:
    """What the input of the step's priced calls cost, one amount for each currency."""
    return _cost_of_part([step], _input_part)


def output_cost(steps: Iterable[Step]) -> tuple[Money, ...]:
    """What the visible output of the steps' priced calls cost, as `input_cost`."""
    return _cost_of_part(steps, _output_part)


def _input_part(usage: Usage) -> Usage:
    return Usage(
        input_tokens_uncached=usage.input_tokens_uncached,
        input_tokens_cached=usage.input_tokens_cached,
        input_tokens_cache_write=usage.input_tokens_cache_write,
    )


def _output_part(usage: Usage) -> Usage:
    return Usage(output_tokens=usage.output_tokens)


def _cost_of_part(
    steps: Iterable[Step], part_of: Callable[[Usage], Usage]
) -> tuple[Money, ...]:
    sums = MoneySums()
    for step in steps:
        for call in calls_of(step):
            if call.price is not None and call.usage is not None:
                sums.add(call.price.cost(part_of(call.usage)))
    return sums.money
