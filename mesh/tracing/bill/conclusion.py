"""What dominated the bill, in one paragraph (article 002, section 24). No model writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import StateType
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow

_DOMINANT_SHARE: Final = Decimal(2) / Decimal(3)
_WHOLE_INPUT: Final = "total input tokens"
_CACHE_UNKNOWN: Final = "How much of the input was read from a cache is not reported."
_NOTABLE_SHARE: Final = 0.1
"""A context source with a smaller share of the input is not said to profit from caching."""
_HELPFUL_RATIO: Final = 0.5
"""A smaller cache hit ratio is not said to help."""

_PHRASES: Final[Mapping[str, str]] = {
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
_STABLE_SOURCES: Final[Mapping[str, str]] = {
    "system_prompt": "the system prompt",
    "skill_instruction": "fixed Skill instructions",
    "history": "historical context",
}


def main_sources(bill: Bill) -> tuple[str, ...]:
    """The fewest states that make up two thirds of the cost, the largest first.

    Of the tokens, where no single cost is known.
    """
    sizes = _sizes(bill)
    whole = sum(sizes.values(), Decimal(0))
    reached = Decimal(0)
    sources: list[str] = []
    for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        if not size or reached >= whole * _DOMINANT_SHARE:
            break
        sources.append(name)
        reached += size
    return tuple(sources)


def _sizes(bill: Bill) -> dict[str, Decimal]:
    has_cost = _has_shares(bill)
    sizes: dict[str, Decimal] = {}
    for row in bill.by_state:
        sizes[row.name] = _cost_size(row) if has_cost else Decimal(row.tokens)
    return sizes


def _has_shares(bill: Bill) -> bool:
    return any(row.share for row in bill.by_state)


def _cost_size(row: BillRow) -> Decimal:
    return sum((money.amount for money in row.cost), Decimal(0))


def conclusion(bill: Bill) -> str:
    """The paragraph: cost, dominant sources, cache, and what is uncertain about it."""
    sentences = [
        _cost_sentence(bill),
        _sources_sentence(bill),
        _cache_sentence(bill),
        *_caveats(bill),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _cost_sentence(bill: Bill) -> str:
    runs = len(bill.trace_ids)
    subject = "The run" if runs == 1 else f"The {runs:,} runs"
    if (
        not bill.totals.cost
        and not bill.totals.tokens
        and bill.totals.usage_missing_steps
    ):
        return (
            f"The tokens and the cost of {subject[0].lower()}{subject[1:]} are unknown."
        )
    if not bill.totals.cost:
        return f"{subject} used {bill.totals.tokens:,} tokens; the cost is unknown."
    amounts = [amount_text(money) for money in bill.totals.cost]
    most = "at most " if bill.cost_is_at_most else ""
    return f"{subject} cost {most}{' and '.join(amounts)}."


def _sources_sentence(bill: Bill) -> str:
    names = main_sources(bill)
    if not names:
        return ""
    kind = "cost" if _has_shares(bill) else "token"
    verb = "sources were" if len(names) > 1 else "source was"
    phrases = _enumeration([_PHRASES.get(name, name) for name in names])
    return f"The dominant {kind} {verb} {phrases}."


def _cache_sentence(bill: Bill) -> str:
    cached, unknown = bill.metrics.cache_hit_ratio, bill.metrics.cache_unknown_tokens
    if cached is None:
        return _CACHE_UNKNOWN if unknown else ""
    whole = (
        "the input tokens of the calls that report them" if unknown else _WHOLE_INPUT
    )
    text = f"Cached input tokens represented {percent(cached)} of {whole}"
    shares = {row.name: row.share or 0.0 for row in bill.by_context}
    sources: list[str] = []
    for name, phrase in _STABLE_SOURCES.items():
        if shares.get(name, 0.0) >= _NOTABLE_SHARE:
            sources.append(phrase)
    if cached < _HELPFUL_RATIO or not sources:
        return f"{text}."
    return f"{text}, indicating that {_enumeration(sources)} benefited from caching."


def _caveats(bill: Bill) -> list[str]:
    totals = bill.totals
    caveats: list[str] = []
    if totals.cost and totals.cost_unknown_steps:
        steps = _steps(totals.cost_unknown_steps)
        caveats.append(f"The cost of {steps} is unknown and not in that figure.")
    if totals.usage_missing_steps:
        steps = _steps(totals.usage_missing_steps)
        caveats.append(f"No token counts came for {steps}.")
    if totals.inconsistent_steps:
        steps = _steps(totals.inconsistent_steps)
        caveats.append(
            f"Token counts of {steps} are impossible, contradict each other, or are of a stream that ended early; "
            "negative ones are left out and leave the cost of their call unknown, others are counted as they stand."
        )
    many = bill.metrics.output_at_most_calls
    if many:
        calls = "1 model call" if many == 1 else f"{many:,} model calls"
        caveats.append(
            f"The output tokens of {calls} can be too many: what recorded them counts a part of a stream twice."
        )
    return caveats


def _steps(number: int) -> str:
    return f"{number:,} step" if number == 1 else f"{number:,} steps"


def _enumeration(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def percent(share: float) -> str:
    """`59.1%`, cut and not rounded up: 99.96 % is never shown as all of it."""
    return f"{(Decimal(repr(share)) * 100).quantize(Decimal('0.1'), ROUND_DOWN)}%"


def amount_text(money: Money) -> str:
    """`3.82 RMB`: two decimals, more for less than a unit."""
    amount = money.amount
    if not amount or abs(amount) >= 1:
        rounded = amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
        return f"{rounded} {money.currency}"
    digits = Decimal(1).scaleb(min(amount.adjusted() - 2, -2))
    rounded = amount.quantize(digits, ROUND_HALF_UP).normalize()
    return f"{rounded:f} {money.currency}"
