"""What dominated the bill, and the one paragraph that says so (article 002, section 24). No model writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Final

from judgemesh.contracts.tracing import StateType
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow

_DOMINANT: Final = Decimal(2) / Decimal(3)
"""The main sources are the fewest states that make up two thirds."""
_NOTABLE: Final = 0.1
"""A context source that makes up less of the input is not named as one that caching helped."""
_HELPED: Final = 0.5

PHRASES: Final[Mapping[str, str]] = {
    StateType.OBSERVE: "observation",
    StateType.THINK: "planning and tool-call writing",
    StateType.RETRIEVE: "retrieved context entering the LLM context",
    StateType.MCP_CALL: "MCP tool calls",
    StateType.API_CALL: "API calls",
    StateType.DB_QUERY: "database queries",
    StateType.SCRIPT_EXEC: "script execution",
    StateType.FILE_READ: "file reading",
    StateType.FILE_WRITE: "file writing",
    StateType.MEMORY_READ: "memory reading",
    StateType.MEMORY_WRITE: "memory writing",
    StateType.VALIDATE: "validation",
    StateType.REFINE: "refinement",
    StateType.FINALIZE: "final answer generation",
}
_STABLE: Final[Mapping[str, str]] = {
    "system_prompt": "the system prompt",
    "skill_instruction": "fixed Skill instructions",
    "history": "historical context",
}


def main_sources(bill: Bill) -> tuple[str, ...]:
    """The states that make up two thirds of the cost, the largest first; of the tokens, where no one cost is known."""
    by_cost = any(line.share for line in bill.by_state)
    sizes = {line.name: _size(line, by_cost=by_cost) for line in bill.by_state}
    whole, reached = sum(sizes.values(), Decimal(0)), Decimal(0)
    found: list[str] = []
    for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        if not size or reached >= whole * _DOMINANT:
            break
        found.append(name)
        reached += size
    return tuple(found)


def _size(line: BillRow, *, by_cost: bool) -> Decimal:
    return (
        sum((money.amount for money in line.cost), Decimal(0))
        if by_cost
        else Decimal(line.tokens)
    )


def conclusion(bill: Bill) -> str:
    """The paragraph: cost, dominant sources, cache, and what is uncertain about it."""
    sentences = [
        _cost_sentence(bill),
        _sources_sentence(bill),
        _cache_sentence(bill),
        *_caveats(bill),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _subject(bill: Bill) -> str:
    return (
        "The run" if len(bill.trace_ids) == 1 else f"The {len(bill.trace_ids):,} runs"
    )


def _cost_sentence(bill: Bill) -> str:
    if not bill.totals.cost:
        return (
            f"{_subject(bill)} used {bill.totals.tokens:,} tokens; the cost is unknown."
        )
    return f"{_subject(bill)} cost {' and '.join(amount_text(money) for money in bill.totals.cost)}."


def _sources_sentence(bill: Bill) -> str:
    names = main_sources(bill)
    if not names:
        return ""
    kind = "cost" if any(line.share for line in bill.by_state) else "token"
    phrases = joined([PHRASES.get(name, name) for name in names])
    return (
        f"The dominant {kind} source{'s were' if len(names) > 1 else ' was'} {phrases}."
    )


def _cache_sentence(bill: Bill) -> str:
    cached = bill.metrics.cache_hit_ratio
    if cached is None:
        return ""
    text = f"Cached input tokens represented {percent(cached)} of total input tokens"
    if cached < _HELPED:
        return f"{text}."
    shares = {line.name: line.share or 0.0 for line in bill.by_context}
    helped = [
        phrase for name, phrase in _STABLE.items() if shares.get(name, 0.0) >= _NOTABLE
    ]
    return (
        f"{text}, indicating that {joined(helped)} benefited from caching."
        if helped
        else f"{text}."
    )


def _caveats(bill: Bill) -> list[str]:
    totals = bill.totals
    found: list[str] = []
    if totals.cost and totals.cost_unknown_steps:
        found.append(
            f"The cost of {_steps(totals.cost_unknown_steps)} is unknown and not in that figure."
        )
    if totals.usage_missing_steps:
        found.append(f"No token counts came for {_steps(totals.usage_missing_steps)}.")
    if totals.inconsistent_steps:
        found.append(
            f"Token counts of {_steps(totals.inconsistent_steps)} contradict each other; counted as they stand."
        )
    return found


def _steps(number: int) -> str:
    return f"{number:,} step{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """`59.1%`, cut and not rounded up: 99.96 % is never shown as all of it."""
    return f"{(Decimal(repr(share)) * 100).quantize(Decimal('0.1'), ROUND_DOWN)}%"


def amount_text(money: Money) -> str:
    """`3.82 RMB`: two decimals, more for less than a unit."""
    amount = money.amount
    if amount and abs(amount) < 1:
        digits = Decimal(1).scaleb(min(amount.adjusted() - 2, -2))
        return (
            f"{amount.quantize(digits, ROUND_HALF_UP).normalize():f} {money.currency}"
        )
    return f"{amount.quantize(Decimal('0.01'), ROUND_HALF_UP)} {money.currency}"


def joined(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
