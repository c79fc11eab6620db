"""Validator `plan_quality`: whether the agent planned before it acted, and how well the plan is built."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Judgement, Stage, validator


@validator(
    name="plan_quality",
    version="1",
    takes_args=False,
    codes=(FailureCode.SOP_NOT_FOLLOWED, FailureCode.INCOMPLETE_ANSWER),
    applies=lambda contract: contract.plan is not None,
    stage=Stage.MODEL,
    timeout_s=600.0,
    needs_answer=True,
)
def plan_quality(case: Case) -> Judgement:
    """The plan before the first tool call can be carried out, and is well built.

    Four criteria of equal weight make planning quality: order of dependencies, branches for failures, scope, and
    marked, reversible writes. A task of fewer than three steps needs no plan; one of three or more without a plan
    scores 0. What the plan does not declare is asked; without a judge it is skipped.
    """
    # Simulating plans is heavy to import, and most contracts ask for no plan.
    from judgemesh.validators.plan_quality.check import check_plan_quality

    return (yield from check_plan_quality(case))
