"""The tokens of a step or of one model call, from the fields of the article. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from judgemesh.contracts.trace_fields import STATE_FIELDS, StateFields
from judgemesh.contracts.tracing import StateType, UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.usage import CountedUsage, read_usage
from judgemesh.mesh.pricing.usage_shapes import whole_number
from judgemesh.mesh.tracing.steps.values import Fields, count_of, part_of, text_of

CALL_FIELDS: Final = STATE_FIELDS[StateType.THINK]
"""The fields of a model call: those of a step that is one."""

_NAMES: Final = (
    "input_tokens_uncached",
    "input_tokens_cached",
    "input_tokens_cache_write",
    "output_tokens",
    "reasoning_tokens",
    "input_tokens_cache_write_1h",
    "searches",
    "input_tokens_total",
    "total_tokens",
)
_PARTIAL: Final = "the stream ended early: its usage is what it had reported by then"
_ARTICLE: Final = frozenset(
    {"input_tokens_total", "input_tokens_uncached", "input_tokens_cached"}
)
"""Names that only the article's own token counts have."""


def tokens_of(
    fields: Fields, table: StateFields, *, provider: str = ""
) -> CountedUsage:
    """The tokens of a step or of one model call.

    They are a provider's own `usage` if there is one, else the fields of the article.
    """
    raw = part_of(fields, "usage")
    if not raw:
        counted = _article_tokens(fields, table)
        if counted is not None:
            return counted
        is_call = bool(fields.get("model_name"))
        status = UsageStatus.MISSING if is_call else UsageStatus.NONE
        return CountedUsage(None, status)
    article = _article_tokens(raw, CALL_FIELDS) if _ARTICLE & raw.keys() else None
    if article is not None:
        return article
    counted = read_usage(
        raw,
        provider=provider,
        model=text_of(fields.get("model_name")) or "",
        service_tier=text_of(fields.get("service_tier")) or "",
    )
    if fields.get("usage_partial"):
        notes = (*counted.notes, _PARTIAL)
        status = UsageStatus.INCONSISTENT
        if counted.status is UsageStatus.MALFORMED:
            status = UsageStatus.MALFORMED
        return replace(counted, status=status, notes=notes)
    return counted


def _counted(usage: Usage, notes: list[str]) -> CountedUsage:
    status = UsageStatus.INCONSISTENT if notes else UsageStatus.OK
    return CountedUsage(usage, status, tuple(notes))


def _article_tokens(fields: Fields, table: StateFields) -> CountedUsage | None:
    """`input_tokens_total = uncached + cached + cache_write`.

    What one of them leaves open follows from the others. None where nothing is stated.
    """
    stated = _stated(fields, table)
    if not stated.keys() - {"total_tokens"}:
        return None
    notes: list[str] = []
    counts: dict[str, int | None] = {}
    for name, key in stated.items():
        counts[name] = count_of(fields[key])
        if counts[name] is None:
            notes.append(f"{key} is {fields[key]!r}, not a token count")
    input_total = counts.get("input_tokens_total")
    cached = counts.get("input_tokens_cached") or 0
    write = counts.get("input_tokens_cache_write") or 0
    uncached = counts.get("input_tokens_uncached")
    if uncached is None:
        uncached = max((input_total or 0) - cached - write, 0)
    usage = Usage(
        input_tokens_uncached=uncached,
        input_tokens_cached=cached,
        input_tokens_cache_write=write,
        output_tokens=counts.get("output_tokens") or 0,
        reasoning_tokens=counts.get("reasoning_tokens") or 0,
        input_tokens_cache_write_1h=counts.get("input_tokens_cache_write_1h") or 0,
        searches=counts.get("searches") or 0,
        service_tier=text_of(fields.get("service_tier")) or "",
        cache_reported=counts.get("input_tokens_cached") is not None,
    )
    if input_total is not None and input_total != usage.input_total:
        key = stated["input_tokens_total"]
        notes.append(f"{key} is {input_total}, its parts are {usage.input_total}")
    total = counts.get("total_tokens")
    if total is not None and total != usage.total:
        notes.append(f"total_tokens is {total}, its parts are {usage.total}")
    negative = any((whole_number(fields[key]) or 0) < 0 for key in stated.values())
    if negative:
        return CountedUsage(usage, UsageStatus.MALFORMED, tuple(notes))
    return _counted(usage, notes)


def _stated(fields: Fields, table: StateFields) -> dict[str, str]:
    """The counts that the fields state, with the key of each.

    Input and output may have a name of the state's own, such as
    `validation_input_tokens`.
    """
    own_keys = {"input_tokens_total": table.input_total, "output_tokens": table.output}
    stated: dict[str, str] = {}
    for name in _NAMES:
        key = name if name in fields else own_keys.get(name, name)
        if fields.get(key) is not None:
            stated[name] = key
    return stated
