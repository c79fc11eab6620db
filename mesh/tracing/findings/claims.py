"""Savings, each claimed once: what a finding takes is not there for the next.

The findings claim in the order of the list of patterns: a step that is not made needs no
shorter prompt, and what is not sent needs no cache. The sum of all claims is therefore
never more than the run used and cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from judgemesh.contracts.money import Money
from judgemesh.mesh.tracing.bill.split import INPUT_PARTS
from judgemesh.mesh.tracing.bill.sums import MoneySums, cut, plain
from judgemesh.mesh.tracing.findings.pattern import Cut, PricedRun


@dataclass(slots=True)
class _Rest:
    """What is left of a part."""

    tokens: int
    cost: dict[str, Decimal]


@dataclass(slots=True)
class Claims:
    """What the findings of one run have not claimed yet."""

    run: PricedRun
    _rests: dict[tuple[int, str], _Rest] = field(
        default_factory=dict[tuple[int, str], _Rest]
    )

    def claim(self, cuts: Iterable[Cut]) -> tuple[tuple[Money, ...], int]:
        """Take the cuts from what is left; their money and their tokens."""
        money, tokens = MoneySums(), 0
        for each in cuts:
            for part in self._parts_of(each):
                rest = self._rest(each.step_id, part)
                share = _share(each, rest)
                if not each.keeps_tokens:
                    taken = int((rest.tokens * share).to_integral_value())
                    rest.tokens -= taken
                    tokens += taken
                for currency, amount in rest.cost.items():
                    paid = plain(cut(amount * share))
                    rest.cost[currency] = amount - paid
                    money.add(Money(paid, currency))
        amounts = tuple(amount for amount in money.money if amount.amount)
        return amounts, tokens

    def _parts_of(self, each: Cut) -> Iterator[str]:
        if each.part:
            yield each.part
        else:
            yield from self.run.parts.get(each.step_id, ())

    def _rest(self, step_id: int, name: str) -> _Rest:
        key = (step_id, name)
        if key not in self._rests:
            part = self.run.parts.get(step_id, {}).get(name)
            if part is None:
                self._rests[key] = _Rest(0, {})
            else:
                tokens = self._counted(step_id, name, part.tokens)
                self._rests[key] = _Rest(tokens, dict(part.cost.totals))
        return self._rests[key]

    def _counted(self, step_id: int, name: str, tokens: int) -> int:
        """A breakdown that is larger than the counted input claims no more than that."""
        parts = self.run.parts[step_id]
        stated = sum(parts[part].tokens for part in INPUT_PARTS if part in parts)
        counted = self.run.input_tokens.get(step_id, 0)
        if name in INPUT_PARTS and stated > counted:
            return tokens * counted // stated
        return tokens


def _share(each: Cut, rest: _Rest) -> Decimal:
    """Which share of what is left a cut takes, from 0 to 1."""
    share = each.share
    if each.tokens is not None:
        taken = min(each.tokens, rest.tokens)
        share = Decimal(taken) / rest.tokens if rest.tokens else Decimal(0)
    return min(max(share, Decimal(0)), Decimal(1))
