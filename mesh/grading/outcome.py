"""The outcome class of a report (SPEC section 8): a decision table, read from the top.

The first rule that holds names the class. An undecided gate has no class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from judgemesh.contracts.codes import CODES, FailureCode, Trait
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.contracts.results import AgentResult, Status
from judgemesh.contracts.verdicts import Metric
from judgemesh.mesh.grading.aggregate import Aggregate


class OutcomeFacts(NamedTuple):
    """The facts that the table decides by. Shares are 0..1."""

    has_output: bool
    has_answer: bool
    ended_well: bool
    gate: Gate
    outcome_score: float | None
    complete_threshold: float
    fabricated: bool
    only_parts_missing: bool
    sub_goals: float | None
    partial_threshold: float


ClassRule = tuple[Callable[[OutcomeFacts], bool], OutcomeClass]


def _abandoned(facts: OutcomeFacts) -> bool:
    if not facts.has_output:
        return True
    return not facts.ended_well and not facts.has_answer


def _complete(facts: OutcomeFacts) -> bool:
    """A score that nothing could measure does not lower a passed gate."""
    if facts.gate is not Gate.PASS:
        return False
    score = facts.outcome_score
    return score is None or score >= facts.complete_threshold


def _parts_missing(facts: OutcomeFacts) -> bool:
    if not facts.only_parts_missing or facts.sub_goals is None:
        return False
    return facts.sub_goals >= facts.partial_threshold


CLASS_TABLE: Final[tuple[ClassRule, ...]] = (
    (_abandoned, OutcomeClass.ABANDONED),
    (lambda facts: facts.fabricated, OutcomeClass.HALLUCINATED),
    (_complete, OutcomeClass.COMPLETE),
    (lambda facts: facts.gate is Gate.PASS, OutcomeClass.PARTIAL_PLUS),
    (_parts_missing, OutcomeClass.PARTIAL_PLUS),
    (lambda _facts: True, OutcomeClass.PARTIAL_MINUS),
)


def classify(
    result: AgentResult, aggregate: Aggregate, contract: EvalContract
) -> OutcomeClass | None:
    """The class of a graded result, or None while its gate is undecided."""
    if aggregate.gate is Gate.UNDECIDED:
        return None
    facts = facts_of(result, aggregate, contract)
    return next(outcome for holds, outcome in CLASS_TABLE if holds(facts))


def facts_of(
    result: AgentResult, aggregate: Aggregate, contract: EvalContract
) -> OutcomeFacts:
    """The facts of a graded result."""
    output = result.output
    has_answer = bool(output.final_answer and output.final_answer.strip())
    completeness = aggregate.scores.get(Metric.COMPLETENESS)
    failure_codes, gate_codes = aggregate.failure_codes, aggregate.gate_codes
    return OutcomeFacts(
        has_output=has_answer or bool(output.outputs),
        has_answer=has_answer,
        ended_well=result.status is Status.COMPLETED,
        gate=aggregate.gate,
        outcome_score=aggregate.outcome_score,
        complete_threshold=contract.outcome.complete_threshold,
        fabricated=any(_has(code, Trait.FABRICATION) for code in failure_codes),
        only_parts_missing=all(_has(code, Trait.MISSING_PART) for code in gate_codes),
        sub_goals=None if completeness is None else completeness / 10,
        partial_threshold=contract.outcome.partial_threshold,
    )


def _has(code: FailureCode, trait: Trait) -> bool:
    return trait in CODES[code].traits
