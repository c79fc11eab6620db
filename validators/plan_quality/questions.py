"""The questions for criteria that the plan itself does not settle, and the verdicts of their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Judged,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.sections.tools import PlanCriterion, PlanSpec
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict, VerdictFields
from judgemesh.validators._shared.replies import expect, vote_text
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.plan_quality.context import PlanContext
from judgemesh.validators.plan_quality.verdicts import METRIC, POINTS_PER_CRITERION


@dataclass(frozen=True, slots=True)
class _Question:
    """A question about the plan, and the answer that is good."""

    text: str
    good: Literal["yes", "no"]


_QUESTIONS: Final[Mapping[PlanCriterion, _Question]] = MappingProxyType(
    {
        "ordering": _Question(
            "Does any step of the plan need something that only a later step brings about?",
            "no",
        ),
        "branches": _Question(
            "Does the plan say, for the steps that can fail, what to do when they fail?",
            "yes",
        ),
        "scope": _Question(
            "Does the plan contain a step that the objective does not ask for and does not need?",
            "no",
        ),
        "reversibility": _Question(
            "Is every step of the plan that writes, sends, changes or deletes something marked as such, with a stated "
            "way to undo it? Answer yes when there is no such step.",
            "yes",
        ),
    }
)


def question_about(criterion: PlanCriterion, case: Case, context: PlanContext) -> Ask:
    """The question to a judge about one criterion."""
    question = _QUESTIONS[criterion]
    objective = context.spec.objective
    if not objective and case.contract.input:
        objective = json_text(case.contract.input)
    return Ask(
        question_id=f"plan_{criterion}",
        question=question.text,
        materials=(
            Material("objective", objective or "(none)"),
            Material("plan", context.plan.text or "(none)"),
        ),
        gating=criterion in context.spec.gate,
        expected=question.good,
    )


def answered(criterion: PlanCriterion, answer: Answer, spec: PlanSpec) -> Verdict:
    """The verdict of a judge's answer about one criterion."""
    gating = criterion in spec.gate
    reply = expect(answer, Judged)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=criterion, metric=METRIC, gating=gating)
    question = _QUESTIONS[criterion]
    why = vote_text(reply)
    fields: VerdictFields = {
        "confidence": reply.confidence,
        "metric": METRIC,
        "gating": gating,
    }
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(check=criterion, diagnostic=why, **fields)
    if reply.vote.value == question.good:
        fields["details"] = {"points": POINTS_PER_CRITERION}
        return Pass(check=criterion, diagnostic=why, **fields)
    fields["details"] = {"points": 0.0}
    return Fail(
        check=criterion,
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"{question.text} {why}",
        **fields,
    )
