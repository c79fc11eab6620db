"""The run agrees with its replay in a simulator that enforces the rules."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.procedure import Replay
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
from judgemesh.validators._shared.transcript import step_ref
from judgemesh.validators._shared.values import json_equal, listed, show

_METRIC: Final = Metric.METHODOLOGY.value
_MAX_REFS: Final = 50
_KEY: Final = "replay"
_STATUS: Final = "replay_status"


@validator(
    name="replay",
    version="1",
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.replay is not None
    ),
)
def replay(case: Case) -> Judgement:
    """Every call gave what it gives where the rules are enforced.

    A harness that replays the calls of a run in a rule-enforcing simulator puts what came back beside each step, as
    `replay`. Where the two differ, the run got something the rules do not give.
    """
    yield from ()
    spec = case.contract.sop.replay if case.contract.sop else None
    if spec is None:
        return [
            Skipped(
                check="replay",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract asks for no replay",
            )
        ]
    steps = case.result.trace.steps if case.result.trace else []
    calls = [
        (step, step_ref(step, index))
        for index, step in enumerate(steps)
        if step.tool_name is not None
    ]
    compared = [(step, ref) for step, ref in calls if _comparable(step)]
    if not compared and (calls or case.result.trace is None):
        return [
            Abstain(
                check="replay",
                code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
                reason=Reason.SOURCE_INACCESSIBLE,
                diagnostic=f"no step carries `{_KEY}`, what the same call gives under the rules",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
            )
        ]
    apart = [(step, ref) for step, ref in compared if not _agrees(step, spec)]
    if not apart:
        return [
            Pass(
                check="replay",
                metric=_METRIC,
                weight=spec.weight,
                gating=spec.gate,
                confidence=DETERMINISTIC,
            )
        ]
    words = [
        f"step {ref}: {step.tool_name} gave {show(step.result, 60)}, under the rules {show(_given(step), 60)}"
        for step, ref in apart
    ]
    return [
        Fail(
            check="replay",
            codes=(spec.code,),
            diagnostic=listed(words),
            metric=_METRIC,
            weight=spec.weight,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            evidence_refs=tuple(f"trace:{ref}" for _, ref in apart[:_MAX_REFS]),
        )
    ]


def _comparable(step: TraceStep) -> bool:
    extra = step.model_extra or {}
    return _KEY in extra and extra.get(_STATUS) in (None, "ok")


def _given(step: TraceStep) -> object:
    given: object = (step.model_extra or {}).get(_KEY)
    return given


def _agrees(step: TraceStep, spec: Replay) -> bool:
    given = _given(step)
    return json_equal(step.result, given) or (
        spec.wrapped and json_equal([True, step.result], given)
    )
