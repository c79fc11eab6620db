"""Canonical labels, and how far a reviewer agrees with them: which classes are mixed up, and at which step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.tree import OUTCOME_TREE, Parting


@dataclass(frozen=True, slots=True, kw_only=True)
class Canonical:
    """The canonical label of one result. near: the neighbouring class that it is easily taken for."""

    result_id: str
    outcome: OutcomeClass
    rationale: str = ""
    split: str | None = None
    near: OutcomeClass | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A result that the reviewer labelled otherwise; `parting` is None where the label came without its answers."""

    result_id: str
    given: OutcomeClass
    canonical: Canonical
    parting: Parting | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
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
    differences: tuple[Difference, ...] = field(default=())


def difference(
    given: OutcomeClass, answers: Sequence[bool], canonical: Canonical
) -> Difference | None:
    """Where a label differs from the canonical one; None if it does not."""
    if given is canonical.outcome:
        return None
    known = OUTCOME_TREE.walk(answers).outcome is given if answers else False
    parting = OUTCOME_TREE.parting(answers, canonical.outcome) if known else None
    return Difference(
        result_id=canonical.result_id, given=given, canonical=canonical, parting=parting
    )


def calibrate(
    labels: Mapping[str, tuple[OutcomeClass, tuple[bool, ...]]],
    reference: Mapping[str, Canonical],
) -> Calibration | None:
    """A reviewer's labels (class and answers by result id) against the canonical ones; None if they share no result."""
    from judgemesh.mesh.metrics.agreement import cohen_kappa, gwet_ac1, raw_agreement
    from judgemesh.mesh.metrics.intervals import jeffreys

    shared = [result_id for result_id in reference if result_id in labels]
    if not shared:
        return None
    given = [labels[one][0] for one in shared]
    expected = [reference[one].outcome for one in shared]
    found = [difference(*labels[one], reference[one]) for one in shared]
    same = sum(one is None for one in found)
    interval = jeffreys(same, len(shared))
    return Calibration(
        items=len(shared),
        agreement=raw_agreement(given, expected),
        low=interval.low,
        high=interval.high,
        kappa=cohen_kappa(given, expected),
        ac1=gwet_ac1(given, expected),
        confusion=Counter(zip(expected, given, strict=True)),
        differences=tuple(one for one in found if one is not None),
    )


def partings(differences: Sequence[Difference]) -> Counter[tuple[str, bool]]:
    """How often the ways parted at a step, by its id and the answer the reviewer gave there."""
    return Counter(
        (one.parting.step.id, one.parting.given)
        for one in differences
        if one.parting is not None
    )
