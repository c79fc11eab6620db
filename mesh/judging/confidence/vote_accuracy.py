"""How often single votes of a judge are right, and how much they repeat each other: measured on people's labels. Pure.

The votes on one question are draws with a chance of being right that differs from question to question by a beta
distribution: the beta-binomial model. `mesh/calibration/vote_fit.py` fits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteModel:
    """Votes on questions with one true answer.

    accuracy: the probability that a vote is right, inside (0, 1).
    correlation: between the votes on one question, 0..1. At 0 they are independent; at 1 the judge repeats itself.
    """

    accuracy: float
    correlation: float = 0.0

    def right(self, right: int, wrong: int) -> float:
        """The probability that the next vote is right after so many right and wrong ones on the same question."""
        if self.correlation <= 0.0:
            return self.accuracy
        size = 1.0 / self.correlation - 1.0
        return (self.accuracy * size + right) / (size + right + wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteAccuracy:
    """The votes of one judge on questions whose right answer is yes, and on those whose right answer is no."""

    yes: VoteModel
    no: VoteModel

    def to_json(self) -> dict[str, list[float]]:
        """JSON-ready; `vote_accuracy_from_json` is the inverse."""
        return {
            "yes": [self.yes.accuracy, self.yes.correlation],
            "no": [self.no.accuracy, self.no.correlation],
        }


def vote_accuracy_from_json(data: Mapping[str, Any]) -> VoteAccuracy:
    """The accuracy that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: it cannot be read.
    """
    models: dict[str, VoteModel] = {}
    for answer in ("yes", "no"):
        accuracy, correlation = map(float, data[answer])
        if not (0.0 < accuracy < 1.0 and 0.0 <= correlation <= 1.0):
            raise ValueError(f"no vote accuracy: {data[answer]}")
        models[answer] = VoteModel(accuracy=accuracy, correlation=correlation)
    return VoteAccuracy(yes=models["yes"], no=models["no"])
