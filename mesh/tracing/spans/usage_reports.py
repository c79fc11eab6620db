"""The usage object of any provider or client library as the counts of a span. Pure."""

from __future__ import annotations

from typing import Any

from judgemesh.mesh.pricing.usage import read_usage
from judgemesh.mesh.tracing.spans.json_values import is_object


def counts_of_report(
    report: object, *, provider: str = "", model: str = "", service_tier: str = ""
) -> dict[str, Any] | None:
    """The keyword arguments of `TokenCounts`; None where nothing is reported.

    Input and output are wholes: they include the cache and the reasoning.
    """
    if not is_object(report) or not report:
        return None
    counted = read_usage(
        report, provider=provider, model=model, service_tier=service_tier
    )
    usage = counted.usage
    if usage is None:
        return None
    counts: dict[str, Any] = {
        "input": usage.input_total,
        "output": usage.output_tokens + usage.reasoning_tokens,
        "cache_write": usage.input_tokens_cache_write,
        "cache_write_1h": usage.input_tokens_cache_write_1h,
        "reasoning": usage.reasoning_tokens,
        "searches": usage.searches,
        "service_tier": usage.service_tier,
        "raw": dict(report),
    }
    if usage.cache_reported:
        counts["cached"] = usage.input_tokens_cached
    if counted.status in {"inconsistent", "malformed"}:
        counts["notes"] = counted.notes
        if counted.status == "malformed":
            counts["is_malformed"] = True
    else:
        counts["unread"] = counted.notes
    return counts
