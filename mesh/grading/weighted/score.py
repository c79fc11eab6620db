"""Named binary weighted scores of one result (article 004, SPEC section 7). Pure.

A criterion is true when its verdicts pass, false when one fails, and open when it could not be decided. An open
criterion makes the score an interval; it is never counted as a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import translate
from fractions import Fraction
from functools import lru_cache
from re import Pattern
from re import compile as pattern_of
from typing import Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.sections.weighted import WeightedCheck
from judgemesh.contracts.verdicts import Fail, Pass
from judgemesh.contracts.weighted_score import WeighedCriterion, WeightedScore
from judgemesh.mesh.grading.weighted.definition import WeightedDefinition, definition_of
from judgemesh.mesh.grading.weighted.verdict_parts import parts_of
from judgemesh.mesh.metrics.binary_weighted import Score, classify, score

CRITERIA: Final = "criteria"
"""The validator that answers the criteria of a contract."""
_POSSIBLE: Final = {True: (True,), False: (False,), None: (True, False)}
"""What a value may be when it is known, and when it is not."""


def weighted_scores(
    rows: Sequence[ValidatorVerdict], contract: EvalContract, gate: Gate
) -> tuple[WeightedScore, ...]:
    """Every named score of one result.

    Raises:
        ValueError: the contract's definition has a fault (`faults_of` names them).
    """
    return tuple(
        _weighted_score(name, rows, contract, gate)
        for name in contract.scoring.weighted
    )


def _weighted_score(
    name: str, rows: Sequence[ValidatorVerdict], contract: EvalContract, gate: Gate
) -> WeightedScore:
    definition = definition_of(contract, name)
    section = contract.scoring.weighted[name]
    checks = {check.id: check for check in section.checks}

    def holds(criterion: str) -> bool | None:
        if criterion in checks:
            return _checked(rows, checks[criterion])
        return _all_pass(row for row in rows if _answers(row, criterion))

    passed = None if gate is Gate.UNDECIDED else gate is Gate.PASS
    goal_confirmed = passed
    if section.goal_confirmed_if:
        goal_confirmed = _all([holds(name) for name in section.goal_confirmed_if])
    return weigh(
        definition,
        {criterion: holds(criterion) for criterion in definition.weights},
        goal_confirmed=goal_confirmed,
        failed_state=None if passed is None else not passed,
        must_hold={name: holds(name) for name in section.hard_failure_if},
    )


def weigh(
    definition: WeightedDefinition,
    answers: Mapping[str, bool | None],
    *,
    goal_confirmed: bool | None,
    failed_state: bool | None,
    must_hold: Mapping[str, bool | None] | None = None,
) -> WeightedScore:
    """Score and class of one set of answers.

    Args:
        definition: the weights.
        answers: one for each criterion; None is open.
        goal_confirmed: whether the goal was reached; None is unknown, and the class is given only if it is the same
            in both cases.
        failed_state: whether the run ended in failure; likewise.
        must_hold: the criteria whose failing alone is a hard failure; without it those of the definition.

    Raises:
        ValueError: answers and weights name different criteria, or the weights have a fault.
    """
    weights = definition.weights
    weighted = score(answers, weights, normalise=definition.normalise)
    if must_hold is None:
        must_hold = {name: answers[name] for name in definition.hard_failure_if}
    outcome = _class(
        weighted,
        must_hold.values(),
        goal_confirmed=goal_confirmed,
        failed_state=failed_state,
        thresholds=definition.thresholds,
    )
    criteria = [
        WeighedCriterion(criterion, answers[criterion], weight)
        for criterion, weight in weights.items()
    ]
    return WeightedScore(
        name=definition.name,
        low=weighted.low,
        high=weighted.high,
        outcome=outcome,
        goal_confirmed=goal_confirmed,
        failed_state=failed_state,
        criteria=tuple(criteria),
        normalised=definition.normalise and sum(weights.values()) != 1,
        thresholds=definition.thresholds,
        must_hold=tuple(must_hold.items()),
        bands=definition.bands,
    )


def _class(
    weighted: Score,
    must_hold: Iterable[bool | None],
    *,
    goal_confirmed: bool | None,
    failed_state: bool | None,
    thresholds: tuple[Fraction, Fraction],
) -> str | None:
    """The class, if it is the same whatever is unknown; else None."""
    hard_failures = [None if holds is None else not holds for holds in must_hold]
    classes: set[str | None] = set()
    for goal in _POSSIBLE[goal_confirmed]:
        for failed in _POSSIBLE[failed_state]:
            outcome = classify(
                weighted,
                goal_confirmed=goal,
                failed_state=failed,
                hard_failures=hard_failures,
                thresholds=thresholds,
            )
            classes.add(None if outcome is None else outcome.value)
    return classes.pop() if len(classes) == 1 else None


def _checked(rows: Sequence[ValidatorVerdict], check: WeightedCheck) -> bool | None:
    """The answer of a check: by its verdicts, else by the rules and fields that verdicts of the validator name."""
    verdicts = [row for row in rows if _is_of(row, check)]
    if verdicts or check.check is None:
        return _all_pass(verdicts)
    pattern = pattern_of_check(check.check)
    parts: list[bool | None] = []
    for row in rows:
        if row.validator_name == check.validator:
            for name, holds in parts_of(row.verdict).items():
                if pattern.fullmatch(name):
                    parts.append(holds)
    return _all(parts) if parts else None


def _all_pass(rows: Iterable[ValidatorVerdict]) -> bool | None:
    """False as soon as one verdict fails; True if there are some and all pass."""
    verdicts = [row.verdict for row in rows]
    if any(isinstance(verdict, Fail) for verdict in verdicts):
        return False
    if not verdicts:
        return None
    return _all([True if isinstance(verdict, Pass) else None for verdict in verdicts])


def _all(answers: Sequence[bool | None]) -> bool | None:
    """Conjunction in three values: false as soon as one is false, open while one is open."""
    if any(answer is False for answer in answers):
        return False
    return None if None in answers else True


def _answers(row: ValidatorVerdict, criterion: str) -> bool:
    if row.validator_name != CRITERIA:
        return False
    return row.verdict.check == f"criterion:{criterion}"


def _is_of(row: ValidatorVerdict, check: WeightedCheck) -> bool:
    if row.validator_name != check.validator:
        return False
    if check.check is None:
        return True
    return pattern_of_check(check.check).fullmatch(row.verdict.check) is not None


@lru_cache(maxsize=256)
def pattern_of_check(text: str) -> Pattern[str]:
    """`*` matches any run of characters; nothing else is special."""
    return pattern_of(translate(text.replace("[", "[[]").replace("?", "[?]")))
