"""Validator `execution`: claimed and expected executions, compared with execution records."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric
from judgemesh.validators.execution.asked import asks_about_execution, covered_codes


@validator(
    name="execution",
    version="1",
    takes_args=False,
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        FailureCode.ACTION_NOT_EXECUTED,
        FailureCode.EXECUTION_RESULT_NOT_FOUND,
        FailureCode.STATE_CHANGE_FAILED,
        FailureCode.PARTIAL_STATE_CHANGE,
        FailureCode.WRONG_EXECUTION_TARGET,
        FailureCode.WRONG_EXECUTION_PARAMETERS,
        FailureCode.DUPLICATE_EXECUTION,
        FailureCode.UNAUTHORIZED_ACTION,
        FailureCode.UNCONFIRMED_HIGH_RISK_ACTION,
        FailureCode.UNAUTHORIZED_PAYMENT,
        FailureCode.MISSING_REQUIRED_FIELD,
    ),
    applies=asks_about_execution,
    covers=covered_codes,
    stage=Stage.SOURCE,
)
def execution(case: Case) -> Judgement:
    """What was claimed and what was expected is in the execution records, once, and nothing else is.

    What the agent says is a claim; the proof is a record, in the result or in a configured source. Records that cannot
    be read leave the check undecided. A source that can be read and is empty is a failure.
    """
    # Reading dialogues is heavy to import, and most contracts ask for no execution.
    from judgemesh.validators.execution.check import check_execution

    return (yield from check_execution(case))
