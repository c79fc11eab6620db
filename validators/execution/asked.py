"""What a contract asks about executions."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract

_COMPARED: Final = frozenset(
    {
        FailureCode.ACTION_NOT_EXECUTED,
        FailureCode.EXECUTION_RESULT_NOT_FOUND,
        FailureCode.WRONG_EXECUTION_TARGET,
        FailureCode.WRONG_EXECUTION_PARAMETERS,
        FailureCode.DUPLICATE_EXECUTION,
        FailureCode.PARTIAL_STATE_CHANGE,
    }
)
"""Codes that follow from records and claims alone."""
_RISKS: Final = frozenset(
    {FailureCode.UNAUTHORIZED_PAYMENT, FailureCode.UNCONFIRMED_HIGH_RISK_ACTION}
)


def named_codes(contract: EvalContract) -> frozenset[FailureCode]:
    """The codes that the contract names and that only records can show."""
    return frozenset(contract.named_codes()) & (_COMPARED | _RISKS)


def asks_about_execution(contract: EvalContract) -> bool:
    """Whether a section of the contract needs records, or the report about them."""
    if contract.execution is not None:
        return True
    rules = contract.success_criteria.execution_result
    return bool(rules.must_include) or compares_records(contract)


def _of_state(contract: EvalContract) -> frozenset[FailureCode]:
    """The codes that a `state` section looks for by itself."""
    if contract.state is None:
        return frozenset()
    return frozenset({FailureCode.PARTIAL_STATE_CHANGE})


def covered_codes(contract: EvalContract) -> frozenset[FailureCode]:
    """The codes that are looked for under the contract."""
    spec, rules = contract.execution, contract.success_criteria.execution_result
    codes: set[FailureCode] = set()
    if rules.must_include:
        codes.add(FailureCode.MISSING_REQUIRED_FIELD)
    if not compares_records(contract):
        return frozenset(codes)
    codes |= _COMPARED | (_RISKS & named_codes(contract))
    if rules.required or (spec is not None and spec.expected):
        codes.add(FailureCode.STATE_CHANGE_FAILED)
    if spec is None:
        return frozenset(codes)
    if spec.exclusive and (spec.expected or not rules.required):
        codes.add(FailureCode.UNAUTHORIZED_ACTION)
    if spec.payments:
        codes.add(FailureCode.UNAUTHORIZED_PAYMENT)
    if spec.high_risk:
        codes.add(FailureCode.UNCONFIRMED_HIGH_RISK_ACTION)
    return frozenset(codes)


def compares_records(contract: EvalContract) -> bool:
    """Whether records are compared under the contract, and not only the report about a proved state."""
    if contract.execution is not None or named_codes(contract) - _of_state(contract):
        return True
    required = contract.success_criteria.execution_result.required
    return required and contract.state is None
