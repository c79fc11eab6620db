"""Validator `state`: the changes of state that the run made, compared with the changes that the contract expects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Metric, Verdict

_CHANGE_CODES: Final = (
    FailureCode.PARTIAL_STATE_CHANGE,
    FailureCode.STATE_CHANGE_FAILED,
    FailureCode.STATE_MISMATCH,
)


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    """Side effects and empty objects are looked for always; failed changes where some are expected."""
    spec = contract.state
    if spec is None:
        return ()
    from judgemesh.validators.state.expectations import expects_changes

    covered = [FailureCode.UNAUTHORIZED_ACTION, FailureCode.EMPTY_OR_INVALID_OUTPUT]
    if expects_changes(spec):
        covered += _CHANGE_CODES
    return covered


@validator(
    name="state",
    version="1",
    takes_args=False,
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        *_CHANGE_CODES,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.UNAUTHORIZED_ACTION,
    ),
    applies=lambda contract: contract.state is not None,
    covers=_covers,
    pure=True,
)
def state(case: Case) -> list[Verdict]:
    """The expected changes of state happened, and no others, and what came to be has content.

    Some but not all of the expected changes: `PARTIAL_STATE_CHANGE`. None: `STATE_CHANGE_FAILED`, or `STATE_MISMATCH`
    when the agent claims them. A change that is neither expected, allowed nor ignored, and any forbidden one:
    `UNAUTHORIZED_ACTION` with `side_effect_detected`. An object that was created or changed and is empty, unreadable or
    a placeholder, where the contract does not ask for just that: `EMPTY_OR_INVALID_OUTPUT`. Where an execution is
    required and nothing is expected to change, an unchanged state proves nothing: the check abstains.
    """
    # Comparing states is heavy to import, and most contracts expect no changes.
    from judgemesh.validators.state.check import check_state

    return check_state(case)
