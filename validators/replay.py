"""Validator `replay`: the results of the run agree with its replay in a simulator that enforces the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
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
from judgemesh.validators._shared.trace.transcript import unread_trace
from judgemesh.validators._shared.values import json_equal, listed, show

if TYPE_CHECKING:
    from judgemesh.contracts.sections.procedure import Replay
    from judgemesh.validators._shared.trace.tool_calls import ToolCall

_METRIC: Final = Metric.METHODOLOGY.value
_REPLAYED_RESULT: Final = "replay"
_REPLAY_STATUS: Final = "replay_status"


def _covered(contract: EvalContract) -> set[FailureCode]:
    spec = contract.sop.replay if contract.sop else None
    return set() if spec is None else {spec.code}


@validator(
    name="replay",
    version="1",
    takes_args=False,
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.replay is not None
    ),
    covers=_covered,
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
    from judgemesh.validators._shared.trace.tool_calls import tool_calls

    calls = tool_calls(case.result.trace.steps if case.result.trace else [])
    replayed = 0
    differing: list[ToolCall] = []
    for call in calls:
        extra = call.step.model_extra
        if extra is None or not _is_replayed(extra):
            continue
        replayed += 1
        if not _agrees(call.step.result, extra[_REPLAYED_RESULT], spec):
            differing.append(call)
    why = unread_trace(case)
    if why is None and not replayed and (calls or case.result.trace is None):
        why = f"no step carries `{_REPLAYED_RESULT}`, the result of the same call under the rules"
    if why is not None:
        return [
            inaccessible(
                "replay",
                why,
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
            )
        ]
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


def _is_replayed(extra: Mapping[str, object]) -> bool:
    """Whether the additional fields of a step hold the result of a replay that could be carried out."""
    return _REPLAYED_RESULT in extra and extra.get(_REPLAY_STATUS) in (None, "ok")


def _agrees(result: object, replayed: object, spec: Replay) -> bool:
    if json_equal(result, replayed):
        return True
    return spec.wrapped and json_equal([True, result], replayed)


def _describe(call: ToolCall) -> str:
    result = show(call.step.result, 60)
    replayed = show((call.step.model_extra or {})[_REPLAYED_RESULT], 60)
    return f"step {call.ref}: {call.tool} gave {result}, under the rules {replayed}"
