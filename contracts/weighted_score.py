"""A named binary weighted score of one result, and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

USUAL_THRESHOLDS: Final = (Fraction(3, 4), Fraction(1, 2))
"""The lowest scores of a successful completion and of a graceful failure (article 004)."""


@dataclass(frozen=True, slots=True)
class WeighedCriterion:
    """A yes/no criterion of a weighted score. `holds` is None when it is undecided; `weight` is the one given."""

    id: str
    holds: bool | None
    weight: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedScore:
    """A named binary weighted score of one result, exact in 0..1.

    low, high: equal unless a criterion is undecided.
    outcome: the class of the score, None when `low` and `high` are in different classes.
    normalised: the weights were scaled to sum to 1.
    thresholds: the lowest scores of a successful completion and of a graceful failure.
    must_hold: the criteria whose failing alone is a hard failure, and whether they hold.
    bands: lower bounds and labels of the mean of many such scores, the highest first; empty for the usual ones.
    """

    name: str
    low: Fraction
    high: Fraction
    outcome: str | None
    goal_confirmed: bool | None
    failed_state: bool | None
    criteria: tuple[WeighedCriterion, ...]
    normalised: bool = False
    thresholds: tuple[Fraction, Fraction] = USUAL_THRESHOLDS
    must_hold: tuple[tuple[str, bool | None], ...] = ()
    bands: tuple[tuple[Fraction, str], ...] = ()


_WEIGHTED: Final = ("name", "outcome", "goal_confirmed", "failed_state", "normalised")


def weighted_to_json(score: WeightedScore) -> dict[str, Any]:
    """One weighted score. Exact numbers are text, a decimal or a fraction; `score` is null for an interval."""
    criteria = [
        {"id": criterion.id, "holds": criterion.holds, "weight": str(criterion.weight)}
        for criterion in score.criteria
    ]
    exact_score = None
    if score.low == score.high:
        exact_score = float(score.low)
    return {
        "name": score.name,
        "score": exact_score,
        "low": exact_text(score.low),
        "high": exact_text(score.high),
        "outcome": score.outcome,
        "goal_confirmed": score.goal_confirmed,
        "failed_state": score.failed_state,
        "normalised": score.normalised,
        "thresholds": list(map(exact_text, score.thresholds)),
        "must_hold": dict(score.must_hold),
        "bands": {label: exact_text(bound) for bound, label in score.bands},
        "criteria": criteria,
    }


def weighted_from_json(data: Mapping[str, Any]) -> WeightedScore:
    """The score that `weighted_to_json` wrote. Raises KeyError or ValueError for anything else.

    A report of an older version has neither thresholds nor bands; it was graded with the usual ones.
    """
    criteria = [
        WeighedCriterion(
            criterion["id"], criterion["holds"], Decimal(criterion["weight"])
        )
        for criterion in data["criteria"]
    ]
    success, graceful = data.get("thresholds") or USUAL_THRESHOLDS
    bands: Mapping[str, str] = data.get("bands") or {}
    must_hold: Mapping[str, bool | None] = data.get("must_hold") or {}
    return WeightedScore(
        **{name: data[name] for name in _WEIGHTED},
        low=Fraction(data["low"]),
        high=Fraction(data["high"]),
        criteria=tuple(criteria),
        thresholds=(Fraction(success), Fraction(graceful)),
        must_hold=tuple(must_hold.items()),
        bands=tuple((Fraction(bound), label) for label, bound in bands.items()),
    )


def exact_text(value: Fraction) -> str:
    """`0.8`, or `6/19` where no decimal is exact."""
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    if Fraction(text) == value:
        return text
    return str(value)
