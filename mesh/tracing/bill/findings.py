"""Where a run wastes money (article 002, Part IX): patterns, each with the numbers that show it and what it may save.

`PATTERNS` is the whole list. A threshold is a default, not a law: it says when a pattern is worth a look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from statistics import median_low
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.contracts.usage import Money, Usage
from judgemesh.mesh.tracing.bill.bill import Bill, bill_of
from judgemesh.mesh.tracing.bill.metrics import calls_of
from judgemesh.mesh.tracing.bill.sums import MoneySums
from judgemesh.mesh.tracing.steps.values import count_of

_QUANTUM: Final = Decimal("1e-12")
_PER_MILLION: Final = Decimal(1_000_000)
_LITTLE_TOKENS: Final = 2_000
"""Below this many tokens a ratio is an accident, not a pattern."""

Number = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a pattern's check found: numbers, steps, and the saving with its assumption."""

    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    saving: tuple[Money, ...] = ()
    saving_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """A priced run and its bill."""

    trace: Trace
    bill: Bill


@dataclass(frozen=True, slots=True)
class Pattern:
    """A cost pattern: what it is called, why it is, what to do, when it is worth a look, and how it is seen."""

    code: str
    title: str
    cause: str
    direction: str
    threshold: str
    check: Callable[[Facts], Found | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A pattern in one run. `saving` is an estimate under `assumption`, one amount a currency; empty: not estimable."""

    code: str
    trace_id: str
    title: str
    cause: str
    direction: str
    threshold: str
    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    saving: tuple[Money, ...] = ()
    saving_tokens: int | None = None
    skill_id: str | None = None


def findings_of(trace: Trace, bill: Bill | None = None) -> tuple[Finding, ...]:
    """Every pattern that a priced run shows, the dearest first."""
    facts = Facts(trace, bill or bill_of(trace))
    found = [
        _finding(pattern, facts, seen)
        for pattern in PATTERNS
        if (seen := pattern.check(facts)) is not None
    ]
    return tuple(
        sorted(found, key=lambda one: (-_size(one.saving), -(one.saving_tokens or 0)))
    )


def _finding(pattern: Pattern, facts: Facts, found: Found) -> Finding:
    return Finding(
        code=pattern.code,
        trace_id=facts.trace.trace_id,
        title=pattern.title,
        cause=pattern.cause,
        direction=pattern.direction,
        threshold=pattern.threshold,
        numbers=found.numbers,
        steps=found.steps,
        assumption=found.assumption,
        saving=found.saving,
        saving_tokens=found.saving_tokens,
        skill_id=facts.trace.skill_id,
    )


# --- context sources ---

_SOURCE_SHARE: Final = 0.25


def _source(name: str, halved: str) -> Callable[[Facts], Found | None]:
    """A context source that makes up a quarter of the input."""

    def check(facts: Facts) -> Found | None:
        line = next((line for line in facts.bill.by_context if line.name == name), None)
        if (
            line is None
            or line.share is None
            or line.share < _SOURCE_SHARE
            or line.tokens < _LITTLE_TOKENS
        ):
            return None
        return Found(
            numbers={f"{name}_tokens": line.tokens, "share_of_input": line.share},
            steps=_steps(
                facts,
                lambda step: (
                    step.context is not None and dict(step.context.items())[name] > 0
                ),
            ),
            assumption=halved,
            saving=_scaled(line.cost, Decimal("0.5")),
            saving_tokens=line.tokens // 2,
        )

    return check


# --- states ---

_STATE_SHARE: Final = 0.15


def _state_share(facts: Facts, state: StateType) -> float | None:
    line = next(
        (line for line in facts.bill.by_state if line.name == state.value), None
    )
    return (
        None
        if line is None or line.share is None or line.share < _STATE_SHARE
        else line.share
    )


def _validation(facts: Facts) -> Found | None:
    share = _state_share(facts, StateType.VALIDATE)
    if share is None:
        return None
    rounds = [
        step for step in facts.trace.steps if step.state_type is StateType.VALIDATE
    ]
    idle = [step for step in rounds if count_of(step.details.get("issues_found")) == 0]
    spare = idle or rounds[1:]
    assumption = "the validation rounds that found no issue are not run"
    if not idle:
        assumption = (
            "only the first validation round is run"
            if spare
            else "there was one round: nothing is estimated"
        )
    return Found(
        numbers={
            "cost_share": share,
            "rounds": len(rounds),
            "rounds_without_issue": len(idle),
        },
        steps=tuple(step.step_id for step in rounds),
        assumption=assumption,
        saving=_costs(spare),
        saving_tokens=_tokens(spare) if spare else None,
    )


def _refinement(facts: Facts) -> Found | None:
    share = _state_share(facts, StateType.REFINE)
    if share is None:
        return None
    rounds = [step for step in facts.trace.steps if step.state_type is StateType.REFINE]
    written = sum(step.usage.output_tokens for step in rounds if step.usage is not None)
    efficiency = facts.bill.metrics.refinement_efficiency
    waste = (
        Decimal("0.5")
        if efficiency is None
        else max(1 - Decimal(str(efficiency)), Decimal(0))
    )
    numbers: dict[str, Number] = {"cost_share": share, "output_tokens": written}
    if efficiency is not None:
        numbers["refinement_efficiency"] = efficiency
    return Found(
        numbers=numbers,
        steps=tuple(step.step_id for step in rounds),
        assumption=(
            "half of what is written in repair is not needed (nothing says how much was modified)"
            if efficiency is None
            else "only the tokens that are modified are written"
        ),
        saving=_scaled(_output_costs(rounds), waste),
        saving_tokens=int(written * waste),
    )


# --- the whole run ---

_CACHE_GOAL: Final = 0.5
_AMPLIFIED: Final = 100.0


def _cache(facts: Facts) -> Found | None:
    totals, hit = facts.bill.totals, facts.bill.metrics.cache_hit_ratio
    callers = [step for step in facts.trace.steps if step.usage is not None]
    if (
        hit is None
        or hit >= _CACHE_GOAL
        or totals.input_tokens < 5 * _LITTLE_TOKENS
        or len(callers) < 2
    ):
        return None
    more = totals.input_tokens * Decimal(str(_CACHE_GOAL)) - totals.input_tokens_cached
    fresh = sum(
        step.usage.input_tokens_uncached for step in callers if step.usage is not None
    )
    part = min(more / fresh, Decimal(1)) if fresh else Decimal(0)
    saving = MoneySums()
    for step in callers:
        for call in calls_of(step):
            if (
                call.price is None
                or call.usage is None
                or call.price.price_cached_input_per_million is None
            ):
                continue
            gap = (
                call.price.price_input_per_million
                - call.price.price_cached_input_per_million
            )
            saved = call.usage.input_tokens_uncached * part * gap / _PER_MILLION
            saving.add(Money(saved.quantize(_QUANTUM, ROUND_DOWN), call.price.currency))
    return Found(
        numbers={
            "cache_hit_ratio": hit,
            "input_tokens": totals.input_tokens,
            "model_steps": len(callers),
        },
        steps=tuple(step.step_id for step in callers),
        assumption=f"a stable prompt prefix brings the cache hit ratio to {_CACHE_GOAL:.0%}; writing the cache is free",
        saving=saving.money,
    )


def _amplification(facts: Facts) -> Found | None:
    ratio = facts.bill.metrics.input_amplification_ratio
    if ratio is None or ratio < _AMPLIFIED:
        return None
    callers = [
        step
        for step in facts.trace.steps
        if step.usage is not None and step.usage.input_total
    ]
    usual = median_low([_input(step) for step in callers])
    above = [step for step in callers if _input(step) > usual]
    saving = MoneySums()
    for step in above:
        for money in _input_costs(step):
            part = Decimal(_input(step) - usual) / _input(step)
            saving.add(
                Money(
                    (money.amount * part).quantize(_QUANTUM, ROUND_DOWN), money.currency
                )
            )
    return Found(
        numbers={
            "input_amplification_ratio": ratio,
            "input_tokens": facts.bill.totals.input_tokens,
            "user_instruction_tokens": facts.bill.metrics.user_instruction_tokens,
            "median_input_tokens": usual,
        },
        steps=tuple(step.step_id for step in above),
        assumption="a context budget holds every step to the run's median input",
        saving=saving.money,
        saving_tokens=sum(_input(step) - usual for step in above),
    )


_CONTEXT_RATIO: Final = 0.5


def _tool_context(facts: Facts) -> Found | None:
    """Tools whose raw output goes into the next context nearly whole."""
    raw: dict[str, int] = {}
    sent: dict[str, int] = {}
    for step in facts.trace.steps:
        for tool in step.tools:
            if tool.response_tokens_raw and tool.tokens_sent_to_next_llm is not None:
                raw[tool.tool_name] = (
                    raw.get(tool.tool_name, 0) + tool.response_tokens_raw
                )
                sent[tool.tool_name] = (
                    sent.get(tool.tool_name, 0) + tool.tokens_sent_to_next_llm
                )
    wide = {
        name
        for name, tokens in raw.items()
        if tokens >= _LITTLE_TOKENS and sent[name] / tokens >= _CONTEXT_RATIO
    }
    if not wide:
        return None
    entered = sum(sent[name] for name in wide)
    return Found(
        numbers={
            "tools": len(wide),
            "raw_tokens": sum(raw[name] for name in wide),
            "tokens_sent_to_next_llm": entered,
            "tool_context_ratio": entered / sum(raw[name] for name in wide),
        },
        steps=_steps(
            facts, lambda step: any(tool.tool_name in wide for tool in step.tools)
        ),
        assumption="half of what these tools send on is filtered out; counted once, though later calls send it again",
        saving_tokens=entered // 2,
    )


def _repeats(facts: Facts) -> Found | None:
    """The same tool asked the same thing again."""
    seen: set[tuple[str, str]] = set()
    again: list[Step] = []
    saving = MoneySums()
    tokens = 0
    for step in facts.trace.steps:
        for tool in step.tools:
            if not tool.arguments_digest:
                continue
            key = (tool.tool_name, tool.arguments_digest)
            if key in seen:
                again.append(step)
                saving.add(tool.tool_cost)
                tokens += tool.tokens_sent_to_next_llm or 0
            seen.add(key)
    if not again:
        return None
    return Found(
        numbers={"repeated_calls": len(again), "tokens_sent_to_next_llm": tokens},
        steps=tuple(sorted({step.step_id for step in again})),
        assumption="the answer to the first of equal calls is used again; the world may have changed between",
        saving=saving.money,
        saving_tokens=tokens or None,
    )


_FAILED_SHARE: Final = 0.05


def _failures(facts: Facts) -> Found | None:
    failed = [step for step in facts.trace.steps if step.status in {"error", "timeout"}]
    spent, whole = _costs(failed), facts.bill.totals.cost
    if not failed or len(spent) != 1 or len(whole) != 1 or not whole[0].amount:
        return None
    share = float(spent[0].amount / whole[0].amount)
    if share < _FAILED_SHARE:
        return None
    return Found(
        numbers={"failed_steps": len(failed), "cost_share": share},
        steps=tuple(step.step_id for step in failed),
        assumption="the failing steps are not made",
        saving=spent,
        saving_tokens=_tokens(failed),
    )


PATTERNS: Final[tuple[Pattern, ...]] = (
    Pattern(
        "HIGH_SKILL_INSTRUCTION",
        "High skill_instruction_tokens",
        "The Skill package is too verbose.",
        "Compress the Skill; load its modules when they are needed.",
        f"at least {_SOURCE_SHARE:.0%} of the input tokens",
        _source("skill_instruction", "the Skill instructions are half as long"),
    ),
    Pattern(
        "HIGH_RETRIEVED_CONTEXT",
        "High retrieved_context_tokens",
        "Retrieval returns too much context.",
        "Rerank better, drop duplicates, select within a budget.",
        f"at least {_SOURCE_SHARE:.0%} of the input tokens",
        _source("retrieved_context", "half of the retrieved context is selected away"),
    ),
    Pattern(
        "HIGH_TOOL_RESULT",
        "High tool_result_tokens",
        "Tool outputs are copied into the context as they are.",
        "Summarise tool results; extract what the schema asks for.",
        f"at least {_SOURCE_SHARE:.0%} of the input tokens",
        _source(
            "tool_result", "tool results are half as long when they enter the context"
        ),
    ),
    Pattern(
        "HIGH_HISTORY",
        "High history_tokens",
        "The conversation is sent again uncompressed.",
        "Keep a rolling summary; move old turns to memory.",
        f"at least {_SOURCE_SHARE:.0%} of the input tokens",
        _source("history", "the history is half as long"),
    ),
    Pattern(
        "HIGH_VALIDATE_COST",
        "High VALIDATE cost",
        "Too many validation rounds.",
        "Route validators; validate selectively.",
        f"at least {_STATE_SHARE:.0%} of the cost",
        _validation,
    ),
    Pattern(
        "HIGH_REFINE_COST",
        "High REFINE cost",
        "Large rewrites for small fixes.",
        "Refine with patches.",
        f"at least {_STATE_SHARE:.0%} of the cost",
        _refinement,
    ),
    Pattern(
        "LOW_CACHE_HIT_RATIO",
        "Low cache hit ratio",
        "The context is unstable.",
        "Keep a stable prompt prefix; segment the Skill for caching.",
        f"below {_CACHE_GOAL:.0%} of {5 * _LITTLE_TOKENS:,} input tokens or more",
        _cache,
    ),
    Pattern(
        "HIGH_INPUT_AMPLIFICATION",
        "High input amplification ratio",
        "The agent loop expands too aggressively.",
        "Prune states, filter tool results, set context budgets.",
        f"at least {_AMPLIFIED:g} input tokens for one of the instruction",
        _amplification,
    ),
    Pattern(
        "HIGH_TOOL_CONTEXT_RATIO",
        "High tool context ratio",
        "Raw tool output goes on to the model nearly whole.",
        "Filter, deduplicate or rerank before the result enters the context.",
        f"at least {_CONTEXT_RATIO:.0%} of {_LITTLE_TOKENS:,} raw tokens or more of a tool",
        _tool_context,
    ),
    Pattern(
        "REPEATED_TOOL_CALL",
        "Repeated tool calls",
        "The same tool is asked the same thing again.",
        "Keep tool results for the length of the run.",
        "the same tool and arguments twice",
        _repeats,
    ),
    Pattern(
        "COST_OF_FAILED_STEPS",
        "Cost of failed steps",
        "Steps fail after they were paid for.",
        "Check before calling; limit retries.",
        f"at least {_FAILED_SHARE:.0%} of the cost",
        _failures,
    ),
)


# --- across runs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTotal:
    """One pattern over many runs. `runs` of `runs_seen` show it; `worst` are the runs with the largest savings."""

    code: str
    title: str
    direction: str
    runs: int
    runs_seen: int
    saving: tuple[Money, ...]
    saving_tokens: int
    worst: tuple[str, ...]


@dataclass(slots=True)
class PatternTotals:
    """Collects the findings of runs one by one: which patterns cost most."""

    runs: int = 0
    _found: dict[str, list[Finding]] = field(default_factory=dict[str, list[Finding]])

    def add(self, findings: Iterable[Finding]) -> None:
        """Count one run."""
        self.runs += 1
        for finding in findings:
            self._found.setdefault(finding.code, []).append(finding)

    def totals(self, worst: int = 3) -> tuple[PatternTotal, ...]:
        """The patterns, the one that may save most first."""
        lines = [self._total(findings, worst) for findings in self._found.values()]
        return tuple(
            sorted(
                lines,
                key=lambda line: (-_size(line.saving), -line.saving_tokens, line.code),
            )
        )

    def _total(self, findings: list[Finding], worst: int) -> PatternTotal:
        purse = MoneySums()
        for finding in findings:
            purse.add_all(finding.saving)
        ordered = sorted(
            findings,
            key=lambda one: (
                -_size(one.saving),
                -(one.saving_tokens or 0),
                one.trace_id,
            ),
        )
        return PatternTotal(
            code=findings[0].code,
            title=findings[0].title,
            direction=findings[0].direction,
            runs=len(findings),
            runs_seen=self.runs,
            saving=purse.money,
            saving_tokens=sum(one.saving_tokens or 0 for one in findings),
            worst=tuple(one.trace_id for one in ordered[:worst]),
        )


PATTERN_OF: Final[Mapping[str, Pattern]] = MappingProxyType(
    {pattern.code: pattern for pattern in PATTERNS}
)


# --- sums ---


def _steps(facts: Facts, wanted: Callable[[Step], bool]) -> tuple[int, ...]:
    return tuple(step.step_id for step in facts.trace.steps if wanted(step))


def _costs(steps: Iterable[Step]) -> tuple[Money, ...]:
    purse = MoneySums()
    for step in steps:
        purse.add_all(step.costs.amounts())
    return purse.money


def _tokens(steps: Iterable[Step]) -> int:
    return sum(step.usage.total for step in steps if step.usage is not None)


def _input(step: Step) -> int:
    return 0 if step.usage is None else step.usage.input_total


def _input_costs(step: Step) -> tuple[Money, ...]:
    return _priced(
        [step],
        lambda usage: Usage(
            usage.input_tokens_uncached,
            usage.input_tokens_cached,
            usage.input_tokens_cache_write,
        ),
    )


def _output_costs(steps: Iterable[Step]) -> tuple[Money, ...]:
    return _priced(steps, lambda usage: Usage(output_tokens=usage.output_tokens))


def _priced(steps: Iterable[Step], part: Callable[[Usage], Usage]) -> tuple[Money, ...]:
    purse = MoneySums()
    for step in steps:
        for call in calls_of(step):
            if call.price is not None and call.usage is not None:
                purse.add(call.price.cost(part(call.usage)))
    return purse.money


def _scaled(amounts: Iterable[Money], factor: Decimal) -> tuple[Money, ...]:
    return tuple(
        Money(
            (money.amount * factor).quantize(_QUANTUM, ROUND_DOWN).normalize()
            + Decimal(0),
            money.currency,
        )
        for money in amounts
    )


def _size(saving: tuple[Money, ...]) -> Decimal:
    return (
        sum((money.amount for money in saving), Decimal(0))
        if len(saving) == 1
        else Decimal(0)
    )
