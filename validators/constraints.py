"""Validator `constraints`: prose rules of the system prompt and of a skill, each asked as a yes/no question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric, not_configured

if TYPE_CHECKING:
    from judgemesh.contracts.sections.criterion import Criterion
    from judgemesh.contracts.sections.procedure import Constraint

_QUESTION: Final = (
    'The agent works under this rule of its {origin}: "{rule}" '
    "Did the agent keep the rule in everything it said and did? A rule that the run gave no occasion to break is kept."
)


@validator(
    name="constraints",
    version="1",
    takes_args=False,
    metric=Metric.METHODOLOGY,
    codes=(
        FailureCode.SYSTEM_PROMPT_VIOLATION,
        FailureCode.SKILL_INSTRUCTION_VIOLATION,
    ),
    applies=lambda contract: (
        contract.sop is not None
        and bool(contract.sop.system_prompt or contract.sop.skill)
    ),
    covers=lambda contract: {each.code for each in _criteria(contract) if each.code},
    stage=Stage.MODEL,
    timeout_s=600.0,
)
def constraints(case: Case) -> Judgement:
    """The agent kept the prose rules of its system prompt and its skill, as a judge decides.

    Each rule is a question of its own. Without a judge they are skipped, never passed.
    """
    criteria = list(_criteria(case.contract))
    if not criteria:
        return [not_configured("constraints", "the contract has no prose rules")]
    from judgemesh.validators.criteria.check import judged

    return (yield from judged(case, criteria))


def _criteria(contract: EvalContract) -> Iterator[Criterion]:
    if contract.sop is None:
        return
    yield from _section(
        contract.sop.system_prompt,
        "system_prompt",
        "system prompt",
        FailureCode.SYSTEM_PROMPT_VIOLATION,
    )
    yield from _section(
        contract.sop.skill,
        "skill",
        "skill instructions",
        FailureCode.SKILL_INSTRUCTION_VIOLATION,
    )


def _section(
    rules: Sequence[Constraint], section: str, origin: str, code: FailureCode
) -> Iterator[Criterion]:
    from judgemesh.contracts.sections.criterion import Criterion

    for number, rule in enumerate(rules, start=1):
        yield Criterion(
            id=f"{section}:{rule.id or number}",
            question=rule.question or _QUESTION.format(origin=origin, rule=rule.rule),
            weight=rule.weight,
            gate=rule.gate,
            metric=Metric.METHODOLOGY.value,
            code=code,
            pass_if=rule.pass_if,
            materials=rule.materials,
        )
