"""Checks of the patterns that the sources of the input show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median_low
from typing import Final

from judgemesh.contracts.tracing import Step
from judgemesh.mesh.tracing.bill.split import INPUT_PARTS, UNATTRIBUTED, Part
from judgemesh.mesh.tracing.bill.sums import MoneySums, ratio, share_of
from judgemesh.mesh.tracing.findings.pattern import (
    HALF,
    MIN_TOKENS,
    Check,
    Cut,
    Number,
    PatternMatch,
    PricedRun,
)

SOURCE_SHARE: Final = 0.25
FIXED_PROMPT: Final = ("system_prompt", "other_context", UNATTRIBUTED)
"""Instructions, descriptions of tools, and what the trace does not show of a prompt."""
_IS_CACHED: Final = (
    "Shorten the system prompt; offer the tools that the task needs. A cache already"
    " serves most of it."
)
_MIN_CALLS: Final = 3
_QUARTER: Final = Decimal("0.25")


@dataclass(slots=True)
class _Seen:
    """Some sources in the calls whose context is known.

    by_step: their tokens by step. input_tokens, input_cost: of all sources.
    """

    by_step: dict[int, int] = field(default_factory=dict[int, int])
    cached: int = 0
    cost: MoneySums = field(default_factory=MoneySums)
    input_tokens: int = 0
    input_cost: MoneySums = field(default_factory=MoneySums)

    def add(
        self, step: Step, parts: Mapping[str, Part], sources: Sequence[str]
    ) -> None:
        """Count one call."""
        tokens = 0
        for name in INPUT_PARTS:
            part = parts.get(name)
            if part is None:
                continue
            self.input_tokens += part.tokens
            self.input_cost.add_all(part.cost.money)
            if name in sources:
                tokens += part.tokens
                self.cached += part.cached
                self.cost.add_all(part.cost.money)
        if tokens:
            self.by_step[step.step_id] = tokens

    @property
    def tokens(self) -> int:
        """Tokens of the sources in all calls."""
        return sum(self.by_step.values())

    @property
    def share(self) -> float:
        """The share of the input's cost; of its tokens where the cost is unknown."""
        by_cost = share_of(self.cost.money, self.input_cost.money)
        if by_cost is not None:
            return by_cost
        return ratio(self.tokens, self.input_tokens) or 0.0

    @property
    def is_notable(self) -> bool:
        """Whether the share is large, and so is the source in some single call."""
        largest = max(self.by_step.values(), default=0)
        return self.share >= SOURCE_SHARE and largest >= MIN_TOKENS

    def numbers(self) -> dict[str, Number]:
        """What shows the finding."""
        sizes = list(self.by_step.values())
        numbers: dict[str, Number] = {
            "calls": len(sizes),
            "median_tokens_a_call": median_low(sizes),
            "largest_call": max(sizes),
            "tokens_in_all_calls": self.tokens,
            "share_of_input_tokens": ratio(self.tokens, self.input_tokens) or 0.0,
        }
        by_cost = share_of(self.cost.money, self.input_cost.money)
        if by_cost is not None:
            numbers["share_of_input_cost"] = by_cost
        if self.cached:
            numbers["share_read_from_cache"] = ratio(self.cached, self.tokens) or 0.0
        return numbers


def _seen(run: PricedRun, sources: Sequence[str]) -> _Seen:
    seen = _Seen()
    for step in run.callers:
        if step.context is not None:
            seen.add(step, run.parts.get(step.step_id, {}), sources)
    return seen


def source_check(source: str, assumption: str) -> Check:
    """The check whether a source makes up a quarter of the input's cost.

    The estimate, under `assumption`, is half of it.
    """

    def check(run: PricedRun) -> PatternMatch | None:
        seen = _seen(run, (source,))
        if not seen.is_notable:
            return None
        numbers = seen.numbers()
        if source == "tool_result":
            numbers |= _largest_tool(run)
        return PatternMatch(
            numbers=numbers,
            steps=tuple(seen.by_step),
            assumption=assumption,
            cuts=[
                Cut(step_id=number, part=source, share=HALF) for number in seen.by_step
            ],
            per_call={f"{source}_tokens": tuple(seen.by_step.values())},
        )

    return check


def _largest_tool(run: PricedRun) -> dict[str, Number]:
    """The tool whose results took most tokens on their way into a context."""
    sent: dict[str, int] = {}
    for row in run.bill.by_tool:
        if row.sent_tokens:
            sent[row.name] = sent.get(row.name, 0) + row.sent_tokens
    if not sent:
        return {}
    name = max(sent, key=lambda tool: (sent[tool], tool))
    return {"largest_tool": name, "its_tokens_sent_on": sent[name]}


def check_fixed_prompt(run: PricedRun) -> PatternMatch | None:
    """A part of the prompt that is in each call, and much of the input.

    What the smallest call of an agent has of it is fixed; what is above may be content
    that the trace does not show.
    """
    seen = _seen(run, FIXED_PROMPT)
    fixed = _fixed(run, seen)
    if not seen.is_notable or len(fixed) < _MIN_CALLS or not _is_stable(fixed, seen):
        return None
    cuts: list[Cut] = []
    for number, tokens in fixed.items():
        share = _QUARTER * tokens / seen.by_step[number]
        for source in FIXED_PROMPT:
            cuts.append(Cut(step_id=number, part=source, share=share))
    sizes = list(fixed.values())
    return PatternMatch(
        numbers={
            "calls": len(sizes),
            "fixed_tokens_a_call": median_low(sizes),
            "fixed_tokens_in_all_calls": sum(sizes),
            "share_of_input_tokens": ratio(sum(sizes), seen.input_tokens) or 0.0,
        },
        steps=tuple(fixed),
        assumption="a quarter of the fixed part is left out of each call",
        cuts=cuts,
        per_call={"fixed_prompt_tokens": tuple(sizes)},
        direction=_IS_CACHED if seen.cached >= HALF * seen.tokens else "",
        cause=(
            f"About {median_low(sizes):,} tokens of instructions and tool descriptions"
            f" are sent in each of {len(sizes)} calls."
        ),
    )


def _fixed(run: PricedRun, seen: _Seen) -> dict[int, int]:
    """What each call has of the fixed part: as much as the agent's smallest call."""
    smallest: dict[str | None, int] = {}
    calls = [step for step in run.callers if step.step_id in seen.by_step]
    for step in calls:
        tokens = seen.by_step[step.step_id]
        smallest[step.agent_id] = min(smallest.get(step.agent_id, tokens), tokens)
    return {step.step_id: smallest[step.agent_id] for step in calls}


def _is_stable(fixed: Mapping[int, int], seen: _Seen) -> bool:
    """Whether it is the larger part of these sources, and large on the whole."""
    tokens = sum(fixed.values())
    is_most = tokens >= HALF * seen.tokens
    return is_most and tokens >= SOURCE_SHARE * seen.input_tokens
