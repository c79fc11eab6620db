"""Findings of many runs as structured patches for an optimiser (article 002, Part X).

The schema is stable: see docs/explanation/findings.md. A suggestion changes a policy, never an answer.
One suggestion stands for all runs of an agent and a skill that show the same pattern: its
values are those that single calls had, never the totals of runs. It has its own guard:
after it is applied the same tasks are graded again, and hard success must not fall.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any, Final, TypeAlias

from judgemesh.contracts.report import money_to_json
from judgemesh.contracts.tracing import StateType, Trace
from judgemesh.mesh.tracing.bill.sums import MoneySums
from judgemesh.mesh.tracing.findings.findings import Finding
from judgemesh.mesh.tracing.steps.values import count_of

SCHEMA: Final = "judgemesh.suggestion/2"
_MAX_RUNS: Final = 20
"""So many runs are named in a suggestion, those with the largest savings first."""
TOP_K: Final = "top_k"

_Values: TypeAlias = tuple[object, object]
"""The value before a change, and the one after it; None after it: nothing to change."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One proposal.

    layer: which layer of the agent it changes. path: where in the policy.
    values: from the sizes of single calls, by name.
    """

    kind: str
    layer: str
    path: str
    values: Callable[[Mapping[str, Sequence[int]]], _Values]


@dataclass(slots=True)
class _Group:
    """The findings of one pattern for one agent and skill."""

    findings: list[Finding] = field(default_factory=list[Finding])
    per_call: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def add(self, finding: Finding, used_top_k: Sequence[int]) -> None:
        self.findings.append(finding)
        for name, sizes in finding.per_call.items():
            self.per_call.setdefault(name, []).extend(sizes)
        if used_top_k:
            self.per_call.setdefault(TOP_K, []).extend(used_top_k)


_Key: TypeAlias = tuple[str, str | None, str | None]


@dataclass(slots=True)
class Suggestions:
    """Collects the findings of runs; gives the patches that they lead to together."""

    _groups: dict[_Key, _Group] = field(default_factory=dict[_Key, _Group])

    def add(self, findings: Sequence[Finding], trace: Trace) -> None:
        """Count the findings of one run."""
        top_k = _top_k_of(trace) if findings else ()
        for finding in findings:
            key = (finding.code, finding.agent_id, finding.skill_id)
            self._groups.setdefault(key, _Group()).add(finding, top_k)

    def patches(self) -> list[dict[str, Any]]:
        """The suggestions as JSON data, in the order in which their patterns came."""
        patches: list[dict[str, Any]] = []
        for group in self._groups.values():
            patches += _patches_of(group)
        return patches


def suggestions_of(finding: Finding, trace: Trace) -> list[dict[str, Any]]:
    """The patches that one finding of `trace` leads to."""
    suggestions = Suggestions()
    suggestions.add([finding], trace)
    return suggestions.patches()


def _patches_of(group: _Group) -> list[dict[str, Any]]:
    patches: list[dict[str, Any]] = []
    for change in _CHANGES.get(group.findings[0].code, ()):
        before, after = change.values(group.per_call)
        if after is not None:
            first = patches[0]["suggestion_id"] if patches else None
            patches.append(_patch(group, change, (before, after), first))
    return patches


def _patch(
    group: _Group, change: _Change, values: _Values, alternative_to: str | None
) -> dict[str, Any]:
    """One suggestion. The saving is the first alternative's: it can be had once."""
    saving, tokens = MoneySums(), 0
    if alternative_to is None:
        for finding in group.findings:
            saving.add_all(finding.saving)
            tokens += finding.saving_tokens or 0
    first = group.findings[0]
    shown = sorted(group.findings, key=lambda each: -(each.saving_tokens or 0))
    body: dict[str, Any] = {
        "kind": change.kind,
        "finding": first.code,
        "target": {
            "layer": change.layer,
            "agent_id": first.agent_id,
            "skill_id": first.skill_id,
        },
        "patch": [
            {
                "op": "replace",
                "path": change.path,
                "from": values[0],
                "value": values[1],
            }
        ],
        "observed": {name: _observed(group.per_call[name]) for name in group.per_call},
        "runs": len(group.findings),
        "steps": {each.trace_id: list(each.steps) for each in shown[:_MAX_RUNS]},
        "expected_saving": [money_to_json(money) for money in saving.money],
        "expected_saving_tokens": tokens or None,
        "assumption": first.assumption,
        "alternative_to": alternative_to,
        "guard": {"metric": "hard_success_rate", "must_not_fall": True},
    }
    # The standard library's text: the ids of suggestions must stay what they are.
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
    return {"schema": SCHEMA, "suggestion_id": f"sg_{digest}", **body}


def _observed(sizes: Sequence[int]) -> dict[str, int]:
    return {"calls": len(sizes), "median": median_low(sizes), "largest": max(sizes)}


def _top_k_of(trace: Trace) -> list[int]:
    """The top_k of each retrieval that states one."""
    used: list[int] = []
    for step in trace.steps:
        top_k = count_of(step.details.get("top_k"))
        if step.state_type is StateType.RETRIEVE and top_k is not None:
            used.append(top_k)
    return used


# --- values ---


def _scaled(
    name: str, percent: int
) -> Callable[[Mapping[str, Sequence[int]]], _Values]:
    """From the median of single calls to a percentage of it."""

    def values(per_call: Mapping[str, Sequence[int]]) -> _Values:
        sizes = per_call.get(name)
        if not sizes:
            return None, None
        median = median_low(sizes)
        return median, median * percent // 100

    return values


def _held_to_median(per_call: Mapping[str, Sequence[int]]) -> _Values:
    sizes = per_call.get("input_tokens")
    return (max(sizes), median_low(sizes)) if sizes else (None, None)


def _top_k(per_call: Mapping[str, Sequence[int]]) -> _Values:
    """From the largest top_k in use to half of it."""
    used = per_call.get(TOP_K)
    return (max(used), max(max(used) // 2, 1)) if used else (None, None)


def _constant(
    before: object, after: object
) -> Callable[[Mapping[str, Sequence[int]]], _Values]:
    def values(_per_call: Mapping[str, Sequence[int]]) -> _Values:
        return before, after

    return values


def _budget(kind: str, source: str) -> _Change:
    """Half of what a source took in a call."""
    name = f"{source}_tokens"
    return _Change(kind, "context_policy", f"/context/budget/{name}", _scaled(name, 50))


def _policy(kind: str, path: str, before: str, after: str) -> _Change:
    layer = "workflow" if path.startswith("/workflow/") else "context_policy"
    return _Change(kind, layer, path, _constant(before, after))


_CHANGES: Final[Mapping[str, tuple[_Change, ...]]] = {
    "HIGH_SKILL_INSTRUCTION": (
        _Change(
            "compress_skill",
            "skill",
            "/skill/instruction_tokens",
            _scaled("skill_instruction_tokens", 50),
        ),
        _Change(
            "split_skill_into_modules",
            "skill",
            "/skill/loading",
            _constant("whole", "by_module"),
        ),
    ),
    "HIGH_RETRIEVED_CONTEXT": (
        _budget("tune_context_budget", "retrieved_context"),
        _Change("reduce_top_k", "context_policy", "/retrieval/top_k", _top_k),
    ),
    "HIGH_TOOL_RESULT": (
        _policy("summarise_tool_results", "/context/tool_results", "raw", "summary"),
        _budget("tune_context_budget", "tool_result"),
    ),
    "HIGH_TOOL_CONTEXT_RATIO": (
        _policy(
            "filter_tool_results", "/context/tool_results", "raw", "selected_fields"
        ),
    ),
    "HIGH_HISTORY": (
        _policy("roll_up_history", "/context/history", "full", "rolling_summary"),
        _budget("tune_context_budget", "history"),
    ),
    "HIGH_MEMORY": (_budget("tune_context_budget", "memory"),),
    "HIGH_ARTIFACT_CONTEXT": (_budget("tune_context_budget", "artifact_context"),),
    "HIGH_FIXED_PROMPT": (
        _Change(
            "shorten_fixed_prompt",
            "skill",
            "/prompt/fixed_tokens",
            _scaled("fixed_prompt_tokens", 75),
        ),
    ),
    "HIGH_VALIDATE_COST": (
        _policy(
            "remove_repeated_validation",
            "/workflow/validation/rounds",
            "every",
            "first_and_after_change",
        ),
    ),
    "HIGH_REFINE_COST": (
        _policy(
            "patch_instead_of_rewrite", "/workflow/refine/mode", "rewrite", "patch"
        ),
    ),
    "LOW_CACHE_HIT_RATIO": (
        _policy(
            "stabilise_prompt_prefix", "/context/layout", "free", "stable_prefix_first"
        ),
    ),
    "HIGH_INPUT_AMPLIFICATION": (
        _Change(
            "cap_step_input",
            "context_policy",
            "/context/budget/input_tokens",
            _held_to_median,
        ),
    ),
    "REPEATED_TOOL_CALL": (
        _policy(
            "reuse_tool_results", "/workflow/tools/reads", "repeat", "until_next_write"
        ),
    ),
    "SAME_RESULT": (_policy("drop_duplicates", "/context/duplicates", "keep", "drop"),),
    "POLLING": (_policy("wait_in_tool", "/workflow/tools/polling", "model", "tool"),),
    "REPEATED_WRITE": (
        _policy(
            "send_idempotency_key",
            "/workflow/tools/writes",
            "retry",
            "idempotency_key_and_look_first",
        ),
    ),
    "FAILED_TOOL_CALLS": (
        _policy(
            "explain_tool_errors", "/workflow/tools/errors", "message", "how_to_call"
        ),
    ),
    "COST_OF_FAILED_STEPS": (
        _policy(
            "rewrite_workflow_policy",
            "/workflow/on_failure",
            "retry",
            "check_before_call",
        ),
    ),
}
