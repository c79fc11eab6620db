"""The second confidence: is the verdict right? Ridge-Platt on human labels; absent below 30 of them.

    P(yes) = sigmoid(slopes . x + intercept + offset of the criterion)
    correctness = P(yes) of a "yes", 1 - P(yes) of a "no"

x of a set of votes, every feature signed so that it speaks for "yes" when it is positive:

    logit of the Laplace vote share, log((yes+1)/(no+1))
    logit of the model's own P(yes), where the backend gives a valid one
    the leading side, negative where the negated question contradicted it
    the leading side, where its quote stands in the text; the other one where it does not

Slopes have a ridge of 1, criterion offsets are shrunk to the pooled intercept. Applying a calibration takes `math`
alone; fitting one loads numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.opinions import VOTES
from judgemesh.mesh.judging.signals import Signals, logit

MIN_LABELS: Final = 30
FEATURES: Final = ("vote_share", "p_yes", "negation", "quote")

_SATURATED_LOGIT: Final = 6.0
_SATURATED_SHARE: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One judged question that a person answered too. `criterion`: the digest of the question's words."""

    signals: Signals
    truth: bool
    criterion: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted ridge-Platt model of one judge: this model, these prompts, these criteria, and no others.

    prompts: the digest over all wordings the votes rotate through. offsets: by criterion digest.
    served: the models that really answered; another one ends the calibration. Empty where the provider never said.
    threshold: from which `confidence` on a verdict is certified; None without a certificate.
    backend: the way of asking it is about; thresholds of one say nothing about another.
    saturated: the model's own P(yes) said nothing beyond its side on the labels, and does not count.
    """

    model: str
    prompts: str
    labels: int
    slopes: tuple[float, ...]
    intercept: float
    offsets: Mapping[str, float] = field(default_factory=dict[str, float])
    served: tuple[str, ...] = ()
    threshold: float | None = None
    backend: str = VOTES
    saturated: bool = False

    def speaks_for(self, model: str, prompts: str, backend: str = VOTES) -> bool:
        """Whether it belongs to this model, these prompts and this way of asking."""
        return (self.model, self.prompts, self.backend) == (model, prompts, backend)

    def confidence(self, signals: Signals) -> float:
        """What a certified threshold is compared with."""
        return (signals.of_votes() if self.saturated else signals).confidence

    def p_yes(self, signals: Signals, criterion: str) -> float | None:
        """The calibrated probability that "yes" is right, never 0 or 1; None for a criterion without labels."""
        offset = self.offsets.get(criterion)
        if offset is None:
            return None
        score = (
            self.intercept
            + offset
            + math.fsum(map(_times, self.slopes, signals.features()))
        )
        edge = 1.0 / (
            self.labels + 2
        )  # no number of labels makes a probability certain
        return min(
            max(1.0 / (1.0 + math.exp(-max(min(score, 700.0), -700.0))), edge),
            1.0 - edge,
        )

    def correctness(
        self, signals: Signals, criterion: str, *, yes: bool
    ) -> float | None:
        """The probability that the verdict is right; None where the calibration does not speak for the criterion."""
        chance = self.p_yes(signals, criterion)
        return None if chance is None else chance if yes else 1.0 - chance

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `calibration_from_json` is the inverse."""
        return {
            "model": self.model,
            "prompts": self.prompts,
            "labels": self.labels,
            "slopes": dict(zip(FEATURES, self.slopes, strict=True)),
            "intercept": self.intercept,
            "offsets": dict(self.offsets),
            "served": list(self.served),
            "threshold": self.threshold,
            **({} if self.backend == VOTES else {"backend": self.backend}),
            **({"saturated": True} if self.saturated else {}),
        }


def _times(left: float, right: float) -> float:
    return left * right


def calibration_from_json(data: Mapping[str, Any]) -> Calibration:
    """The calibration that `to_json` wrote.

    Raises:
        ValueError: it cannot be read, or belongs to another version of the features.
    """
    try:
        slopes = cast("Mapping[str, float]", data["slopes"])
        if tuple(slopes) != FEATURES and set(slopes) != set(FEATURES):
            raise ValueError(f"a calibration of other features: {', '.join(slopes)}")
        return Calibration(
            model=str(data["model"]),
            prompts=str(data["prompts"]),
            labels=int(data["labels"]),
            slopes=tuple(float(slopes[name]) for name in FEATURES),
            intercept=float(data["intercept"]),
            offsets={str(key): float(value) for key, value in data["offsets"].items()},
            served=tuple(data["served"]),
            threshold=None
            if data.get("threshold") is None
            else float(data["threshold"]),
            backend=str(data.get("backend", VOTES)),
            saturated=bool(data.get("saturated", False)),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no calibration: {error}") from error


def fit(
    labelled: Sequence[Labelled],
    *,
    model: str,
    prompts: str,
    served: Sequence[str] = (),
    backend: str = VOTES,
    least: int = MIN_LABELS,
) -> Calibration | None:
    """Fit on human labels; None below `least` of them. A saturated P(yes) is left out."""
    if len(labelled) < max(1, least):
        return None
    import numpy as np

    from judgemesh.mesh.judging.confidence.logistic import fit_logistic

    criteria = sorted({item.criterion for item in labelled})
    width = len(FEATURES)
    columns = np.zeros((len(labelled), width + 1 + len(criteria)))
    for row, item in enumerate(labelled):
        columns[row, :width] = item.signals.features()
        columns[row, width] = 1.0
        columns[row, width + 1 + criteria.index(item.criterion)] = 1.0
    saturated = is_saturated([item.signals for item in labelled])
    if saturated:
        columns[:, FEATURES.index("p_yes")] = 0.0
    # A light hand on the pooled intercept keeps it finite where every label says the same.
    penalty = np.array([1.0] * width + [_INTERCEPT_RIDGE] + [1.0] * len(criteria))
    weights = fit_logistic(
        columns, np.array([float(item.truth) for item in labelled]), penalty
    )
    return Calibration(
        model=model,
        prompts=prompts,
        labels=len(labelled),
        slopes=tuple(float(weight) for weight in weights[:width]),
        intercept=float(weights[width]),
        offsets={
            name: float(weights[width + 1 + at]) for at, name in enumerate(criteria)
        },
        served=tuple(sorted(set(served))),
        backend=backend,
        saturated=saturated,
    )


_INTERCEPT_RIDGE: Final = 0.01


def is_saturated(signals: Sequence[Signals]) -> bool:
    """Whether the model's own probabilities say nothing beyond their side: 80 % of them beyond a logit of 6."""
    given = [abs(logit(one.p_yes)) for one in signals if one.p_yes is not None]
    return bool(given) and sum(
        value > _SATURATED_LOGIT for value in given
    ) >= _SATURATED_SHARE * len(given)
