"""Counts the steps and calls of a run, and finds those that repeat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Limits
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
from judgemesh.validators._shared.trace.tool_calls import (
    ToolCall,
    calls_tool,
    tool_calls,
)
from judgemesh.validators._shared.trace.tool_names import folded_tool
from judgemesh.validators._shared.trace.transcript import step_ref, without_trace
from judgemesh.validators._shared.values import as_mapping, as_sequence, listed
from judgemesh.validators.limits.limited import sets_limit

_METRIC: Final = Metric.METHODOLOGY.value
_MAX_CYCLE: Final = 10
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


class _KeyedCall(NamedTuple):
    """A tool call with its key: two calls are the same when their keys are equal."""

    key: object
    tool: str
    ref: str


class _Excess(NamedTuple):
    """A limit that was exceeded, and the steps beyond it."""

    why: str
    refs: Sequence[str]


def check_limits(case: Case) -> list[Verdict]:
    """The verdict on a run."""
    spec = case.contract.sop.limits if case.contract.sop else None
    if spec is None or not sets_limit(spec):
        return [not_configured("limits", "the contract sets no limits")]
    why = without_trace(case)
    if why is not None or case.result.trace is None:
        return [
            inaccessible(
                "limits",
                f"steps and calls cannot be counted: {why}",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
            )
        ]
    excesses = list(_excesses(spec, case.result.trace.steps))
    if not excesses:
        return [
            Pass(
                check="limits",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
                confidence=DETERMINISTIC,
            )
        ]
    refs = (f"trace:{ref}" for excess in excesses for ref in excess.refs)
    return [
        Fail(
            check="limits",
            codes=(spec.code,),
            diagnostic=listed([excess.why for excess in excesses]),
            metric=_METRIC,
            weight=spec.weight,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            evidence_refs=evidence_refs(refs),
        )
    ]


def _excesses(spec: Limits, steps: Sequence[TraceStep]) -> Iterator[_Excess]:
    calls = tool_calls(steps)
    if spec.steps is not None and len(steps) > spec.steps:
        first_beyond = step_ref(steps[spec.steps], spec.steps)
        why = f"{len(steps)} steps, at most {spec.steps} allowed"
        yield _Excess(why, (first_beyond,))
    if spec.calls is not None and len(calls) > spec.calls:
        why = f"{len(calls)} tool calls, at most {spec.calls} allowed"
        yield _Excess(why, (calls[spec.calls].ref,))
    for pattern, maximum in spec.calls_per_tool.items():
        refs = [call.ref for call in calls if calls_tool(pattern, call.step)]
        if len(refs) > maximum:
            why = f"{pattern} was called {len(refs)} times, at most {maximum} allowed"
            yield _Excess(why, refs[maximum:])
    if spec.repeats is None and spec.total_repeats is None and spec.cycle is None:
        return
    keyed = _keyed_calls(calls, spec)
    if spec.repeats is not None:
        yield from _repeats_in_a_row(keyed, spec.repeats)
    if spec.total_repeats is not None:
        yield from _repeats_in_total(keyed, spec.total_repeats)
    if spec.cycle is not None:
        yield from _cycles(keyed, spec.cycle)


def _keyed_calls(calls: Sequence[ToolCall], spec: Limits) -> list[_KeyedCall]:
    """The calls that repetitions are counted of."""
    keyed: list[_KeyedCall] = []
    for call in calls:
        if any(calls_tool(pattern, call.step) for pattern in spec.except_tools):
            continue
        keyed.append(_KeyedCall(_key(call), call.tool, call.ref))
    return keyed


def _key(call: ToolCall) -> object:
    """Equal for two calls that are the same but for case, spaces, empty arguments, and numbers written as text."""
    tool = folded_tool(call.tool)
    step = call.step
    if not step.arguments:
        return tool, step.arguments_text
    try:
        return tool, _ENCODER.encode(_folded(step.arguments))
    except (RecursionError, ValueError):
        # Nested too deep to encode: such a call equals only itself.
        return tool, id(step)


def _folded(value: object) -> object:
    """A value in the form in which arguments are compared."""
    mapping = as_mapping(value)
    if mapping is not None:
        folded = {
            key.strip().casefold(): _folded(item) for key, item in mapping.items()
        }
        return {key: item for key, item in folded.items() if item not in _EMPTY}
    sequence = as_sequence(value)
    if sequence is not None:
        return [_folded(item) for item in sequence]
    if isinstance(value, str):
        return " ".join(value.split()).casefold()
    if isinstance(value, bool) or value is None:
        return value
    return f"{value:g}" if isinstance(value, float) else str(value)


def _repeats_in_a_row(calls: Sequence[_KeyedCall], maximum: int) -> Iterator[_Excess]:
    start = 0
    for end in range(1, len(calls) + 1):
        if end < len(calls) and calls[end].key == calls[start].key:
            continue
        if end - start > maximum:
            tool = calls[start].tool
            why = f"the same call of {tool} {end - start} times in a row, at most {maximum} allowed"
            yield _Excess(why, [call.ref for call in calls[start + maximum : end]])
        start = end


def _repeats_in_total(calls: Sequence[_KeyedCall], maximum: int) -> Iterator[_Excess]:
    groups: dict[object, list[_KeyedCall]] = {}
    for call in calls:
        groups.setdefault(call.key, []).append(call)
    for group in groups.values():
        if len(group) > maximum:
            why = f"the same call of {group[0].tool} {len(group)} times, at most {maximum} allowed"
            yield _Excess(why, [call.ref for call in group[maximum:]])


def _cycles(calls: Sequence[_KeyedCall], maximum: int) -> Iterator[_Excess]:
    """The first sequence of two to ten calls, not all the same, that follows itself more often than allowed."""
    for length in range(2, _MAX_CYCLE + 1):
        equal = 0  # calls in a row that equal the call `length` earlier
        for index in range(length, len(calls)):
            equal += 1
            if calls[index].key != calls[index - length].key:
                equal = 0
            if equal < length * maximum:
                continue
            sequence = calls[index - length + 1 : index + 1]
            if len({call.key for call in sequence}) > 1:
                tools = ", ".join(call.tool for call in sequence)
                why = f"the calls {tools} more than {maximum} times right after each other"
                yield _Excess(why, [call.ref for call in sequence])
                return
