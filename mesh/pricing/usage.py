"""Reported token counts -> canonical `Usage`, in which every token is counted once.

The only place that decides whether cached tokens are part of the input, and reasoning
tokens part of the output. `usage_shapes.py` has the names under which they are
reported. Pure.

`read_usage` takes any usage object: `usage_table.py` says which parts are inside their
whole, and the reported total, or a part that is larger than its whole, overrules it.
`counted_usage` takes the counts of a trace format, whose reader knows their names: what
stays contradictory there is counted as it stands and noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from judgemesh.contracts.tracing import UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.usage_shapes import (
    FIGURES,
    TokenCounts,
    UsageShape,
    by_path,
    read_counts,
    value_at,
    whole_number,
)
from judgemesh.mesh.pricing.usage_table import row_of
from judgemesh.mesh.pricing.usage_unread import (
    unread_fields,
    unreadable_values,
    usage_fields,
    with_compactions,
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


# --- usage objects of providers and client libraries ---


def read_usage(
    report: object, *, provider: str = "", model: str = "", service_tier: str = ""
) -> CountedUsage:
    """The usage of any provider's or client library's usage object.

    Args:
        report: a mapping, or an object with attributes or a method `model_dump`.
        provider: who answered. It settles what two rows of the table share.
        model: the model that answered, likewise.
        service_tier: the tier of the call, where the response states it elsewhere.

    Returns:
        The usage, None where nothing was counted. The notes name contradictions, values
        that are no token counts, and fields that look like token counts and are not in
        the table. The last do not make the status `inconsistent`.
    """
    raw = usage_fields(report)
    values = by_path(raw)
    row = row_of(values, provider=provider, model=model) if raw else None
    if row is None:
        return CountedUsage(None, UsageStatus.MISSING, unread_fields(raw, None))
    faults = [*unreadable_values(raw, row), *contradictions(raw)]
    counts = _counts(raw, row, values)
    if service_tier:
        counts = replace(counts, service_tier=service_tier)
    unread = unread_fields(raw, row)
    if counts.is_empty and counts.uncached is None:
        return CountedUsage(None, UsageStatus.MISSING, (*faults, *unread))
    usage, counts, notes = _decided(counts, row)
    faults += notes + _unfitting_total(counts, usage)
    status = _status(faults, is_malformed=_has_negative(raw, row))
    return CountedUsage(usage, status, (*faults, *unread))


def canonical_usage(
    raw: Mapping[str, Any] | None, *, provider: str = ""
) -> Usage | None:
    """The usage of one call; None when its input was not reported in a way to be read.

    `raw` is kept unchanged in it.
    """
    if not raw:
        return None
    values = by_path(raw)
    row = row_of(values, provider=provider)
    if row is None:
        return None
    counts = _counts(raw, row, values)
    if counts.input is None:
        return None
    return _decided(counts, row)[0]


def _counts(
    raw: Mapping[str, Any], row: UsageShape, values: Mapping[str, object]
) -> TokenCounts:
    """The counts of a usage object that the row reads."""
    counts = read_counts(raw, row, read_number=_token_count, values=values)
    counts = with_compactions(counts, raw)
    if row.cache_is_beside:
        return replace(counts, cache_is_beside=True)
    return counts


def _decided(
    counts: TokenCounts, row: UsageShape
) -> tuple[Usage, TokenCounts, list[str]]:
    """Which parts stand beside their whole: the row says so, or the figures prove it."""
    notes: list[str] = []
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    if counts.uncached is not None and counts.input is None:
        counts = replace(counts, input=counts.uncached + cache)
    cache_is_beside = _cache_is_beside(counts) or _is_all_uncached(counts)
    if not cache_is_beside and cache > (counts.input or 0):
        notes += _cache_larger_than_input(counts)
        cache_is_beside = True
    reasoning_is_beside = bool(row.reasoning_is_beside)
    if row.reasoning_is_beside is None:
        larger = (counts.reasoning or 0) > (counts.output or 0)
        reasoning_is_beside = larger or _reasoning_is_beside(counts)
    elif not reasoning_is_beside:
        most = counts.output or 0
        if (counts.reasoning or 0) > most:
            counts = replace(counts, reasoning=most)
    usage = _usage(
        counts,
        cache_is_beside=cache_is_beside,
        reasoning_is_beside=reasoning_is_beside,
    )
    return usage, counts, notes


def _is_all_uncached(counts: TokenCounts) -> bool:
    """Whether the input is stated to be what the cache had no part in."""
    cache = (counts.cached or 0) + (counts.cache_write or 0)
    return bool(cache) and counts.uncached == counts.input


def _token_count(value: object) -> int | None:
    """A whole number of 0 or more, as a number or as digits; else not reported."""
    number = whole_number(value)
    return None if number is None or number < 0 else number


# --- counts in traces ---


def counted_usage(counts: TokenCounts) -> CountedUsage:
    """Usage of the counts in a trace, whether it can be relied on, and why not."""
    if counts.is_empty:
        return CountedUsage(None, UsageStatus.MISSING, counts.notes + counts.unread)
    negative = _negative_counts(counts)
    notes = [*counts.notes, *negative]
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
    is_malformed = counts.is_malformed or bool(negative)
    status = _status(notes, is_malformed=is_malformed)
    return CountedUsage(usage, status, (*notes, *counts.unread))


def _status(notes: Sequence[str], *, is_malformed: bool) -> UsageStatus:
    if is_malformed:
        return UsageStatus.MALFORMED
    return UsageStatus.INCONSISTENT if notes else UsageStatus.OK


def _has_negative(raw: Mapping[str, Any], row: UsageShape) -> bool:
    """Whether a figure of the report, other than its total, is negative."""
    paths = [*row.input_beside, *row.cache_write_parts]
    for figure in FIGURES:
        if figure != "total":
            paths += row.paths(figure)
    numbers = [whole_number(value_at(raw, path)) for path in paths]
    return any(number is not None and number < 0 for number in numbers)


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
    long_write = min(counts.cache_write_1h or 0, write)
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
        input_tokens_cache_write_1h=long_write,
        searches=counts.searches or 0,
        service_tier=counts.service_tier,
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
        input_tokens_cache_write_1h=sum(
            usage.input_tokens_cache_write_1h for usage in parts
        ),
        searches=sum(usage.searches for usage in parts),
        service_tier=_common_tier(parts),
        cache_reported=all(usage.cache_reported for usage in parts),
        output_is_at_most=any(usage.output_is_at_most for usage in parts),
    )


def _common_tier(parts: Iterable[Usage]) -> str:
    """The tier that all have; empty where they differ."""
    tiers = {usage.service_tier for usage in parts}
    return tiers.pop() if len(tiers) == 1 else ""
