"""One run as data: `judgemesh trace show --json`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from judgemesh.contracts.tracing import Step, Trace
from judgemesh.mesh.reporting.bill.data import finding_json, monies
from judgemesh.mesh.reporting.traces.show import parallel_steps, what_of
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.split import in_order
from judgemesh.mesh.tracing.findings.findings import Finding


def trace_json(trace: Trace, bill: Bill, findings: Sequence[Finding]) -> dict[str, Any]:
    """The run as JSON: each step with its tokens and its cost."""
    steps = in_order(trace.steps)
    parallel = parallel_steps(steps)
    totals = bill.totals
    return {
        "trace_id": trace.trace_id,
        "task_id": trace.task_id,
        "agent_id": trace.agent_id,
        "skill_id": trace.skill_id,
        "status": trace.status,
        "models": list(bill.models),
        "start": _iso(totals.start_time),
        "end": _iso(totals.end_time),
        "latency_ms": totals.latency_ms,
        "total_tokens": totals.tokens,
        "costs": monies(totals.cost),
        "cost_is_at_most": bill.cost_is_at_most,
        "cost_unknown_steps": totals.cost_unknown_steps,
        "steps": [_step_json(step, parallel) for step in steps],
        "findings": list(map(finding_json, findings)),
    }


def _step_json(step: Step, parallel: frozenset[int]) -> dict[str, Any]:
    return {
        "step_id": step.step_id,
        "parent_step_id": step.parent_step_id,
        "state": step.state_type.value,
        "what": what_of(step),
        "agent_id": step.agent_id,
        "model": step.model_name,
        "tools": [tool.tool_name for tool in step.tools],
        "status": step.status,
        "error_type": step.error_type,
        "parallel": step.step_id in parallel,
        "start": _iso(step.start_time),
        "end": _iso(step.end_time),
        "latency_ms": step.latency_ms,
        **_usage_json(step),
        "costs": monies(step.costs.amounts()),
        "cost_status": step.cost_status.value,
    }


def _usage_json(step: Step) -> dict[str, Any]:
    usage = step.usage
    if usage is None:
        return {"usage_status": step.usage_status.value, "input_tokens": None}
    return {
        "usage_status": step.usage_status.value,
        "input_tokens": usage.input_total,
        "cached_tokens": usage.input_tokens_cached if usage.cache_reported else None,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
