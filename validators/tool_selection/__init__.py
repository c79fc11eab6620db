"""Validator `tool_selection`: the share of tool-call decisions in which the agent made the right pick."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Verdict

_WRONG_PICKS: Final[tuple[FailureCode, ...]] = (
    FailureCode.SOP_NOT_FOLLOWED,
    FailureCode.WRONG_EXECUTION_PARAMETERS,
)


def _covered(contract: EvalContract) -> set[FailureCode]:
    """The codes of wrong picks; only forbidden extra calls are unauthorised actions."""
    spec = contract.tools
    if spec is None or (spec.expected is None and not spec.registry):
        return set()
    codes: set[FailureCode] = set(_WRONG_PICKS)
    if spec.expected is not None and spec.extra_calls == "forbid":
        codes.add(FailureCode.UNAUTHORIZED_ACTION)
    return codes


@validator(
    name="tool_selection",
    version="2",
    takes_args=False,
    codes=(
        *_WRONG_PICKS,
        FailureCode.UNAUTHORIZED_ACTION,
    ),
    applies=lambda contract: contract.tools is not None,
    covers=_covered,
    pure=True,
)
def tool_selection(case: Case) -> list[Verdict]:
    """The agent picks the right tool with the right arguments at each decision.

    Only the first pick of a decision counts. A pick is right when an expert made the same call (or one to an
    equivalent tool), its arguments fit the tool's schema, and the registry holds no safer or cheaper equivalent. The
    score is the share of decisions whose first pick was right.
    """
    # Comparing picks is heavy to import, and most contracts name no tools.
    from judgemesh.validators.tool_selection.check import check_tool_selection

    return check_tool_selection(case)
