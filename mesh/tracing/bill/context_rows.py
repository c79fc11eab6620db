"""The sources of input tokens on a bill, and what their tokens cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from judgemesh.contracts.tracing import Step
from judgemesh.mesh.tracing.bill.bill import ContextRow
from judgemesh.mesh.tracing.bill.split import INPUT_PARTS, StepSplitter
from judgemesh.mesh.tracing.bill.sums import MoneySums, ratio


@dataclass(slots=True)
class _SourceSums:
    tokens: int = 0
    cached: int = 0
    cache_unknown: int = 0
    estimated: int = 0
    cost: MoneySums = field(default_factory=MoneySums)


class ContextSums:
    """Collects the context breakdowns of steps by source."""

    def __init__(self) -> None:
        self._sources: dict[str, _SourceSums] = {}

    def add(self, step: Step, splitter: StepSplitter) -> None:
        """Count the context of one step, if it has one."""
        context = step.context
        if context is None:
            return
        parts = splitter.parts(step)
        knows_cache = step.usage is not None and step.usage.cache_reported
        for name in INPUT_PARTS:
            part = parts.get(name)
            if part is None or not part.tokens:
                continue
            sums = self._sources.setdefault(name, _SourceSums())
            sums.tokens += part.tokens
            sums.cached += part.cached
            sums.cost.add_all(part.cost.money)
            if not knows_cache:
                sums.cache_unknown += part.tokens
            if context.basis == "estimated":
                sums.estimated += part.tokens

    def rows(self) -> tuple[ContextRow, ...]:
        """A row for each source, in the order of the article."""
        whole = sum(sums.tokens for sums in self._sources.values())
        rows: list[ContextRow] = []
        for name in INPUT_PARTS:
            sums = self._sources.get(name)
            if sums is not None:
                rows.append(
                    ContextRow(
                        name=name,
                        tokens=sums.tokens,
                        cached_tokens=sums.cached,
                        cache_unknown_tokens=sums.cache_unknown,
                        estimated_tokens=sums.estimated,
                        share=ratio(sums.tokens, whole),
                        cost=sums.cost.money,
                    )
                )
        return tuple(rows)
