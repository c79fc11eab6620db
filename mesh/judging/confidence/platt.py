"""The second confidence: is the verdict right? Ridge-Platt on human labels; absent below 30 of them.

    P(yes) = sigmoid(slopes . x + intercept + offset of the criterion)
    correctness = P(yes) of a "yes", 1 - P(yes) of a "no"

x are the features of a set of votes, each positive where it speaks for "yes":

    vote_share  logit of the Laplace vote share, log((yes+1)/(no+1))
    p_yes       logit of the model's own P(yes), where the backend gives a valid one
    negation    the leading answer, negated, where the negated question contradicted it
    quote       the leading answer where its quote stands in the text; negated where it does not

This module applies a calibration; `mesh/calibration/platt_fit.py` fits one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.opinions import VOTES
from judgemesh.mesh.judging.confidence.vote_accuracy import (
    VoteAccuracy,
    vote_accuracy_from_json,
)
from judgemesh.mesh.judging.signals import Signals, sigmoid

MIN_LABELS: Final = 30
FEATURES: Final = ("vote_share", "p_yes", "negation", "quote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted ridge-Platt model of one judge: this model, these prompts, these criteria, and no others.

    prompts: the digest over all wordings the votes rotate through.
    offsets: by criterion digest.
    served: the models that really answered; another one ends the calibration. Empty where the provider never said.
    threshold: the least `confidence` of a certified verdict; None without a certificate.
    backend: how the judge is asked; a threshold of one backend says nothing about another.
    saturated: the model's own P(yes) said nothing beyond its side on the labels, and is ignored.
    votes: how often single votes are right; None where the labels say too little about that.
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
    votes: VoteAccuracy | None = None

    def speaks_for(self, model: str, prompts: str, backend: str = VOTES) -> bool:
        """Whether it is about this model, these prompts and this backend."""
        return (self.model, self.prompts, self.backend) == (model, prompts, backend)

    def confidence(self, signals: Signals) -> float:
        """What a certified threshold is compared with."""
        return (signals.of_votes() if self.saturated else signals).confidence

    def p_yes(self, signals: Signals, criterion: str) -> float | None:
        """The calibrated probability that "yes" is right; None for a criterion without labels.

        Never 0 or 1: no number of labels makes a probability certain.
        """
        offset = self.offsets.get(criterion)
        if offset is None:
            return None
        products = [
            slope * feature
            for slope, feature in zip(self.slopes, signals.features(), strict=True)
        ]
        score = self.intercept + offset + math.fsum(products)
        edge = 1.0 / (self.labels + 2)
        return min(max(sigmoid(score), edge), 1.0 - edge)

    def correctness(
        self, signals: Signals, criterion: str, *, yes: bool
    ) -> float | None:
        """The probability that the verdict is right; None where the calibration does not cover the criterion."""
        p_yes = self.p_yes(signals, criterion)
        if p_yes is None or yes:
            return p_yes
        return 1.0 - p_yes

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `calibration_from_json` is the inverse."""
        data: dict[str, object] = {
            "model": self.model,
            "prompts": self.prompts,
            "labels": self.labels,
            "slopes": dict(zip(FEATURES, self.slopes, strict=True)),
            "intercept": self.intercept,
            "offsets": dict(self.offsets),
            "served": list(self.served),
            "threshold": self.threshold,
        }
        if self.backend != VOTES:
            data["backend"] = self.backend
        if self.saturated:
            data["saturated"] = True
        if self.votes is not None:
            data["votes"] = self.votes.to_json()
        return data


def calibration_from_json(data: Mapping[str, Any]) -> Calibration:
    """The calibration that `to_json` wrote.

    Raises:
        ValueError: it cannot be read, or belongs to another version of the features.
    """
    try:
        slopes = cast("Mapping[str, float]", data["slopes"])
        if set(slopes) != set(FEATURES):
            raise ValueError(f"a calibration of other features: {', '.join(slopes)}")
        threshold, votes = data.get("threshold"), data.get("votes")
        return Calibration(
            model=str(data["model"]),
            prompts=str(data["prompts"]),
            labels=int(data["labels"]),
            slopes=tuple(float(slopes[name]) for name in FEATURES),
            intercept=float(data["intercept"]),
            offsets={str(key): float(value) for key, value in data["offsets"].items()},
            served=tuple(data["served"]),
            threshold=None if threshold is None else float(threshold),
            backend=str(data.get("backend", VOTES)),
            saturated=bool(data.get("saturated", False)),
            votes=None if votes is None else vote_accuracy_from_json(votes),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no calibration: {error}") from error
