"""The definition of a named weighted score of a contract (article 004, SPEC section 7), and its faults. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.criterion import Criterion
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.verdicts import Metric
from judgemesh.mesh.grading.weighted.check_names import addressable
from judgemesh.mesh.metrics.binary_weighted import (
    GRACEFUL,
    PRESETS,
    SUCCESS,
    checked_weights,
)

ALWAYS_NORMALISED: Final = "recovery"
"""The preset whose weights sum to .95, as its article prints them."""
_TAKEN_NAMES: Final = frozenset(
    {*(metric.value for metric in Metric), "tool_selection", "plan_quality"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedDefinition:
    """A weighted score: exact weights by criterion, and the criteria whose failing alone is a hard failure.

    bands: lower bounds and labels of the mean of many scores, the highest first; empty for the usual ones.
    """

    name: str
    weights: Mapping[str, Decimal]
    normalise: bool = False
    hard_failure_if: tuple[str, ...] = ()
    thresholds: tuple[Fraction, Fraction] = (SUCCESS, GRACEFUL)
    bands: tuple[tuple[Fraction, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DefinitionFault:
    """What is wrong with a named score: the keys below `scoring.weighted.<name>`, and why."""

    path: tuple[str | int, ...]
    message: str


def definition_of(contract: EvalContract, name: str) -> WeightedDefinition:
    """The definition of a named score of a contract.

    Raises:
        ValueError: it has a fault.
    """
    fault = next(faults_of(contract, name), None)
    if fault is not None:
        raise ValueError(f"scoring.weighted.{name}: {fault.message}")
    section = contract.scoring.weighted[name]
    return WeightedDefinition(
        name=name,
        weights=_weights(contract, name),
        normalise=section.normalise or section.preset == ALWAYS_NORMALISED,
        hard_failure_if=tuple(section.hard_failure_if),
        thresholds=(
            Fraction(_exact(section.thresholds.success)),
            Fraction(_exact(section.thresholds.graceful)),
        ),
        bands=_bands(section.bands),
    )


def _bands(bounds: Mapping[str, float]) -> tuple[tuple[Fraction, str], ...]:
    """The bands of a contract, the highest first."""
    bands = [(Fraction(_exact(bound)), label) for label, bound in bounds.items()]
    return tuple(sorted(bands, reverse=True))


def _weights(contract: EvalContract, name: str) -> dict[str, Decimal]:
    """The weights by criterion: the preset's, or those that criteria and checks give."""
    section = contract.scoring.weighted[name]
    if section.preset is not None:
        return dict(PRESETS[section.preset])
    weights: dict[str, Decimal] = {}
    for criterion in _criteria(contract, name):
        weights[criterion.id] = _exact(criterion.weight)
    for check in section.checks:
        if check.weight is not None:
            weights[check.id] = _exact(check.weight)
    return weights


def _criteria(contract: EvalContract, name: str) -> list[Criterion]:
    """The criteria that feed a named score."""
    return [criterion for criterion in contract.criteria if criterion.metric == name]


def _exact(weight: float) -> Decimal:
    """The decimal as it was written: .1 is a tenth, not the nearest binary fraction."""
    return Decimal(str(weight))


def faults_of(contract: EvalContract, name: str) -> Iterator[DefinitionFault]:
    """What is wrong with a named score of a contract; nothing for a good one."""
    if name in _TAKEN_NAMES:
        yield _fault(f"{name} is a score of its own; choose another name")
        return
    yield from _check_faults(contract, name)
    section = contract.scoring.weighted[name]
    ids = [criterion.id for criterion in _criteria(contract, name)]
    ids.extend(check.id for check in section.checks)
    duplicates = [identifier for identifier in ids if ids.count(identifier) > 1]
    if duplicates:
        yield DefinitionFault(("checks",), f"{duplicates[0]!r} appears twice")
    elif section.preset is not None and ids:
        yield from _preset_faults(contract, name)
        yield from _reference_faults(contract, name)
    elif section.preset is None and _weights(contract, name):
        yield from _weight_faults(contract, name)
        yield from _reference_faults(contract, name)
    else:
        yield _fault(
            f"nothing feeds it: give criteria `metric: {name}`, or `checks` with a weight"
        )


def _check_faults(contract: EvalContract, name: str) -> Iterator[DefinitionFault]:
    """Checks that name nothing: they would stay undecided for ever."""
    for index, check in enumerate(contract.scoring.weighted[name].checks):
        names = addressable(contract, check.validator)
        if check.check is None or names is None:
            continue
        if not any(_could_be(check.check, known) for known in names):
            near = nearest(check.check, names)
            hint = f"did you mean {near!r}?" if near else f"there is {', '.join(names)}"
            message = f"{check.check!r} names no rule, field or check of {check.validator}; {hint}"
            yield DefinitionFault(("checks", index, "check"), message)


def _could_be(pattern: str, known: str) -> bool:
    """Whether the two can name the same; `*` in either matches any run of characters."""
    return fnmatchcase(known, pattern) or fnmatchcase(pattern, known)


def _fault(message: str) -> DefinitionFault:
    return DefinitionFault((), message)


def _preset_faults(contract: EvalContract, name: str) -> Iterator[DefinitionFault]:
    """A preset has its own weights; each of its criteria must be answered, and nothing else may be weighed."""
    section = contract.scoring.weighted[name]
    preset = PRESETS[section.preset or ""]
    criteria = _criteria(contract, name)
    named_below = {*section.hard_failure_if, *section.goal_confirmed_if}
    answered = [criterion.id for criterion in criteria]
    weighed = list(answered)
    weighted = [
        criterion.id for criterion in criteria if "weight" in criterion.model_fields_set
    ]
    for check in section.checks:
        answered.append(check.id)
        if check.id not in named_below:
            weighed.append(check.id)
        if check.weight is not None:
            weighted.append(check.id)
    foreign = [identifier for identifier in weighed if identifier not in preset]
    missing = [identifier for identifier in preset if identifier not in answered]
    if foreign:
        known = ", ".join(preset)
        yield _fault(f"{foreign[0]!r} is no criterion of the preset, which has {known}")
    if missing:
        yield _fault(f"the preset asks for {', '.join(missing)} too")
    if weighted:
        yield _fault(
            f"the preset has its own weights; leave out the weight of {weighted[0]!r}"
        )


def _weight_faults(contract: EvalContract, name: str) -> Iterator[DefinitionFault]:
    section = contract.scoring.weighted[name]
    try:
        checked_weights(_weights(contract, name), normalise=section.normalise)
    except ValueError as error:
        yield _fault(str(error))


def _reference_faults(contract: EvalContract, name: str) -> Iterator[DefinitionFault]:
    """Every criterion that `hard_failure_if` and `goal_confirmed_if` name has to exist."""
    section = contract.scoring.weighted[name]
    known = {criterion.id for criterion in contract.criteria}
    known.update(check.id for check in section.checks)
    references = {
        "hard_failure_if": section.hard_failure_if,
        "goal_confirmed_if": section.goal_confirmed_if,
    }
    for key, identifiers in references.items():
        for index, identifier in enumerate(identifiers):
            if identifier not in known:
                message = f"{identifier!r} is no criterion or check; there is {', '.join(sorted(known))}"
                yield DefinitionFault((key, index), message)
