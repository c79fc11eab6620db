"""What a cost pattern is, and what its check gets and gives."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.implied_prices import ImpliedPrices, implied_prices
from judgemesh.mesh.tracing.bill.split import Part, StepSplitter, in_order
from judgemesh.mesh.tracing.bill.sums import MoneySums

Number: TypeAlias = int | float | str
"""A number that shows a finding, or the name of what it is about."""

MIN_TOKENS: Final = 2_000
"""Below this many tokens a ratio is an accident and no pattern."""
_MAX_HELD: Final = 20_000
HALF: Final = Decimal("0.5")
FAILED: Final = frozenset({"error", "timeout"})


class Kind(StrEnum):
    """What a finding is about: a danger comes before any cost."""

    DANGER = "danger"
    COST = "cost"
    MEASUREMENT = "measurement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A part of a step that would not have been paid.

    part: a name of `split`; "" is the whole step.
    share: of what the findings before have left. tokens: at most so many, instead.
    keeps_tokens: the tokens are still sent, for less money.
    """

    step_id: int
    part: str = ""
    share: Decimal = Decimal(1)
    tokens: int | None = None
    keeps_tokens: bool = False


@dataclass(frozen=True, kw_only=True)
class PricedRun:
    """A priced run, its bill, and its steps in their order."""

    trace: Trace
    bill: Bill

    @cached_property
    def steps(self) -> Sequence[Step]:
        """The steps in their order. Those of a very large run stay packed."""
        steps = in_order(self.trace.steps)
        return tuple(steps) if len(steps) <= _MAX_HELD else steps

    @cached_property
    def implied(self) -> ImpliedPrices:
        """The prices that the reported costs imply."""
        return implied_prices(self.steps)

    @cached_property
    def parts(self) -> Mapping[int, Mapping[str, Part]]:
        """What each step is made of, by its number."""
        splitter = StepSplitter(self.implied)
        parts: dict[int, Mapping[str, Part]] = {}
        for step in self.steps:
            own = splitter.parts(step)
            if own:
                parts[step.step_id] = own
        return parts

    @cached_property
    def callers(self) -> Sequence[Step]:
        """The steps with token counts."""
        return [step for step in self.steps if step.usage is not None]

    @cached_property
    def input_tokens(self) -> Mapping[int, int]:
        """The counted input of each model call, by the number of its step."""
        counted: dict[int, int] = {}
        for step in self.callers:
            if step.usage is not None:
                counted[step.step_id] = step.usage.input_total
        return counted

    def steps_of(self, state: StateType) -> list[Step]:
        """The steps of one state."""
        return [step for step in self.steps if step.state_type is state]

    @cached_property
    def _callers_of(self) -> Mapping[str | None, Sequence[int]]:
        """The numbers of the model calls of each agent."""
        numbers: dict[str | None, list[int]] = {}
        for step in self.callers:
            numbers.setdefault(step.agent_id, []).append(step.step_id)
        return numbers

    def calls_beside(self, step: Step) -> Sequence[int]:
        """The numbers of the model calls of a step's agent.

        Of all agents, where the trace does not say whose the step is.
        """
        own = self._callers_of.get(step.agent_id)
        return list(self.input_tokens) if own is None else own

    def next_caller(self, step: Step) -> int | None:
        """The number of the first model call of the same agent after a step."""
        numbers = self.calls_beside(step)
        position = bisect_right(numbers, step.step_id)
        return numbers[position] if position < len(numbers) else None

    def asker(self, step: Step) -> int | None:
        """The number of the model call that asked for a step: the agent's last before it."""
        if step.parent_step_id in self.input_tokens:
            return step.parent_step_id
        numbers = self.calls_beside(step)
        position = bisect_left(numbers, step.step_id)
        return numbers[position - 1] if position else None

    def was_compacted(self, first: Step, second: Step) -> bool:
        """Whether the agent's context shrank to less than half between two steps."""
        numbers = self.calls_beside(second)
        begin = max(bisect_left(numbers, first.step_id) - 1, 0)
        end = bisect_right(numbers, second.step_id) + 1
        sizes = [self.input_tokens[number] for number in numbers[begin:end]]
        return any(later * 2 < earlier for earlier, later in pairwise(sizes))


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternMatch:
    """What a pattern's check found.

    cuts: what would not have been paid under `assumption`.
    per_call: sizes as they were observed in single calls, by name.
    cause, direction: where the measurement says more than the pattern.
    """

    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    cuts: Sequence[Cut] = ()
    per_call: Mapping[str, Sequence[int]] = field(
        default_factory=dict[str, Sequence[int]]
    )
    cause: str = ""
    direction: str = ""


Check: TypeAlias = Callable[[PricedRun], PatternMatch | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingPattern:
    """A cost pattern.

    cause: why it happens. direction: what to change. threshold: from when on it is
    reported; a default and no law. check: finds it in a run.
    unless: the codes of patterns that, found in the same run, say it better.
    """

    code: str
    title: str
    cause: str
    direction: str
    threshold: str
    check: Check
    kind: Kind = Kind.COST
    unless: frozenset[str] = frozenset()


def step_ids(steps: Iterable[Step]) -> tuple[int, ...]:
    """The numbers of steps."""
    return tuple(step.step_id for step in steps)


def cost_of(steps: Iterable[Step]) -> tuple[Money, ...]:
    """What steps cost together, one amount for each currency."""
    sums = MoneySums()
    for step in steps:
        sums.add_all(step.costs.amounts())
    return sums.money


def whole_steps(steps: Iterable[Step]) -> list[Cut]:
    """Cuts of whole steps."""
    return [Cut(step_id=step.step_id) for step in steps]
