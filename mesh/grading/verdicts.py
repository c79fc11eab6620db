"""From whatever a validator returned or raised to complete verdicts. Pure."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Form, Stage, Validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    GRADES,
    Abstain,
    Error,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.mesh.isolation.faults import told

_KINDS: Final = (Pass, Fail, Abstain, Error, Skipped)
_NOT_REACHED: Final = (Skipped, Error)
_MAX_DIAGNOSTIC_CHARS: Final = 10_000
_RULE: Final = "rule"
_SOURCE: Final = "source"
_JUDGE: Final = "judge"
_KIND_OF_STAGE: Final = {
    Stage.DETERMINISTIC: _RULE,
    Stage.SOURCE: _SOURCE,
    Stage.MODEL: _JUDGE,
}


def verdicts_of(outcome: object) -> list[Verdict]:
    """What a validator returned, as a list of verdicts; an `Error` when it returned none, or anything else."""
    if isinstance(outcome, bool):
        return [Pass() if outcome else Fail(codes=(FailureCode.UNKNOWN_FAILURE,))]
    if isinstance(outcome, _KINDS):
        return [outcome]
    if isinstance(outcome, list | tuple):
        verdicts = cast("Sequence[object]", outcome)
        if not verdicts:
            return [_no_verdict("the validator returned no verdict")]
        if all(isinstance(verdict, _KINDS) for verdict in verdicts):
            return list(cast("Sequence[Verdict]", verdicts))
    if isinstance(outcome, Coroutine):
        outcome.close()  # else Python warns that it was never awaited
    kind = _named(cast("object", outcome))
    return [
        _no_verdict(
            f"the validator returned {kind}; expected a verdict, a list of verdicts or a bool"
        )
    ]


def _named(outcome: object) -> str:
    """What something is that is no verdict; of a list, the first thing in it that is none."""
    kind = type(outcome).__name__
    if isinstance(outcome, list | tuple):
        for entry in cast("Sequence[object]", outcome):
            if not isinstance(entry, _KINDS):
                return f"{kind} with {type(entry).__name__} in it"
    return kind


def _no_verdict(diagnostic: str) -> Error:
    return Error(reason=Reason.NO_VERDICT, diagnostic=diagnostic)


def error_verdict(error: BaseException, validator: Validator) -> Error:
    """The verdict of a validator that raised an exception: what, and where in the code of a plug-in."""
    return Error(reason=Reason.EXCEPTION, diagnostic=told(error, validator.run))


def deadline_verdict(diagnostic: str) -> Error:
    """The verdict of a validator that did not return in time."""
    return Error(reason=Reason.DEADLINE, diagnostic=diagnostic)


def completed(verdict: Verdict, validator: Validator, *, asked_judge: bool) -> Verdict:
    """Fill in what the validator left out: its metric, its only code, and the confidence of a check without a model."""
    changes: dict[str, Any] = {}
    if verdict.metric is None and validator.metric is not None:
        changes["metric"] = validator.metric.value
    if isinstance(verdict, GRADES):
        if verdict.confidence is None and not asked_judge:
            changes["confidence"] = DETERMINISTIC
        if _lacks_code(verdict) and len(validator.codes) == 1:
            changes["codes"] = tuple(validator.codes)
    if len(verdict.diagnostic) > _MAX_DIAGNOSTIC_CHARS:
        changes["diagnostic"] = _shortened(verdict.diagnostic)
    return replace(verdict, **changes) if changes else verdict


def kind_of(
    verdict: Verdict, validator: Validator, *, asked_judge: bool, asked_source: bool
) -> str:
    """What a verdict rests on: `rule`, `source` or `judge`, by what was really asked.

    A verdict that was not reached is of the kind of its validator's stage; so is that of a validator that does its own
    input and output.
    """
    if asked_judge and verdict.confidence != DETERMINISTIC:
        return _JUDGE
    if asked_source:
        return _SOURCE
    if isinstance(verdict, _NOT_REACHED) or validator.form is Form.ASYNC:
        return _KIND_OF_STAGE[validator.stage]
    return _RULE


def _lacks_code(verdict: Pass | Fail) -> bool:
    return isinstance(verdict, Fail) and verdict.codes == (FailureCode.UNKNOWN_FAILURE,)


def _shortened(diagnostic: str) -> str:
    more = len(diagnostic) - _MAX_DIAGNOSTIC_CHARS
    return f"{diagnostic[:_MAX_DIAGNOSTIC_CHARS]} [{more} more characters]"
