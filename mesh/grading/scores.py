"""Named binary weighted scores of a contract (article 004, SPEC section 7): what they are made of, and what a result
scores. Pure.

A criterion is true when its verdicts pass, false when one fails, and open when nobody could tell. An open criterion
makes the score an interval; it is never counted as a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import translate
from functools import lru_cache
from re import Pattern
from re import compile as pattern_of
from typing import Final

from judgemesh.contracts.contract import EvalContract, WeightedCheck
from judgemesh.contracts.report import (
    Gate,
    ValidatorVerdict,
    WeighedCriterion,
    WeightedScore,
)
from judgemesh.contracts.verdicts import Fail, Metric, Pass
from judgemesh.mesh.metrics.binary_weighted import (
    PRESETS,
    Score,
    checked_weights,
    classify,
    score,
)

CRITERIA: Final = "criteria"
"""The validator that answers the criteria of a contract."""
_TAKEN: Final = frozenset(
    {*(metric.value for metric in Metric), "tool_selection", "plan_quality"}
)
ALWAYS_NORMALISED: Final = "recovery"
"""The preset whose weights sum to .95, as its article prints them."""
_EITHER: Final = (True, False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A weighted score: exact weights by criterion, and which criteria decide more than their weight."""

    name: str
    weights: Mapping[str, Decimal]
    normalise: bool = False
    hard_failure_if: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a named score: the keys below `scoring.weighted.<name>`, and why."""

    path: tuple[str | int, ...]
    message: str


def weighted_scores(
    rows: Sequence[ValidatorVerdict], contract: EvalContract, gate: Gate
) -> tuple[WeightedScore, ...]:
    """Every named score of one result.

    Raises:
        ValueError: the contract's definition has a fault (`faults_of` names them).
    """
    return tuple(
        _scored(name, rows, contract, gate) for name in contract.scoring.weighted
    )


def _scored(
    name: str, rows: Sequence[ValidatorVerdict], contract: EvalContract, gate: Gate
) -> WeightedScore:
    definition = definition_of(contract, name)
    section = contract.scoring.weighted[name]
    checks = {check.id: check for check in section.checks}

    def holds(criterion: str) -> bool | None:
        if criterion in checks:
            return _together(row for row in rows if _is_of(row, checks[criterion]))
        wanted = f"criterion:{criterion}"
        return _together(
            row
            for row in rows
            if row.validator_name == CRITERIA and row.verdict.check == wanted
        )

    answers = {criterion: holds(criterion) for criterion in definition.weights}
    goal = (
        _all([holds(one) for one in section.goal_confirmed_if])
        if section.goal_confirmed_if
        else _passed(gate)
    )
    flags = [holds(one) for one in section.hard_failure_if]
    passed = _passed(gate)
    failed = None if passed is None else not passed
    return weigh(
        definition, answers, goal_confirmed=goal, failed_state=failed, must_hold=flags
    )


def weigh(
    definition: Definition,
    answers: Mapping[str, bool | None],
    *,
    goal_confirmed: bool | None,
    failed_state: bool | None,
    must_hold: Iterable[bool | None] | None = None,
) -> WeightedScore:
    """Score and class of one set of answers.

    Args:
        definition: the weights.
        answers: one for each criterion; None is open.
        goal_confirmed: whether the goal was reached; None is unknown, and the class is given only if it is the same
            either way.
        failed_state: whether the run ended in failure; likewise.
        must_hold: the criteria whose failing alone is a hard failure; without it those of the definition.

    Raises:
        ValueError: answers and weights name different criteria, or the weights have a fault.
    """
    found = score(answers, definition.weights, normalise=definition.normalise)
    flags = (
        [answers[one] for one in definition.hard_failure_if]
        if must_hold is None
        else list(must_hold)
    )
    goals = _EITHER if goal_confirmed is None else (goal_confirmed,)
    ends = _EITHER if failed_state is None else (failed_state,)
    return WeightedScore(
        name=definition.name,
        low=found.low,
        high=found.high,
        outcome=_class(found, goals, ends, flags),
        goal_confirmed=goal_confirmed,
        failed_state=failed_state,
        criteria=tuple(
            WeighedCriterion(one, answers[one], weight)
            for one, weight in definition.weights.items()
        ),
        normalised=definition.normalise and sum(definition.weights.values()) != 1,
    )


def _class(
    found: Score,
    goals: Sequence[bool],
    ends: Sequence[bool],
    flags: Sequence[bool | None],
) -> str | None:
    """The class that holds whatever is unknown; None where it would depend on that."""
    broken = [None if flag is None else not flag for flag in flags]
    classes = {
        classify(found, goal_confirmed=goal, failed_state=end, hard_failures=broken)
        for goal in goals
        for end in ends
    }
    only = classes.pop() if len(classes) == 1 else None
    return None if only is None else only.value


def definition_of(contract: EvalContract, name: str) -> Definition:
    """The named score of a contract.

    Raises:
        ValueError: it has a fault.
    """
    fault = next(faults_of(contract, name), None)
    if fault is not None:
        raise ValueError(f"scoring.weighted.{name}: {fault.message}")
    section = contract.scoring.weighted[name]
    if section.preset is not None:
        weights = dict(PRESETS[section.preset])
    else:
        weights = {
            one.id: _exact(one.weight)
            for one in contract.criteria
            if one.metric == name
        }
        weights |= {
            check.id: _exact(check.weight)
            for check in section.checks
            if check.weight is not None
        }
    return Definition(
        name=name,
        weights=weights,
        normalise=section.normalise or section.preset == ALWAYS_NORMALISED,
        hard_failure_if=tuple(section.hard_failure_if),
    )


def faults_of(contract: EvalContract, name: str) -> Iterator[Fault]:
    """What is wrong with a named score of a contract; nothing for a good one."""
    section = contract.scoring.weighted[name]
    if name in _TAKEN:
        yield Fault((), f"{name} is a score of its own; choose another name")
        return
    asked = [one for one in contract.criteria if one.metric == name]
    weighing = [
        check
        for check in section.checks
        if section.preset is not None or check.weight is not None
    ]
    ids = [one.id for one in asked] + [check.id for check in section.checks]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        yield Fault(("checks",), f"{twice!r} stands twice")
        return
    if not asked and not weighing:
        yield Fault(
            (),
            f"nothing feeds it: give criteria `metric: {name}`, or `checks` with a weight",
        )
        return
    yield from (
        _preset_faults(contract, name)
        if section.preset is not None
        else _weight_faults(contract, name)
    )
    known = {*ids, *(one.id for one in contract.criteria)}
    for key, named in (
        ("hard_failure_if", section.hard_failure_if),
        ("goal_confirmed_if", section.goal_confirmed_if),
    ):
        for index, one in enumerate(named):
            if one not in known:
                yield Fault(
                    (key, index),
                    f"{one!r} is no criterion or check; there is {', '.join(sorted(known))}",
                )


def _preset_faults(contract: EvalContract, name: str) -> Iterator[Fault]:
    """A preset brings its weights; every criterion of it has to be answered, and nothing else be weighed."""
    section = contract.scoring.weighted[name]
    preset = PRESETS[section.preset or ""]
    given = [one.id for one in contract.criteria if one.metric == name]
    used = {*section.hard_failure_if, *section.goal_confirmed_if}
    strange = [one for one in given if one not in preset]
    strange += [
        check.id
        for check in section.checks
        if check.id not in preset and check.id not in used
    ]
    missing = [
        one
        for one in preset
        if one not in (*given, *(check.id for check in section.checks))
    ]
    if strange:
        yield Fault(
            (),
            f"{strange[0]!r} is no criterion of the preset, which has {', '.join(preset)}",
        )
    if missing:
        yield Fault((), f"the preset asks for {', '.join(missing)} too")
    own = [
        one.id
        for one in contract.criteria
        if one.metric == name and "weight" in one.model_fields_set
    ]
    own += [check.id for check in section.checks if check.weight is not None]
    if own:
        yield Fault((), f"the weights are the preset's; leave that of {own[0]!r} out")


def _weight_faults(contract: EvalContract, name: str) -> Iterator[Fault]:
    section = contract.scoring.weighted[name]
    weights = {
        one.id: _exact(one.weight) for one in contract.criteria if one.metric == name
    }
    weights |= {
        check.id: _exact(check.weight)
        for check in section.checks
        if check.weight is not None
    }
    try:
        checked_weights(weights, normalise=section.normalise)
    except ValueError as error:
        yield Fault((), str(error))


def _together(rows: Iterable[ValidatorVerdict]) -> bool | None:
    """False as soon as one verdict fails; true if there are some and all pass."""
    verdicts = [row.verdict for row in rows]
    if any(isinstance(verdict, Fail) for verdict in verdicts):
        return False
    return (
        True
        if verdicts and all(isinstance(verdict, Pass) for verdict in verdicts)
        else None
    )


def _all(answers: Sequence[bool | None]) -> bool | None:
    if any(answer is False for answer in answers):
        return False
    return None if any(answer is None for answer in answers) else True


def _passed(gate: Gate) -> bool | None:
    return None if gate is Gate.UNDECIDED else gate is Gate.PASS


def _is_of(row: ValidatorVerdict, check: WeightedCheck) -> bool:
    if row.validator_name != check.validator:
        return False
    return (
        check.check is None
        or _glob(check.check).fullmatch(row.verdict.check) is not None
    )


@lru_cache(maxsize=256)
def _glob(text: str) -> Pattern[str]:
    """`*` matches any run of characters; nothing else is special."""
    return pattern_of(translate(text.replace("[", "[[]").replace("?", "[?]")))


def _exact(weight: float) -> Decimal:
    """The decimal that was written: .1 is a tenth, not the nearest binary fraction."""
    return Decimal(str(weight))
