"""A step's tokens and cost in parts: each source of its input, its output, everything else.

The parts add up to what the step used and cost. The cost of a model call is split by its
price; where it has none, by the prices that the reported costs of the run imply; else
with an output token at the price of `OUTPUT_WEIGHT` input tokens.

The input is split by source. A cache holds the beginning of a prompt, so the cached
tokens belong to what stands first: instructions, then what an earlier call of the same
agent has already sent, then what is new. A call that costs less than the implied prices
say has had its discount there too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    CONTEXT_SOURCES,
    ContextBreakdown,
    ModelCall,
    Step,
)
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing.bill.implied_prices import ImpliedPrices
from judgemesh.mesh.tracing.bill.model_calls import calls_of
from judgemesh.mesh.tracing.bill.sums import MoneySums, allotted, cut

UNATTRIBUTED: Final = "unattributed"
"""The source of counted input tokens that a step's breakdown does not explain."""
OUTPUT: Final = "output"
REASONING: Final = "reasoning"
_INPUT: Final = "input"
REST: Final = "rest"
"""What a step cost beside its model calls: tools, databases, computing."""
OUTPUT_WEIGHT: Final = 4
_DISCOUNT: Final = Decimal("0.25")
"""What a cached token is taken to cost where only the discount of a call is known."""
FIXED_SOURCES: Final = (
    UNATTRIBUTED,
    "system_prompt",
    "skill_instruction",
    "other_context",
)
"""What stands at the beginning of a prompt and is the same in each call."""
INPUT_PARTS: Final = (*CONTEXT_SOURCES, UNATTRIBUTED)


@dataclass(slots=True)
class Part:
    """Tokens and their cost. cached: how many of the tokens were read from a cache."""

    tokens: int = 0
    cached: int = 0
    cost: MoneySums = field(default_factory=MoneySums)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing of it."""
        return not self.tokens and not any(self.cost.totals.values())


@dataclass(slots=True)
class StepSplitter:
    """Splits the steps of one run, which are given in their order."""

    implied: ImpliedPrices
    _last: dict[str | None, ContextBreakdown] = field(
        default_factory=dict[str | None, ContextBreakdown]
    )

    def parts(self, step: Step) -> dict[str, Part]:
        """The parts of a step by name; those that are empty are left out."""
        costs = self._costs(step)
        usage = step.usage or Usage()
        parts = self._input(step, costs.pop(_INPUT, MoneySums()))
        parts[OUTPUT] = Part(usage.output_tokens)
        parts[REASONING] = Part(usage.reasoning_tokens)
        parts[REST] = Part()
        for name, sums in costs.items():
            parts[name].cost = sums
        return {name: part for name, part in parts.items() if not part.is_empty}

    # --- cost ---

    def _costs(self, step: Step) -> dict[str, MoneySums]:
        """What input, output, reasoning and the rest cost; together the step's cost."""
        by_currency: dict[str, dict[str, Decimal]] = {}
        for call in _costed_calls(step):
            for name, money in self._of_call(call, step):
                amounts = by_currency.setdefault(money.currency, {})
                amounts[name] = amounts.get(name, Decimal(0)) + money.amount
        costs: dict[str, MoneySums] = {}
        for whole in step.costs.amounts():
            amounts = by_currency.get(whole.currency, {})
            rest = whole.amount - sum(amounts.values())
            if rest >= 0:
                amounts = {**amounts, REST: rest}
            else:
                # The parts contradict the stated whole, which counts.
                fitting = allotted(whole.amount, list(amounts.values()))
                amounts = dict(zip(amounts, fitting, strict=True))
            for name, amount in amounts.items():
                money = Money(amount, whole.currency)
                costs.setdefault(name, MoneySums()).add(money)
        return costs

    def _of_call(self, call: ModelCall, step: Step) -> Iterator[tuple[str, Money]]:
        usage, cost = call.usage, call.cost
        if usage is None or cost is None:
            return
        tokens = {
            _INPUT: usage.input_total,
            OUTPUT: usage.output_tokens,
            REASONING: usage.reasoning_tokens,
        }
        weights: list[Decimal | int]
        if call.price is not None:
            weights = [
                call.price.cost(_input_of(usage)).amount,
                call.price.cost(Usage(output_tokens=usage.output_tokens)).amount,
                call.price.cost(Usage(reasoning_tokens=usage.reasoning_tokens)).amount,
            ]
        else:
            weights = self._unpriced_weights(call, step, usage, cost)
        amounts = allotted(cost.amount, weights)
        for name, amount in zip(tokens, amounts, strict=True):
            if amount:
                yield name, Money(amount, cost.currency)

    def _unpriced_weights(
        self, call: ModelCall, step: Step, usage: Usage, cost: Money
    ) -> list[Decimal | int]:
        model = call.model_name or step.model_name
        price = self.implied.get((model, cost.currency))
        written = usage.output_tokens + usage.reasoning_tokens
        # A discount is one of the input: what is over after the output is the input's.
        if price is not None and price.output * written <= cost.amount:
            output = price.output * usage.output_tokens
            reasoning = price.output * usage.reasoning_tokens
            return [cut(cost.amount - output - reasoning), output, reasoning]
        return [
            usage.input_total,
            usage.output_tokens * OUTPUT_WEIGHT,
            usage.reasoning_tokens * OUTPUT_WEIGHT,
        ]

    # --- input ---

    def _input(self, step: Step, cost: MoneySums) -> dict[str, Part]:
        usage = step.usage
        usage = usage or Usage()
        context = step.context or ContextBreakdown()
        tokens = dict(context.items())
        tokens[UNATTRIBUTED] = max(usage.input_total - context.total, 0)
        before: Mapping[str, int] = {}
        if step.agent_id in self._last:
            before = dict(self._last[step.agent_id].items())
        if step.context is not None and step.usage is not None:
            self._last[step.agent_id] = step.context
        cached = _from_front(usage.input_tokens_cached, tokens, before)
        rates = _rates(step)
        discounted = cached
        if not usage.cache_reported:
            rates = (_DISCOUNT, Decimal(1))
            discounted = _from_front(self._discounted(step, cost), tokens, before)
        left = {name: count - cached[name] for name, count in tokens.items()}
        written = _from_front(usage.input_tokens_cache_write, left, before)
        weights: list[Decimal | int] = []
        for name, count in tokens.items():
            fresh = count - discounted[name] - written[name]
            weights.append(
                fresh + discounted[name] * rates[0] + written[name] * rates[1]
            )
        if not any(weights):
            weights[-1] = 1
        parts: dict[str, Part] = {}
        for name, count in tokens.items():
            parts[name] = Part(count, cached[name])
        for currency, amount in cost.totals.items():
            for name, amount_of in zip(tokens, allotted(amount, weights), strict=True):
                if amount_of:
                    parts[name].cost.add(Money(amount_of, currency))
        return parts

    def _discounted(self, step: Step, cost: MoneySums) -> int:
        """How many tokens a call read from a cache without saying so.

        Where its input cost less than the prices that the other calls imply, the
        discount is that of the beginning of the prompt.
        """
        if step.usage is None or len(cost.totals) != 1:
            return 0
        ((currency, paid),) = cost.totals.items()
        price = self.implied.get((step.model_name, currency))
        if price is None:
            return 0
        saved = price.input * step.usage.input_total - paid
        tokens = saved / (price.input * (1 - _DISCOUNT))
        return min(max(int(tokens), 0), step.usage.input_total)


def in_order(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps by their numbers. Packed ones are so already, and too many to sort."""
    if isinstance(steps, tuple):
        return sorted(steps, key=lambda step: step.step_id)
    return steps


def _from_front(
    count: int, tokens: Mapping[str, int], before: Mapping[str, int]
) -> dict[str, int]:
    """How `count` tokens at the beginning of a prompt fall to its sources.

    before: the sources of the agent's call before.
    """
    if not count:
        return dict.fromkeys(tokens, 0)
    known = {name: min(tokens[name], before.get(name, 0)) for name in tokens}
    fixed = {name: tokens[name] if name in FIXED_SOURCES else 0 for name in tokens}
    old = {name: 0 if name in FIXED_SOURCES else known[name] for name in tokens}
    new = {name: tokens[name] - fixed[name] - old[name] for name in tokens}
    taken = dict.fromkeys(tokens, 0)
    for group in (fixed, old, new):
        shares = _shared(count, group)
        for name, share in shares.items():
            taken[name] += share
        count -= sum(shares.values())
    return taken


def _shared(count: int, group: Mapping[str, int]) -> dict[str, int]:
    """At most `count` tokens of a group, in proportion; whole numbers."""
    whole = sum(group.values())
    if count >= whole:
        return dict(group)
    shares: dict[str, int] = {}
    given = reached = 0
    for name, tokens in group.items():
        reached += tokens
        share = count * reached // whole - given
        given += share
        shares[name] = share
    return shares


def _rates(step: Step) -> tuple[Decimal, Decimal]:
    """What a cached token and a cache write cost, with an uncached token as 1."""
    for call in calls_of(step):
        price = call.price
        if price is not None and price.price_input_per_million:
            full = price.price_input_per_million
            cached = price.price_cached_input_per_million
            written = price.price_cache_write_per_million
            return (
                Decimal(1) if cached is None else cached / full,
                Decimal(1) if written is None else written / full,
            )
    return Decimal(1), Decimal(1)


def _costed_calls(step: Step) -> Iterator[ModelCall]:
    """The calls with their costs; the step as one call where its calls have none."""
    calls = list(calls_of(step))
    if calls and all(call.cost is not None for call in calls):
        yield from calls
    elif step.usage is not None:
        llm = step.costs.llm
        if llm is None and step.reported_state_cost is not None:
            llm = _without_parts(step)
        yield ModelCall(model_name=step.model_name, usage=step.usage, cost=llm)


def _without_parts(step: Step) -> Money | None:
    """What is over of a step's reported cost after its known parts."""
    whole = step.reported_state_cost
    if whole is None:
        return None
    for _, money in step.costs.parts():
        if money.currency != whole.currency:
            return None
        whole = Money(whole.amount - money.amount, whole.currency)
    return whole if whole.amount > 0 else None


def _input_of(usage: Usage) -> Usage:
    return Usage(
        input_tokens_uncached=usage.input_tokens_uncached,
        input_tokens_cached=usage.input_tokens_cached,
        input_tokens_cache_write=usage.input_tokens_cache_write,
    )
