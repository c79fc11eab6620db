"""Limits of a run: how many steps and calls, and the same call over and over."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.procedure import Limits
from judgemesh.contracts.results import TraceStep
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
)
from judgemesh.validators._shared.tool_calls import tool_matches
from judgemesh.validators._shared.transcript import step_ref, transcript_hidden
from judgemesh.validators._shared.values import listed

_METRIC: Final = Metric.METHODOLOGY.value
_MAX_REFS: Final = 50
_LONGEST_CYCLE: Final = 10
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


@dataclass(frozen=True, slots=True)
class _Call:
    """One tool call: what it is the same as, and how it is shown."""

    tool: str
    key: object
    ref: str


@dataclass(frozen=True, slots=True)
class _Excess:
    """A limit that was passed, and the steps that passed it."""

    why: str
    refs: tuple[str, ...]


@validator(
    name="limits",
    version="1",
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.limits is not None
    ),
)
def limits(case: Case) -> Judgement:
    """The run stays within its limits: steps, calls, calls of one tool, and the same call repeated.

    Two calls are the same when tool and arguments are equal. Loops are found in a row (`repeats`), over the whole run
    (`total_repeats`), and as a sequence of calls that comes right after itself (`cycle`).
    """
    yield from ()
    spec = case.contract.sop.limits if case.contract.sop else None
    if spec is None:
        return [
            Skipped(
                check="limits",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract sets no limits",
            )
        ]
    if case.result.trace is None or transcript_hidden(case.result):
        return [
            Abstain(
                check="limits",
                code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
                reason=Reason.SOURCE_INACCESSIBLE,
                diagnostic="the result carries no trace steps to count",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
            )
        ]
    found = list(_excesses(spec, case.result.trace.steps))
    if not found:
        return [
            Pass(
                check="limits",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
                confidence=DETERMINISTIC,
            )
        ]
    refs = dict.fromkeys(f"trace:{ref}" for excess in found for ref in excess.refs)
    return [
        Fail(
            check="limits",
            codes=(spec.code,),
            diagnostic=listed([excess.why for excess in found]),
            metric=_METRIC,
            weight=spec.weight,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            evidence_refs=tuple(refs)[:_MAX_REFS],
        )
    ]


def _excesses(spec: Limits, steps: Sequence[TraceStep]) -> Iterator[_Excess]:
    if spec.steps is not None and len(steps) > spec.steps:
        yield _Excess(
            f"{len(steps)} steps, at most {spec.steps} allowed",
            (step_ref(steps[spec.steps], spec.steps),),
        )
    named = [
        (step, step_ref(step, index))
        for index, step in enumerate(steps)
        if step.tool_name is not None
    ]
    if spec.calls is not None and len(named) > spec.calls:
        yield _Excess(
            f"{len(named)} tool calls, at most {spec.calls} allowed",
            (named[spec.calls][1],),
        )
    for glob, most in spec.calls_per_tool.items():
        refs = [ref for step, ref in named if tool_matches(glob, step.tool_name or "")]
        if len(refs) > most:
            yield _Excess(
                f"{glob} was called {len(refs)} times, at most {most} allowed",
                tuple(refs[most:]),
            )
    if spec.repeats is None and spec.total_repeats is None and spec.cycle is None:
        return
    calls = [
        _Call(step.tool_name or "", _key(step), ref)
        for step, ref in named
        if not any(
            tool_matches(glob, step.tool_name or "") for glob in spec.except_tools
        )
    ]
    yield from _in_a_row(spec, calls)
    yield from _in_total(spec, calls)
    yield from _cycles(spec, calls)


def _key(step: TraceStep) -> object:
    if not step.arguments:
        return step.tool_name
    try:
        return step.tool_name, _ENCODER.encode(step.arguments)
    except (RecursionError, ValueError):
        # Too deep to spell out: such a call is only the same as itself.
        return step.tool_name, id(step)


def _in_a_row(spec: Limits, calls: Sequence[_Call]) -> Iterator[_Excess]:
    if spec.repeats is None:
        return
    start = 0
    for index in range(1, len(calls) + 1):
        if index < len(calls) and calls[index].key == calls[start].key:
            continue
        if index - start > spec.repeats:
            refs = tuple(call.ref for call in calls[start + spec.repeats : index])
            tool = calls[start].tool
            yield _Excess(
                f"the same call of {tool} {index - start} times in a row, at most {spec.repeats} allowed",
                refs,
            )
        start = index


def _in_total(spec: Limits, calls: Sequence[_Call]) -> Iterator[_Excess]:
    if spec.total_repeats is None:
        return
    groups: dict[object, list[_Call]] = {}
    for call in calls:
        groups.setdefault(call.key, []).append(call)
    for group in groups.values():
        if len(group) > spec.total_repeats:
            refs = tuple(call.ref for call in group[spec.total_repeats :])
            yield _Excess(
                f"the same call of {group[0].tool} {len(group)} times, at most {spec.total_repeats} allowed",
                refs,
            )


def _cycles(spec: Limits, calls: Sequence[_Call]) -> Iterator[_Excess]:
    """The first sequence of two to ten calls, not all the same, that comes more often than allowed in one go."""
    if spec.cycle is None:
        return
    for length in range(2, _LONGEST_CYCLE + 1):
        same = 0
        for index in range(length, len(calls)):
            same = same + 1 if calls[index].key == calls[index - length].key else 0
            if same < length * spec.cycle:
                continue
            pattern = calls[index - length + 1 : index + 1]
            if len({call.key for call in pattern}) > 1:
                tools = ", ".join(call.tool for call in pattern)
                why = f"the calls {tools} more than {spec.cycle} times right after each other"
                yield _Excess(why, tuple(call.ref for call in pattern))
                return
