"""Validator `limits`: how many steps and calls a run takes, and how often it repeats the same call."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Metric, Verdict
from judgemesh.validators.limits.limited import sets_limit


def _covered(contract: EvalContract) -> set[FailureCode]:
    spec = contract.sop.limits if contract.sop else None
    return {spec.code} if spec is not None and sets_limit(spec) else set()


@validator(
    name="limits",
    version="1",
    takes_args=False,
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.limits is not None
    ),
    covers=_covered,
    pure=True,
)
def limits(case: Case) -> list[Verdict]:
    """The run stays within its limits: steps, calls, calls of one tool, and the same call repeated.

    Two calls are the same when tool and arguments are equal. Loops are found in a row (`repeats`), over the whole run
    (`total_repeats`), and as a sequence of calls that comes right after itself (`cycle`).
    """
    # Counting calls is heavy to import, and most contracts set no limits.
    from judgemesh.validators.limits.check import check_limits

    return check_limits(case)
