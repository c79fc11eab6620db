"""The outcome class of a report (SPEC section 8): a decision table, read from the top; the first row that holds names
the class. An undecided gate has no class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import CODES, FailureCode, Trait
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.contracts.results import AgentResult, Status
from judgemesh.contracts.verdicts import Metric
from judgemesh.mesh.grading.aggregate import Verdicts


@dataclass(frozen=True, slots=True)
class Facts:
    """What the table asks about. Shares are 0..1."""

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


Row = tuple[Callable[[Facts], bool], OutcomeClass]


def _abandoned(facts: Facts) -> bool:
    return not facts.has_output or (not facts.ended_well and not facts.has_answer)


def _complete(facts: Facts) -> bool:
    """A score that nothing could measure does not lower a passed gate."""
    return facts.gate is Gate.PASS and (
        facts.outcome_score is None or facts.outcome_score >= facts.complete_threshold
    )


def _parts_missing(facts: Facts) -> bool:
    return (
        facts.only_parts_missing
        and facts.sub_goals is not None
        and facts.sub_goals >= facts.partial_threshold
    )


CLASS_TABLE: Final[tuple[Row, ...]] = (
    (_abandoned, OutcomeClass.ABANDONED),
    (lambda facts: facts.fabricated, OutcomeClass.HALLUCINATED),
    (_complete, OutcomeClass.COMPLETE),
    (lambda facts: facts.gate is Gate.PASS, OutcomeClass.PARTIAL_PLUS),
    (_parts_missing, OutcomeClass.PARTIAL_PLUS),
    (lambda _facts: True, OutcomeClass.PARTIAL_MINUS),
)


def classify(
    result: AgentResult,
    verdicts: Verdicts,
    contract: EvalContract,
    table: tuple[Row, ...] = CLASS_TABLE,
) -> OutcomeClass | None:
    """The class of a graded result, or None while its gate is undecided."""
    if verdicts.gate is Gate.UNDECIDED:
        return None
    facts = facts_of(result, verdicts, contract)
    return next(outcome for holds, outcome in table if holds(facts))


def facts_of(result: AgentResult, verdicts: Verdicts, contract: EvalContract) -> Facts:
    """Everything the decision table asks about."""
    output = result.output
    has_answer = bool(output.final_answer and output.final_answer.strip())
    completeness = verdicts.scores.get(Metric.COMPLETENESS)
    return Facts(
        has_output=has_answer or bool(output.outputs),
        has_answer=has_answer,
        ended_well=result.status is Status.COMPLETED,
        gate=verdicts.gate,
        outcome_score=verdicts.outcome_score,
        complete_threshold=contract.outcome.complete_threshold,
        fabricated=any(
            _has(code, Trait.FABRICATION) for code in verdicts.failure_codes
        ),
        only_parts_missing=all(
            _has(code, Trait.MISSING_PART) for code in verdicts.gate_codes
        ),
        sub_goals=None if completeness is None else completeness / 10,
        partial_threshold=contract.outcome.partial_threshold,
    )


def _has(code: FailureCode, trait: Trait) -> bool:
    return trait in CODES[code].traits
