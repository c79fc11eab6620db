"""Token counts as traces report them -> canonical usage, every token counted once. Pure.

Conventions count cached and cache-write tokens inside the input and reasoning inside the output. Some providers report
them beside; two facts give that away: a part that is larger than its whole, and a total that only adds up with the
parts beside. What stays contradictory is kept as it stands and said to be so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from judgemesh.contracts.tracing import UsageStatus
from judgemesh.contracts.usage import Usage

_MOST: Final = 2**53

Counted: TypeAlias = tuple[Usage | None, UsageStatus, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a trace says of one call. None: it does not say.

    beside: whether cached and cache-write tokens are known to stand beside `input`; None when the figures must tell.
    raw: the figures under their own names.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    total: int | None = None
    beside: bool | None = None
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        return all(
            part is None
            for part in (
                self.input,
                self.output,
                self.cached,
                self.cache_write,
                self.total,
            )
        )


def whole_number(value: object) -> int | None:
    """A count out of an integer, a whole float or digits in text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.strip().removeprefix("+")
        value = (
            int(digits)
            if digits.removeprefix("-").isdecimal() and len(digits) < 20
            else None
        )
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST:
        value = int(value)
    return value if isinstance(value, int) and -_MOST < value < _MOST else None


def canonical(counts: Counts) -> Counted:
    """Usage, whether it can be relied on, and what contradicts what."""
    if counts.is_empty:
        return None, UsageStatus.MISSING, counts.notes
    notes = [*counts.notes, *_negative(counts)]
    given, output = max(0, counts.input or 0), max(0, counts.output or 0)
    cached, write = max(0, counts.cached or 0), max(0, counts.cache_write or 0)
    reasoning = max(0, counts.reasoning or 0)
    inside = cached + write
    beside = _beside(counts, given, output, inside, reasoning)
    if not beside and inside > given:
        notes.append(
            f"{cached} cached and {write} cache-write tokens are more than {given} input tokens"
        )
    apart = (
        reasoning > 0
        and counts.total is not None
        and counts.total == given + output + reasoning
    )
    if reasoning > output and not apart:
        notes.append(
            f"{reasoning} reasoning tokens are more than {output} output tokens"
        )
    usage = Usage(
        input_tokens_uncached=given if beside else max(0, given - inside),
        input_tokens_cached=cached,
        input_tokens_cache_write=write,
        output_tokens=output if apart else max(0, output - reasoning),
        reasoning_tokens=reasoning,
        raw=counts.raw,
    )
    # Some totals leave out what stands beside; only one that fits neither way contradicts.
    fitting = {
        usage.total,
        given + output,
        given + output + inside,
        usage.input_total + output,
    }
    if counts.total is not None and counts.total not in fitting:
        notes.append(
            f"a total of {counts.total} tokens is not {usage.input_total} input and {output} output tokens"
        )
    return usage, UsageStatus.INCONSISTENT if notes else UsageStatus.OK, tuple(notes)


def _beside(
    counts: Counts, given: int, output: int, inside: int, reasoning: int
) -> bool:
    if counts.beside is not None or inside == 0:
        return bool(counts.beside)
    if counts.total is None:
        return False
    return counts.total in {
        given + inside + output,
        given + inside + output + reasoning,
    } and (counts.total != given + output)


def _negative(counts: Counts) -> list[str]:
    parts = {
        "input": counts.input,
        "output": counts.output,
        "cached": counts.cached,
        "cache-write": counts.cache_write,
        "reasoning": counts.reasoning,
    }
    return [
        f"{value} {name} tokens"
        for name, value in parts.items()
        if value is not None and value < 0
    ]
