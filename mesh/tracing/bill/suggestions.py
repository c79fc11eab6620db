"""Findings as structured patches for an optimiser (article 002, Part X).

The schema is stable: see docs/bill.md. A suggestion changes a policy, never an answer.
It has its own guard: after it is applied the same tasks are graded again, and hard
success must not fall.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from judgemesh.contracts.report import money_to_json
from judgemesh.contracts.tracing import StateType, Trace
from judgemesh.mesh.tracing.bill.findings import Finding
from judgemesh.mesh.tracing.steps.values import count_of

SCHEMA: Final = "judgemesh.suggestion/1"

_Values: TypeAlias = tuple[object, object]
"""The value before a change, and the one after it; None after it: nothing to change."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One proposal.

    layer: which layer of the agent it changes. path: where in the policy.
    """

    kind: str
    layer: str
    path: str
    values: Callable[[Finding, Trace], _Values]


def suggestions_of(finding: Finding, trace: Trace) -> list[dict[str, Any]]:
    """The patches that a finding of `trace` leads to, as JSON data."""
    suggestions: list[dict[str, Any]] = []
    for change in _CHANGES.get(finding.code, ()):
        before, after = change.values(finding, trace)
        if after is not None:
            suggestions.append(_suggestion(finding, change, before, after))
    return suggestions


def _suggestion(
    finding: Finding, change: _Change, before: object, after: object
) -> dict[str, Any]:
    operation = {
        "op": "replace",
        "path": change.path,
        "from": before,
        "value": after,
    }
    body: dict[str, Any] = {
        "kind": change.kind,
        "finding": finding.code,
        "trace_id": finding.trace_id,
        "target": {"layer": change.layer, "skill_id": finding.skill_id},
        "patch": [operation],
        "steps": list(finding.steps),
        "because": dict(finding.numbers),
        "expected_saving": [money_to_json(money) for money in finding.saving],
        "expected_saving_tokens": finding.saving_tokens,
        "assumption": finding.assumption,
        "guard": {"metric": "hard_success_rate", "must_not_fall": True},
    }
    # The standard library's text: the ids of suggestions must stay what they are.
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
    return {"schema": SCHEMA, "suggestion_id": f"sg_{digest}", **body}


# --- values ---


def _halved(number: str) -> Callable[[Finding, Trace], _Values]:
    """From one of the finding's numbers to half of it."""

    def values(finding: Finding, _trace: Trace) -> _Values:
        current = finding.numbers.get(number)
        return current, None if current is None else int(current) // 2

    return values


def _constant(before: object, after: object) -> Callable[[Finding, Trace], _Values]:
    def values(_finding: Finding, _trace: Trace) -> _Values:
        return before, after

    return values


def _top_k(_finding: Finding, trace: Trace) -> _Values:
    """From the largest top_k in use to half of it, where a step states one."""
    used: list[int] = []
    for step in trace.steps:
        top_k = count_of(step.details.get("top_k"))
        if step.state_type is StateType.RETRIEVE and top_k is not None:
            used.append(top_k)
    if not used:
        return None, None
    return max(used), max(max(used) // 2, 1)


def _median_input(finding: Finding, _trace: Trace) -> _Values:
    return None, finding.numbers.get("median_input_tokens")


_CHANGES: Final[Mapping[str, tuple[_Change, ...]]] = {
    "HIGH_SKILL_INSTRUCTION": (
        _Change(
            "compress_skill",
            "skill",
            "/skill/instruction_tokens",
            _halved("skill_instruction_tokens"),
        ),
        _Change(
            "split_skill_into_modules",
            "skill",
            "/skill/loading",
            _constant("whole", "by_module"),
        ),
    ),
    "HIGH_RETRIEVED_CONTEXT": (
        _Change("reduce_top_k", "context_policy", "/retrieval/top_k", _top_k),
        _Change(
            "tune_context_budget",
            "context_policy",
            "/context/budget/retrieved_context_tokens",
            _halved("retrieved_context_tokens"),
        ),
    ),
    "HIGH_TOOL_RESULT": (
        _Change(
            "summarise_tool_results",
            "context_policy",
            "/context/tool_results",
            _constant("raw", "summary"),
        ),
    ),
    "HIGH_TOOL_CONTEXT_RATIO": (
        _Change(
            "filter_tool_results",
            "context_policy",
            "/context/tool_results",
            _constant("raw", "selected_fields"),
        ),
    ),
    "HIGH_HISTORY": (
        _Change(
            "roll_up_history",
            "context_policy",
            "/context/history",
            _constant("full", "rolling_summary"),
        ),
    ),
    "HIGH_VALIDATE_COST": (
        _Change(
            "remove_repeated_validation",
            "workflow",
            "/workflow/validation/rounds",
            _constant("every", "first_and_after_change"),
        ),
    ),
    "HIGH_REFINE_COST": (
        _Change(
            "patch_instead_of_rewrite",
            "workflow",
            "/workflow/refine/mode",
            _constant("rewrite", "patch"),
        ),
    ),
    "LOW_CACHE_HIT_RATIO": (
        _Change(
            "stabilise_prompt_prefix",
            "context_policy",
            "/context/layout",
            _constant("free", "stable_prefix_first"),
        ),
    ),
    "HIGH_INPUT_AMPLIFICATION": (
        _Change(
            "cap_step_input",
            "context_policy",
            "/context/budget/input_tokens",
            _median_input,
        ),
    ),
    "REPEATED_TOOL_CALL": (
        _Change(
            "reuse_tool_results",
            "workflow",
            "/workflow/tools/cache",
            _constant("none", "within_run"),
        ),
    ),
    "COST_OF_FAILED_STEPS": (
        _Change(
            "rewrite_workflow_policy",
            "workflow",
            "/workflow/on_failure",
            _constant("retry", "check_before_call"),
        ),
    ),
}
