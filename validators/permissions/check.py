"""Calls compared with the tools, arguments and data that the agent was allowed to use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.procedure import ArgumentRule, Permissions
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Metric,
    Pass,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import evidence_refs
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.trace.tool_calls import (
    ToolCall,
    argument,
    calls_tool,
    tool_calls,
)
from judgemesh.validators._shared.trace.transcript import without_trace
from judgemesh.validators._shared.values import ABSENT, UNKNOWN, listed, show
from judgemesh.validators.permissions.asked import limits_anything, limits_data
from judgemesh.validators.permissions.data_access import forbidden_paths

_NO_LIMITS: Final = (
    "the contract limits nothing: give tools, arguments, paths or denied_paths"
)
_METRIC: Final = Metric.METHODOLOGY.value


def check_permissions(case: Case) -> list[Verdict]:
    """Compare every call with what the contract allows."""
    spec = case.contract.sop.permissions if case.contract.sop else None
    if spec is None or not limits_anything(spec):
        return [not_configured("permissions", _NO_LIMITS)]
    why = without_trace(case)
    if why is not None or case.result.trace is None:
        why = f"permissions cannot be checked: {why}"
        return [inaccessible("permissions", why, metric=_METRIC, gating=spec.gate)]
    refs: list[str] = []
    violations: list[str] = []
    for call in tool_calls(case.result.trace.steps):
        for why in _violations(call, spec):
            refs.append(f"trace:{call.ref}")
            violations.append(f"step {call.ref}: {why}")
    if violations:
        return [_fail(spec, violations, refs)]
    unread = [
        f"step {call.ref}: {why}"
        for call in tool_calls(case.result.trace.steps)
        for why in _unread(call, spec)
    ]
    if unread:
        why = f"permissions cannot be checked: {listed(unread)}"
        return [inaccessible("permissions", why, metric=_METRIC, gating=spec.gate)]
    return [
        Pass(
            check="permissions",
            metric=_METRIC,
            gating=spec.gate,
            confidence=DETERMINISTIC,
        )
    ]


def _fail(spec: Permissions, violations: list[str], refs: list[str]) -> Fail:
    """The verdict of calls that the contract does not allow."""
    return Fail(
        check="permissions",
        codes=(FailureCode.UNAUTHORIZED_ACTION,),
        diagnostic=listed(violations),
        metric=_METRIC,
        gating=spec.gate,
        confidence=DETERMINISTIC,
        evidence_refs=evidence_refs(refs),
    )


def _violations(call: ToolCall, spec: Permissions) -> Iterator[str]:
    tool = call.tool
    if spec.tools is not None and not any(
        calls_tool(pattern, call.step) for pattern in spec.tools
    ):
        yield f"{tool} is not among the allowed tools"
    for rule in spec.arguments:
        if calls_tool(rule.tool, call.step):
            yield from _wrong_arguments(call, rule)
    for why in forbidden_paths(call.step, spec):
        yield f"{tool}: {why}"


def _wrong_arguments(call: ToolCall, rule: ArgumentRule) -> Iterator[str]:
    for name, matcher in rule.arguments.items():
        value = argument(call.step, name)
        if value is ABSENT:
            if rule.required:
                yield f"{call.tool} was called without {name}"
        elif value is not UNKNOWN and not matches(matcher, value):
            expected = describe(matcher)
            yield f"{call.tool}: {name} must be {expected}, found {show(value)}"


def _unread(call: ToolCall, spec: Permissions) -> Iterator[str]:
    """What the contract limits and the call does not tell: arguments that are no JSON, or contradict each other."""
    if call.step.arguments_text is not None and limits_data(spec):
        yield f"the arguments of {call.tool} cannot be read, and may name paths"
    for rule in spec.arguments:
        if calls_tool(rule.tool, call.step):
            for name in rule.arguments:
                if argument(call.step, name) is UNKNOWN:
                    yield f"{call.tool}: what {name} is cannot be read"
