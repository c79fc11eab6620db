"""Expected values: what the final answer and the fields of an answer must be."""

from __future__ import annotations

from collections.abc import Collection

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import Metric, not_configured
from judgemesh.validators._shared.answer.fields import Corpus
from judgemesh.validators._shared.replies import by_id
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.expected_answer.answers import compare_answer
from judgemesh.validators.expected_answer.comparison import Comparison, Finding
from judgemesh.validators.expected_answer.expectations import expected_fields
from judgemesh.validators.expected_answer.places import compare_field
from judgemesh.validators.expected_answer.verdicts import judged_verdict, verdict_of


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
    corpus = Corpus(case.result)
    comparisons = [
        compare_field(field, corpus) for field in expected_fields(case.contract)
    ]
    if case.contract.answer is not None:
        comparisons.append(compare_answer(case.contract.answer, case.result))
    if not comparisons:
        return [not_configured("expected", "the contract expects no value")]
    asked = [one for one in comparisons if _askable(one, case)]
    verdicts = [verdict_of(one) for one in comparisons if one not in asked]
    if asked:
        answers = yield by_id(_ask(one, case) for one in asked)
        verdicts += [judged_verdict(one, answers[one.check]) for one in asked]
    return verdicts


def _askable(comparison: Comparison, case: Case) -> bool:
    """A judge is asked about what is not certain, and about a field that no rung found."""
    return case.judge and comparison.by_judge and (
        comparison.finding is Finding.UNCERTAIN
        or (comparison.finding is Finding.MISSING and not comparison.empty)
    )  # fmt: skip


def _ask(comparison: Comparison, case: Case) -> Ask:
    output = case.result.output
    materials: list[Material] = []
    if output.final_answer:
        materials.append(Material("final_answer", output.final_answer))
    if output.outputs:
        materials.append(Material("outputs", json_text(output.outputs)))
    return Ask(
        question_id=comparison.check,
        question=(
            f"Does the agent's answer state {comparison.subject} as {comparison.expected}, "
            "and no other value for it?"
        ),
        materials=tuple(materials),
        gating=True,
    )
