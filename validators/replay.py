"""Validator `replay`: the results of the run agree with its replay in a simulator that enforces the rules."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.procedure import Replay
from judgemesh.contracts.results import TraceStep
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Metric,
    Pass,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import MAX_REFS
from judgemesh.validators._shared.tool_calls import ToolCall, tool_calls
from judgemesh.validators._shared.values import json_equal, listed, show

_METRIC: Final = Metric.METHODOLOGY.value
_REPLAYED_RESULT: Final = "replay"
_REPLAY_STATUS: Final = "replay_status"


@validator(
    name="replay",
    version="1",
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.replay is not None
    ),
    pure=True,
)
def replay(case: Case) -> list[Verdict]:
    """Every call returned what it returns where the rules are enforced.

    A harness that replays the calls of a run in a rule-enforcing simulator puts the replayed result beside each step,
    as `replay`. Where the two differ, the run got a result that the rules do not allow.
    """
    spec = case.contract.sop.replay if case.contract.sop else None
    if spec is None:
        return [not_configured("replay", "the contract asks for no replay")]
    calls = tool_calls(case.result.trace.steps if case.result.trace else [])
    replayed = [call for call in calls if _is_replayed(call.step)]
    if not replayed and (calls or case.result.trace is None):
        return [
            inaccessible(
                "replay",
                f"no step carries `{_REPLAYED_RESULT}`, the result of the same call under the rules",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
            )
        ]
    differing = [call for call in replayed if not _agrees(call.step, spec)]
    if not differing:
        return [
            Pass(
                check="replay",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
                confidence=DETERMINISTIC,
            )
        ]
    return [
        Fail(
            check="replay",
            codes=(spec.code,),
            diagnostic=listed([_describe(call) for call in differing]),
            metric=_METRIC,
            weight=spec.weight,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            evidence_refs=tuple(f"trace:{call.ref}" for call in differing[:MAX_REFS]),
        )
    ]


def _is_replayed(step: TraceStep) -> bool:
    extra = step.model_extra or {}
    return _REPLAYED_RESULT in extra and extra.get(_REPLAY_STATUS) in (None, "ok")


def _replayed_result(step: TraceStep) -> object:
    result: object = (step.model_extra or {}).get(_REPLAYED_RESULT)
    return result


def _agrees(step: TraceStep, spec: Replay) -> bool:
    replayed = _replayed_result(step)
    if json_equal(step.result, replayed):
        return True
    return spec.wrapped and json_equal([True, step.result], replayed)


def _describe(call: ToolCall) -> str:
    result = show(call.step.result, 60)
    replayed = show(_replayed_result(call.step), 60)
    return f"step {call.ref}: {call.tool} gave {result}, under the rules {replayed}"
