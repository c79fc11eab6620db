"""What people's labels made of a panel: weights that add its judges up, and how right the sum is. Pure, no numpy.

    majority          the share of those who took a side
    mean_probability  the mean of their probabilities
    best_single       one judge
    log_odds          sigmoid(bias + sum of yes_j or no_j, by the side of judge j)
    stacking          sigmoid(bias + sum of slope_j * logit(p_j))

`mesh/calibration/panel_methods.py` fits them; a test checks that it adds the judges up to
the same P(yes).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.signals import logit, sigmoid

METHOD_NAMES: Final = ("majority", "log_odds", "stacking")
"""Methods that a person may choose; `auto` is the one that the labels speak for."""

MAX_LOGIT: Final = 6.0
_TIE: Final = 0.5

Chances = Sequence[float | None]
"""P(yes) of each judge, None for one that took no side."""


def majority_of(chances: Chances) -> tuple[int, int]:
    """How many of the judges lean to yes, and to no; .5 and None lean to neither."""
    yes = no = 0
    for chance in chances:
        if chance is not None:
            yes += chance > _TIE
            no += chance < _TIE
    return yes, no


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A method of adding judges up. `yes`, `no`, `slopes`: one number a judge, empty where the method has none."""

    method: str
    yes: tuple[float, ...] = ()
    no: tuple[float, ...] = ()
    slopes: tuple[float, ...] = ()
    bias: float = 0.0
    judge: int | None = None

    def chance(self, chances: Chances) -> float | None:
        """P(yes) of the panel; .5 is a tie, None where no judge that counts took a side."""
        if self.method == "best_single" and self.judge is not None:
            return chances[self.judge]
        if self.method == "mean_probability":
            return _mean(chances)
        yes, no = majority_of(chances)
        if not yes + no:
            return None
        if self.method == "majority":
            return yes / (yes + no)
        return sigmoid(self.bias + math.fsum(self._terms(chances)))

    def score(self, chances: Chances) -> float | None:
        """The same as a finite logit; of a majority the logit of its Laplace share."""
        if self.method == "majority":
            yes, no = majority_of(chances)
            return math.log((yes + 1) / (no + 1)) if yes + no else None
        chance = self.chance(chances)
        return None if chance is None else logit(chance)

    def _terms(self, chances: Chances) -> list[float]:
        terms: list[float] = []
        for index, chance in enumerate(chances):
            if chance is None:
                continue
            if self.slopes:
                terms.append(self.slopes[index] * bounded_logit(chance))
            elif chance != _TIE:
                terms.append((self.yes if chance > _TIE else self.no)[index])
        return terms

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        data = asdict(self)
        for name in _PER_JUDGE:
            data[name] = list(data[name])
        return data


def _mean(chances: Chances) -> float | None:
    known = [chance for chance in chances if chance is not None]
    return math.fsum(known) / len(known) if known else None


_PER_JUDGE: Final = ("yes", "no", "slopes")

MAJORITY: Final = Weights(method="majority")


def bounded_logit(chance: float) -> float:
    """The logit that stacking reads: -1 or 1 for a vote of 0 or 1, within +-6 for a probability."""
    if chance in (0.0, 1.0):
        return 2.0 * chance - 1.0
    return min(max(logit(chance), -MAX_LOGIT), MAX_LOGIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedWeights:
    """Weights, and the ridge-Platt line from their score to the probability of being right.

    The line is fitted on scores of items that the weights were not fitted on.
    """

    weights: Weights
    slope: float
    intercept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCalibration:
    """What labels say about one panel: these judges with these prompts, these criteria, and no others.

    methods: the methods that the number of labels allows, by name. chosen: the one that the labels speak for.
    n_eff: effective votes, from the judges' errors.
    served: for each judge the models that really answered.
    threshold: the least confidence of a certified majority. Fitted weights have none: they have seen the labels.
    """

    judges: tuple[Identity, ...]
    labels: int
    n_eff: float
    chosen: str
    methods: Mapping[str, CalibratedWeights]
    criteria: tuple[str, ...]
    served: tuple[tuple[str, ...], ...] = ()
    threshold: float | None = None
    rates: Mapping[str, float] = field(default_factory=dict[str, float])

    def p_yes(self, method: str, chances: Chances) -> float | None:
        """The calibrated probability that "yes" is right, never 0 or 1."""
        calibrated = self.methods[method]
        score = calibrated.weights.score(chances)
        if score is None:
            return None
        edge = 1.0 / (self.labels + 2)
        p_yes = sigmoid(calibrated.slope * score + calibrated.intercept)
        return min(max(p_yes, edge), 1.0 - edge)

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `panel_calibration_from_json` is the inverse."""
        methods: dict[str, object] = {}
        for name, calibrated in self.methods.items():
            line = {"slope": calibrated.slope, "intercept": calibrated.intercept}
            methods[name] = {**calibrated.weights.to_json(), **line}
        return {
            "judges": [list(judge) for judge in self.judges],
            "labels": self.labels,
            "n_eff": self.n_eff,
            "chosen": self.chosen,
            "ways": methods,
            "criteria": list(self.criteria),
            "served": [list(models) for models in self.served],
            "threshold": self.threshold,
            "rates": dict(self.rates),
        }


def panel_calibration_from_json(data: Mapping[str, Any]) -> PanelCalibration:
    """The calibration that `to_json` wrote.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        judges = tuple((str(model), str(prompts)) for model, prompts in data["judges"])
        methods = {
            str(name): _calibrated_weights(method, len(judges))
            for name, method in data["ways"].items()
        }
        threshold = data.get("threshold")
        rates = data.get("rates", {})
        calibration = PanelCalibration(
            judges=judges,
            labels=int(data["labels"]),
            n_eff=float(data["n_eff"]),
            chosen=str(data["chosen"]),
            methods=methods,
            criteria=_names(data["criteria"]),
            served=tuple(_names(models) for models in data["served"]),
            threshold=None if threshold is None else float(threshold),
            rates={str(name): float(rate) for name, rate in rates.items()},
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"no calibration of a panel: {error}") from error
    if calibration.chosen not in methods or len(calibration.served) != len(judges):
        raise ValueError(f"a calibration of a panel without {calibration.chosen}")
    return calibration


def _names(names: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(name) for name in names)


def _calibrated_weights(data: Mapping[str, Any], judges: int) -> CalibratedWeights:
    per_judge: dict[str, tuple[float, ...]] = {}
    for name in _PER_JUDGE:
        per_judge[name] = tuple(float(number) for number in data[name])
        if len(per_judge[name]) not in (0, judges):
            raise ValueError(f"weights of another number of judges than {judges}")
    weights = Weights(
        method=str(data["method"]),
        bias=float(data["bias"]),
        judge=None if data["judge"] is None else int(data["judge"]),
        **per_judge,
    )
    slope, intercept = float(data["slope"]), float(data["intercept"])
    return CalibratedWeights(weights=weights, slope=slope, intercept=intercept)


def panel_identity(judges: Sequence[Identity], weights: Weights) -> Identity:
    """The identity of a panel as one judge: its models, and a digest of its judges and of how they are added up."""
    text = json.dumps([list(map(list, judges)), weights.to_json()], sort_keys=True)
    return panel_name(judges), f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def panel_name(judges: Sequence[Identity]) -> str:
    """The panel for people: its models with plus signs."""
    return " + ".join(model for model, _ in judges)
