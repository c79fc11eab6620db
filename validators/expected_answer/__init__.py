"""Expected values: what the final answer and the fields of an answer must be."""

from __future__ import annotations

from collections.abc import Collection

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import Metric
from judgemesh.validators.expected_answer.expectations import expected_fields


def _applies(contract: EvalContract) -> bool:
    return contract.answer is not None or bool(expected_fields(contract))


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    codes: set[FailureCode] = set()
    specs = [field.query.spec for field in expected_fields(contract)]
    if specs:
        codes |= {FailureCode.WRONG_FACT, FailureCode.MISSING_REQUIRED_FIELD}
    if contract.answer is not None:
        codes |= {
            FailureCode.WRONG_FACT,
            FailureCode.MISSING_FINAL_ANSWER,
            FailureCode.EMPTY_OR_INVALID_OUTPUT,
        }
    if any(spec.json_schema is not None for spec in (*specs, contract.answer) if spec):
        codes.add(FailureCode.OUTPUT_FORMAT_INVALID)
    return codes


@validator(
    name="expected_answer",
    version="1",
    takes_args=False,
    metric=Metric.COMPLETENESS,
    codes=(
        FailureCode.WRONG_FACT,
        FailureCode.MISSING_REQUIRED_FIELD,
        FailureCode.MISSING_FINAL_ANSWER,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.OUTPUT_FORMAT_INVALID,
    ),
    applies=_applies,
    covers=_covers,
    needs_answer=True,
)
def expected_answer(case: Case) -> Judgement:
    """The final answer and the fields have the values that the contract expects.

    A field with a condition is required, and is found by the ladder of `required_fields`. Wherever it stands, its value
    must fulfil the condition: an answer that states two values does not pass by one of them. The value of the final
    answer is what stands behind its last marker (`ANSWER:`, `Final answer:`, a box), in the group of a pattern, in its
    JSON, or all of it. What cannot be compared for certain is put to a judge; without one, the check abstains.
    """
    # Comparing values is heavy to import, and many contracts expect none.
    from judgemesh.validators.expected_answer.check import check_expected_answer

    return (yield from check_expected_answer(case))
