"""Agreement of a reviewer with canonical labels: which classes are confused, and at which step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.tree import OUTCOME_TREE, Parting


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalLabel:
    """The canonical label of one result. near: the neighbouring class that it is easily taken for."""

    result_id: str
    outcome: OutcomeClass
    rationale: str = ""
    split: str | None = None
    near: OutcomeClass | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDifference:
    """A result that the reviewer labelled otherwise; `parting` is None where the label came without its answers."""

    result_id: str
    given: OutcomeClass
    canonical: CanonicalLabel
    parting: Parting | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerCalibration:
    """How far the labels of one reviewer agree with the canonical ones.

    agreement: share of the `items` with the same class; `low`, `high`: its Jeffreys interval. kappa (Cohen) and ac1
    (Gwet) are None where they have no value, as with a single class. confusion counts (canonical, given).
    """

    items: int
    agreement: float
    low: float
    high: float
    kappa: float | None
    ac1: float | None
    confusion: Mapping[tuple[OutcomeClass, OutcomeClass], int]
    differences: tuple[LabelDifference, ...] = field(default=())


def difference(
    given: OutcomeClass, answers: Sequence[bool], canonical: CanonicalLabel
) -> LabelDifference | None:
    """Where a label differs from the canonical one; None if it does not."""
    if given is canonical.outcome:
        return None
    parting = None
    if answers and OUTCOME_TREE.walk(answers).outcome is given:
        parting = OUTCOME_TREE.parting(answers, canonical.outcome)
    return LabelDifference(
        result_id=canonical.result_id, given=given, canonical=canonical, parting=parting
    )


def calibrate(
    labels: Mapping[str, tuple[OutcomeClass, tuple[bool, ...]]],
    reference: Mapping[str, CanonicalLabel],
) -> ReviewerCalibration | None:
    """A reviewer's labels (class and answers by result id) against the canonical ones; None if they share no result."""
    from judgemesh.mesh.metrics.agreement import cohen_kappa, gwet_ac1, raw_agreement
    from judgemesh.mesh.metrics.intervals import jeffreys

    shared = [result_id for result_id in reference if result_id in labels]
    if not shared:
        return None
    given: list[OutcomeClass] = []
    expected: list[OutcomeClass] = []
    differences: list[LabelDifference] = []
    for result_id in shared:
        outcome, answers = labels[result_id]
        canonical = reference[result_id]
        given.append(outcome)
        expected.append(canonical.outcome)
        differs = difference(outcome, answers, canonical)
        if differs is not None:
            differences.append(differs)
    interval = jeffreys(len(shared) - len(differences), len(shared))
    return ReviewerCalibration(
        items=len(shared),
        agreement=raw_agreement(given, expected),
        low=interval.low,
        high=interval.high,
        kappa=cohen_kappa(given, expected),
        ac1=gwet_ac1(given, expected),
        confusion=Counter(zip(expected, given, strict=True)),
        differences=tuple(differences),
    )


def partings(differences: Sequence[LabelDifference]) -> Counter[tuple[str, bool]]:
    """How often reviewer and canonical label part at a step, by its id and the reviewer's answer."""
    counts: Counter[tuple[str, bool]] = Counter()
    for differs in differences:
        if differs.parting is not None:
            counts[differs.parting.step.id, differs.parting.given] += 1
    return counts
