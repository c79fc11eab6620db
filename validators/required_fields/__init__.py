"""Required outputs and fields: what the contract asks for must be somewhere in the result."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import Metric, Verdict, not_configured
from judgemesh.validators._shared.answer.answers import (
    Answer,
    delivered_nothing,
    final_answer,
)
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.fields import NotPlaced, Placed, find
from judgemesh.validators.required_fields.requirements import (
    ANSWER,
    CLAIMS,
    EVIDENCE,
    FieldRequirement,
    MissingField,
    requirements_of,
)
from judgemesh.validators.required_fields.verdicts import (
    found_verdict,
    missing_verdicts,
)

_ANSWER_CODES: Final = frozenset(
    {FailureCode.MISSING_FINAL_ANSWER, FailureCode.EMPTY_OR_INVALID_OUTPUT}
)
_EVIDENCE_CODES: Final = frozenset(
    {FailureCode.MISSING_CITATION, FailureCode.MISSING_EVIDENCE}
)


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    """The codes that what is missing under this contract would carry."""
    codes: set[FailureCode] = set()
    evidence = contract.evidence is not None and contract.evidence.required
    for requirement in requirements_of(contract):
        if requirement.key == ANSWER:
            codes |= _ANSWER_CODES
        elif requirement.kind == "field":
            codes.add(FailureCode.MISSING_REQUIRED_FIELD)
        else:
            codes.add(FailureCode.MISSING_REQUIRED_OUTPUT)
            codes |= _EVIDENCE_CODES if evidence else set()
    return codes


@validator(
    name="required_fields",
    version="1",
    takes_args=False,
    metric=Metric.COMPLETENESS,
    codes=(
        FailureCode.MISSING_FINAL_ANSWER,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.MISSING_REQUIRED_OUTPUT,
        FailureCode.MISSING_REQUIRED_FIELD,
        FailureCode.MISSING_CITATION,
        FailureCode.MISSING_EVIDENCE,
    ),
    applies=lambda contract: bool(
        contract.success_criteria.required_outputs
        or contract.success_criteria.must_include
    ),
    covers=_covers,
    needs_answer=True,
)
def required_fields(case: Case) -> Judgement:
    """Every required output and field is present, by the ladder path, key, label, pattern, judge.

    One `Pass` covers all that was found without a judge, one `Fail` for each code lists what is missing; a field that
    a judge decided has a verdict of its own. Weights are the fields' weights, so that completeness is their share.
    """
    requirements = requirements_of(case.contract)
    if not requirements:
        why = "the contract requires no output and no field"
        return [not_configured("required", why)]
    corpus = Corpus(case.result)
    present: list[FieldRequirement] = []
    refs: list[str] = []
    missing: list[MissingField] = []
    asked: list[MissingField] = []
    for requirement in requirements:
        outcome = _find(requirement, corpus, case)
        if isinstance(outcome, Placed):
            present.append(requirement)
            refs.append(outcome.ref)
        elif not outcome.empty and _askable(requirement, case):
            asked.append(MissingField(requirement, outcome))
        else:
            missing.append(MissingField(requirement, outcome))
    verdicts: list[Verdict] = []
    if present:
        verdicts.append(found_verdict(present, refs))
    verdicts += missing_verdicts(missing, case)
    if asked:
        # What judges are asked and answer is heavy to import, and most fields are found before.
        from judgemesh.validators.required_fields.asking import ask_judge

        verdicts += yield from ask_judge(asked, corpus, case)
    return verdicts


def _find(
    requirement: FieldRequirement, corpus: Corpus, case: Case
) -> Placed | NotPlaced:
    """Where the field is. The final answer, citations and claims have a place of their own in every result."""
    result, key = case.result, requirement.key
    if key == ANSWER:
        answer = final_answer(result)
        if answer is Answer.GIVEN:
            return Placed("final_answer")
        return NotPlaced(f"the final answer is {answer.value}")
    if key in EVIDENCE:
        # Reading references is heavy to import, and few contracts require them.
        from judgemesh.validators.required_fields.evidence import find_evidence

        return find_evidence(requirement, corpus, case)
    if key == CLAIMS and any(claim.text.strip() for claim in result.output.claims):
        return Placed("output/claims")
    return find(requirement.query, corpus)


def _askable(requirement: FieldRequirement, case: Case) -> bool:
    """A judge is asked where the ladder has that rung and there is anything to read.

    Nobody is asked about a place that holds a placeholder: it is empty, whatever a judge says.
    """
    return (
        case.judge
        and requirement.query.by_judge
        and requirement.key != ANSWER
        and not delivered_nothing(case.result)
    )
