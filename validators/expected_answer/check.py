"""The values of an answer and its fields compared with those that the contract expects."""

from __future__ import annotations

from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import not_configured
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.replies import by_id
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.expected_answer.answers import compare_answer
from judgemesh.validators.expected_answer.comparison import Comparison, Finding
from judgemesh.validators.expected_answer.expectations import expected_fields
from judgemesh.validators.expected_answer.places import compare_field
from judgemesh.validators.expected_answer.verdicts import judged_verdict, verdict_of


def check_expected_answer(case: Case) -> Judgement:
    """Compare the final answer and the fields with the values that the contract expects."""
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
