"""The sources of input tokens on a bill, and what their tokens cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.tracing import CONTEXT_SOURCES, Step
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.bill import ContextRow
from judgemesh.mesh.tracing.bill.model_calls import input_cost
from judgemesh.mesh.tracing.bill.sums import MoneySums, allotted, ratio

UNATTRIBUTED: Final = "unattributed"
"""The source of counted input tokens that a step's breakdown does not explain."""


@dataclass(slots=True)
class _SourceSums:
    tokens: int = 0
    estimated: int = 0
    cost: MoneySums = field(default_factory=MoneySums)


class ContextSums:
    """Collects the context breakdowns of steps by source."""

    def __init__(self) -> None:
        self._sources: dict[str, _SourceSums] = {}

    def add(self, step: Step) -> None:
        """Count the context of one step, if it has one."""
        context = step.context
        if context is None:
            return
        counted = 0 if step.usage is None else step.usage.input_total
        tokens = dict(context.items())
        tokens[UNATTRIBUTED] = max(counted - context.total, 0)
        costs: dict[str, list[Decimal]] = {}
        for money in input_cost(step):
            costs[money.currency] = allotted(money.amount, list(tokens.values()))
        for index, (name, number) in enumerate(tokens.items()):
            if not number:
                continue
            sums = self._sources.setdefault(name, _SourceSums())
            sums.tokens += number
            if context.basis == "estimated":
                sums.estimated += number
            for currency, parts in costs.items():
                sums.cost.add(Money(parts[index], currency))

    def rows(self) -> tuple[ContextRow, ...]:
        """A row for each source, in the order of the article."""
        whole = sum(sums.tokens for sums in self._sources.values())
        rows: list[ContextRow] = []
        for name in (*CONTEXT_SOURCES, UNATTRIBUTED):
            sums = self._sources.get(name)
            if sums is not None:
                rows.append(
                    ContextRow(
                        name=name,
                        tokens=sums.tokens,
                        estimated_tokens=sums.estimated,
                        share=ratio(sums.tokens, whole),
                        cost=sums.cost.money,
                    )
                )
        return tuple(rows)
