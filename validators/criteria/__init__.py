"""Yes/no criteria: one narrow question each, answered by a judge."""

from __future__ import annotations

from collections.abc import Collection

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.validators.criteria.codes import CODE_OF_METRIC, code_of


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    """The code of every criterion, as far as it is one of the validator's own."""
    own = {*CODE_OF_METRIC.values(), FailureCode.UNKNOWN_FAILURE}
    return own & {code_of(criterion) for criterion in contract.criteria}


@validator(
    name="criteria",
    version="1",
    takes_args=False,
    codes=(*CODE_OF_METRIC.values(), FailureCode.UNKNOWN_FAILURE),
    applies=lambda contract: bool(contract.criteria),
    covers=_covers,
    stage=Stage.MODEL,
    timeout_s=600.0,
    needs_answer=True,
)
def criteria(case: Case) -> Judgement:
    """Each yes/no criterion holds, as a judge decides.

    All questions are asked at once. Without a judge they are skipped, never passed. An answer without content fails
    every criterion that reads it, unasked: some judges reward openers such as `Thought process:`.
    """
    # What judges are asked and answer is heavy to import, and many contracts have no criteria.
    from judgemesh.validators.criteria.check import check_criteria

    return (yield from check_criteria(case))
