"""Reported token counts -> canonical `Usage`, in which every token is counted once.

The only place that decides whether cached tokens are part of the input, and reasoning
tokens part of the output. `usage_shapes.py` has the names under which they are
reported. Pure.

Most providers count cached and cache-write tokens as part of the input, and reasoning
tokens as part of the output. Some report them beside it:

| shape              | cached and cache-write tokens | reasoning tokens            |
|--------------------|-------------------------------|-----------------------------|
| chat completions   | part of prompt_tokens         | part of completion_tokens   |
| OpenAI responses   | part of input_tokens          | part of output_tokens       |
| Anthropic messages | beside input_tokens           | part of output_tokens       |
| Gemini             | part of promptTokenCount      | beside candidatesTokenCount |

A reply of a judge has no second chance: a part larger than its whole is taken to stand
beside it (`canonical_usage`). In a trace the reported total may show that parts stand
beside; what stays contradictory is counted as it stands and noted (`counted_usage`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from judgemesh.contracts.tracing import UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.usage_shapes import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    TokenCounts,
    UsageShape,
    read_counts,
    value_at,
    whole_number,
)

_ANTHROPIC_PROVIDERS: Final = frozenset(
    {"anthropic", "bedrock", "vertex_ai_anthropic", "azure_ai_anthropic"}
)
_ANTHROPIC_SPAN_PROVIDERS: Final = frozenset(
    {"anthropic", "aws.bedrock", "aws_bedrock", "gcp.vertex_ai"}
)


@dataclass(frozen=True, slots=True)
class CountedUsage:
    """Usage as a trace reports it.

    usage: None when nothing was counted. notes: what contradicts what, one line each.
    """

    usage: Usage | None
    status: UsageStatus
    notes: tuple[str, ...] = ()


# --- replies of providers ---


def canonical_usage(
    raw: Mapping[str, Any] | None, *, provider: str = ""
) -> Usage | None:
    """The usage of one call; None when the provider reported nothing that can be read.

    The shape follows from the keys. `provider` settles the one pair that shares its
    keys (OpenAI responses and Anthropic messages). `raw` is kept unchanged.
    """
    if not raw:
        return None
    shape = _reply_shape(raw, provider)
    if shape is None:
        return None
    counts = read_counts(raw, shape, read_number=_token_count)
    if shape.reasoning_is_beside is False:
        most = min(counts.reasoning or 0, counts.output or 0)
        counts = replace(counts, reasoning=most)
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    return _usage(
        counts,
        cache_is_beside=shape.cache_is_beside or cache > (counts.input or 0),
        reasoning_is_beside=_reply_reasoning_is_beside(counts, shape),
    )


def _reply_shape(raw: Mapping[str, Any], provider: str) -> UsageShape | None:
    if _token_count(raw.get("prompt_tokens")) is not None:
        return CHAT
    if _token_count(raw.get("input_tokens")) is not None:
        reports_cache = _token_count(
            raw.get("cache_read_input_tokens")
        ) or _token_count(raw.get("cache_creation_input_tokens"))
        is_anthropic = provider in _ANTHROPIC_PROVIDERS or reports_cache
        return ANTHROPIC if is_anthropic else RESPONSES
    if _token_count(raw.get("promptTokenCount")) is not None:
        return GEMINI
    return None


def _reply_reasoning_is_beside(counts: TokenCounts, shape: UsageShape) -> bool:
    if shape.reasoning_is_beside is not None:
        return shape.reasoning_is_beside
    reasoning, output = counts.reasoning or 0, counts.output or 0
    if reasoning > output:
        return True
    return reasoning > 0 and counts.total == (counts.input or 0) + output + reasoning


def _token_count(value: object) -> int | None:
    """An integer of 0 or more; anything else counts as not reported."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= 0 else None


# --- counts in traces ---


def counted_usage(counts: TokenCounts) -> CountedUsage:
    """Usage of the counts in a trace, whether it can be relied on, and why not."""
    if counts.is_empty:
        return CountedUsage(None, UsageStatus.MISSING, counts.notes)
    notes = [*counts.notes, *_negative_counts(counts)]
    counts = _without_negatives(counts)
    cache_is_beside = _cache_is_beside(counts)
    reasoning_is_beside = _reasoning_is_beside(counts)
    usage = _usage(
        counts,
        cache_is_beside=cache_is_beside,
        reasoning_is_beside=reasoning_is_beside,
    )
    if not cache_is_beside:
        notes += _cache_larger_than_input(counts)
    if not reasoning_is_beside:
        notes += _reasoning_larger_than_output(counts)
    notes += _unfitting_total(counts, usage)
    status = UsageStatus.INCONSISTENT if notes else UsageStatus.OK
    return CountedUsage(usage, status, tuple(notes))


def _negative_counts(counts: TokenCounts) -> list[str]:
    notes: list[str] = []
    for figure, count in counts.figures():
        if figure != "total" and count is not None and count < 0:
            notes.append(f"{count} {figure.replace('_', '-')} tokens")
    return notes


def _without_negatives(counts: TokenCounts) -> TokenCounts:
    return replace(
        counts,
        input=max(0, counts.input or 0),
        output=max(0, counts.output or 0),
        cached=None if counts.cached is None else max(0, counts.cached),
        cache_write=max(0, counts.cache_write or 0),
        reasoning=max(0, counts.reasoning or 0),
    )


def _cache_is_beside(counts: TokenCounts) -> bool:
    """Whether the report says so, or its total only adds up so."""
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    if counts.cache_is_beside is not None or cache == 0:
        return bool(counts.cache_is_beside)
    inside = (counts.input or 0) + (counts.output or 0)
    beside = inside + cache
    totals = {beside, beside + (counts.reasoning or 0)} - {inside}
    return counts.total in totals


def _reasoning_is_beside(counts: TokenCounts) -> bool:
    """Whether the total only adds up so."""
    reasoning = counts.reasoning or 0
    total = (counts.input or 0) + (counts.output or 0) + reasoning
    return reasoning > 0 and counts.total == total


def _cache_larger_than_input(counts: TokenCounts) -> list[str]:
    cached, write, whole = (
        counts.cached or 0,
        counts.cache_write or 0,
        counts.input or 0,
    )
    if cached + write <= whole:
        return []
    parts = f"{cached} cached and {write} cache-write tokens"
    return [f"{parts} are more than {whole} input tokens"]


def _reasoning_larger_than_output(counts: TokenCounts) -> list[str]:
    reasoning, output = counts.reasoning or 0, counts.output or 0
    if reasoning <= output:
        return []
    return [f"{reasoning} reasoning tokens are more than {output} output tokens"]


def _unfitting_total(counts: TokenCounts, usage: Usage) -> list[str]:
    """A note on a total that fits neither with nor without the parts beside."""
    if counts.total is None:
        return []
    output = counts.output or 0
    reported = (counts.input or 0) + output
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    fitting = {
        usage.total,
        reported,
        reported + cache,
        usage.input_total + output,
    }
    if counts.total in fitting:
        return []
    parts = f"{usage.input_total} input and {output} output tokens"
    return [f"a total of {counts.total} tokens is not {parts}"]


def _usage(
    counts: TokenCounts, *, cache_is_beside: bool, reasoning_is_beside: bool
) -> Usage:
    uncached, output = counts.input or 0, counts.output or 0
    cached, write = counts.cached or 0, counts.cache_write or 0
    reasoning = counts.reasoning or 0
    if not cache_is_beside:
        uncached = max(0, uncached - cached - write)
    if not reasoning_is_beside:
        output = max(0, output - reasoning)
    return Usage(
        input_tokens_uncached=uncached,
        input_tokens_cached=cached,
        input_tokens_cache_write=write,
        output_tokens=output,
        reasoning_tokens=reasoning,
        raw=counts.raw,
        cache_reported=counts.cached is not None,
    )


def reports_cache_beside(counts: TokenCounts, *, provider: str, model: str) -> bool:
    """Whether an instrumentation passed on Anthropic's figures as they are.

    They leave the cache out of the input, so the cache can be larger than it.
    """
    is_anthropic = (
        provider.lower() in _ANTHROPIC_SPAN_PROVIDERS or "claude" in model.lower()
    )
    return is_anthropic and cache_exceeds_input(counts)


def cache_exceeds_input(counts: TokenCounts) -> bool:
    """Whether there are more cached and cache-write tokens than input tokens."""
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    return cache > (counts.input or 0)


# --- checks and sums ---

_PARTS_OF_WHOLES: Final = (
    ("prompt_tokens", "prompt_tokens_details/cached_tokens"),
    ("input_tokens", "input_tokens_details/cached_tokens"),
    ("completion_tokens", "completion_tokens_details/reasoning_tokens"),
    ("output_tokens", "output_tokens_details/reasoning_tokens"),
)


def contradictions(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with a provider's own figures, one line each.

    A count is negative, or a part is larger than its whole.
    """
    notes: list[str] = []
    for key, value in raw.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and value < 0:
            notes.append(f"{key} is {value}")
    for whole_path, part_path in _PARTS_OF_WHOLES:
        whole = whole_number(value_at(raw, whole_path))
        part = whole_number(value_at(raw, part_path))
        if whole is not None and part is not None and part > whole >= 0:
            name = part_path.replace("/", ".")
            notes.append(f"{name} is {part}, more than {whole_path} {whole}")
    return tuple(notes)


def sum_of_usages(usages: Iterable[Usage]) -> Usage | None:
    """Several usages together; None for none."""
    parts = list(usages)
    if len(parts) <= 1:
        return parts[0] if parts else None
    return Usage(
        input_tokens_uncached=sum(usage.input_tokens_uncached for usage in parts),
        input_tokens_cached=sum(usage.input_tokens_cached for usage in parts),
        input_tokens_cache_write=sum(usage.input_tokens_cache_write for usage in parts),
        output_tokens=sum(usage.output_tokens for usage in parts),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in parts),
        cache_reported=all(usage.cache_reported for usage in parts),
    )
