"""The bill and its findings as JSON. The keys of article 002, section 24, are at the top, under its names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import money_to_json
from judgemesh.contracts.tracing import RunTotals
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow, ContextRow, ToolRow
from judgemesh.mesh.tracing.bill.conclusion import conclusion, main_sources
from judgemesh.mesh.tracing.bill.metrics import Metrics
from judgemesh.mesh.tracing.findings.findings import Finding
from judgemesh.mesh.tracing.findings.totals import PatternTotal


def bill_json(bill: Bill) -> dict[str, Any]:
    """One bill. `total_cost` and `cost_by_state` are numbers in `currency`; null where there are several currencies.

    `costs` always holds every currency. Where `cost_is_at_most`, what was paid can be less than `costs` and cannot be
    more: by up to `metrics.unreported_saving`, because calls do not report cached tokens and are billed as if none was
    cached; and by the output tokens of `metrics.output_at_most_calls` calls that can be too many.
    """
    totals = bill.totals
    return {
        "trace_id": totals.trace_id or None,
        "runs": len(bill.trace_ids),
        **_totals(totals),
        "cost_is_at_most": bill.cost_is_at_most,
        "cost_by_state": _cost_by_state(bill),
        "token_by_state": _tokens_by_state(bill),
        "main_cost_sources": list(main_sources(bill)),
        "conclusion": conclusion(bill),
        "metrics": _metrics(bill.metrics),
        "by_state": list(map(_usage, bill.by_state)),
        "by_model": list(map(_usage, bill.by_model)),
        "by_run": list(map(_usage, bill.by_run)),
        "by_tool": list(map(_tool, bill.by_tool)),
        "by_context_source": list(map(_context_source, bill.by_context)),
        "price_versions": list(bill.price_versions),
        "problems": list(bill.problems),
    }


def _cost_by_state(bill: Bill) -> dict[str, float | None]:
    costs: dict[str, float | None] = {}
    for row in bill.by_state:
        if row.cost:
            costs[row.name] = _number(row.cost, bill.totals.cost)
    return costs


def _tokens_by_state(bill: Bill) -> dict[str, int]:
    tokens: dict[str, int] = {}
    for row in bill.by_state:
        if row.tokens:
            tokens[row.name] = row.tokens
    return tokens


def _totals(totals: RunTotals) -> dict[str, Any]:
    currency = None
    if len(totals.cost) == 1:
        currency = totals.cost[0].currency
    return {
        "total_tokens": totals.tokens,
        "total_input_tokens": totals.input_tokens,
        "total_uncached_input_tokens": totals.input_tokens_uncached,
        "total_cached_input_tokens": totals.input_tokens_cached,
        "total_cache_write_input_tokens": totals.input_tokens_cache_write,
        "total_output_tokens": totals.output_tokens,
        "total_reasoning_tokens": totals.reasoning_tokens,
        "total_cost": _number(totals.cost, totals.cost),
        "currency": currency,
        "costs": monies(totals.cost),
        "llm_costs": monies(totals.llm_cost),
        "tool_costs": monies(totals.tool_cost),
        "compute_costs": monies(totals.compute_cost),
        "total_latency_ms": totals.latency_ms,
        "steps": totals.steps,
        "inconsistent_steps": totals.inconsistent_steps,
        "usage_missing_steps": totals.usage_missing_steps,
        "cost_unknown_steps": totals.cost_unknown_steps,
    }


def _number(cost: Sequence[Money], total: Sequence[Money]) -> float | None:
    """A cost in the bill's only currency; None where there are several, or none."""
    if len(cost) == len(total) == 1:
        return float(cost[0].amount)
    return None


def monies(amounts: Iterable[Money]) -> list[dict[str, Any] | None]:
    """One amount a currency."""
    return [money_to_json(money) for money in amounts]


def _metrics(metrics: Metrics) -> dict[str, Any]:
    return {
        "cache_hit_ratio": metrics.cache_hit_ratio,
        "cache_unknown_tokens": metrics.cache_unknown_tokens,
        "cache_saving": monies(metrics.cache_saving),
        "cache_write_premium": monies(metrics.cache_write_premium),
        "unreported_saving": monies(metrics.unreported_saving),
        "output_at_most_calls": metrics.output_at_most_calls,
        "tool_context_ratio": metrics.tool_context_ratio,
        "input_amplification_ratio": metrics.input_amplification_ratio,
        "validation_repair_rate": metrics.validation_repair_rate,
        "refinement_efficiency": metrics.refinement_efficiency,
        "retrieval_compression_ratio": metrics.retrieval_compression_ratio,
        "user_instruction_tokens": metrics.user_instruction_tokens,
    }


def _usage(row: BillRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "count": row.count,
        "tokens": row.tokens,
        "input_tokens": row.input_tokens,
        "cached_tokens": row.cached_tokens,
        "cache_unknown_tokens": row.cache_unknown_tokens,
        "output_tokens": row.output_tokens,
        "reasoning_tokens": row.reasoning_tokens,
        "costs": monies(row.cost),
        "cost_is_at_most": row.cost_is_at_most,
        "cost_share": row.share,
        "latency_ms": row.latency_ms,
        "failed": row.failed,
        "cost_unknown": row.cost_unknown,
    }


def _tool(row: ToolRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "tool_type": row.tool_type,
        "calls": row.calls,
        "request_tokens": row.request_tokens,
        "response_tokens_raw": row.raw_tokens,
        "response_tokens_selected": row.selected_tokens,
        "tokens_sent_to_next_llm": row.sent_tokens,
        "tool_context_ratio": row.context_ratio,
        "costs": monies(row.cost),
        "latency_ms": row.latency_ms,
        "failed": row.failed,
    }


def _context_source(row: ContextRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "tokens": row.tokens,
        "cached_tokens": row.cached_tokens,
        "cache_unknown_tokens": row.cache_unknown_tokens,
        "estimated_tokens": row.estimated_tokens,
        "share": row.share,
        "input_costs": monies(row.cost),
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": finding.code,
        "kind": finding.kind.value,
        "trace_id": finding.trace_id,
        "agent_id": finding.agent_id,
        "skill_id": finding.skill_id,
        "pattern": finding.title,
        "likely_cause": finding.cause,
        "direction": finding.direction,
        "threshold": finding.threshold,
        "numbers": dict(finding.numbers),
        "steps": list(finding.steps),
        "estimated_saving": monies(finding.saving),
        "estimated_saving_tokens": finding.saving_tokens,
        "assumption": finding.assumption,
    }


def pattern_json(total: PatternTotal) -> dict[str, Any]:
    """One pattern over many runs."""
    return {
        "code": total.code,
        "kind": total.kind.value,
        "pattern": total.title,
        "direction": total.direction,
        "runs": total.runs,
        "runs_seen": total.runs_seen,
        "estimated_saving": monies(total.saving),
        "estimated_saving_tokens": total.saving_tokens,
        "assumptions": list(total.assumptions),
        "worst": list(total.worst),
    }
