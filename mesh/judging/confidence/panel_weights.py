"""What people's labels made of a panel: weights to add its judges up with, and how right the sum is. Pure, no numpy.

    majority          more than half of those who took a side
    mean_probability  the mean of what they give
    best_single       one judge
    log_odds          score = bias + sum (yes_j or no_j by the side of judge j)
    stacking          score = bias + sum slope_j logit(p_j)

P(yes) of the last two is sigmoid(score). `panel.py` fits them; a test holds both ways of adding up to the same sum.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.signals import logit

METHOD_NAMES: Final = ("majority", "log_odds", "stacking")
"""Ways that a person may ask for; `auto` is the one that labels speak for."""

FARTHEST_LOGIT: Final = 6.0
_TIE: Final = 0.5


def majority_of(chances: Sequence[float | None]) -> tuple[int, int]:
    """How many of the judges lean to yes, and to no; .5 and None to neither."""
    return sum(p is not None and p > _TIE for p in chances), sum(
        p is not None and p < _TIE for p in chances
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One way of adding up. `yes`, `no`, `slopes`: one number a judge, empty where the way has none."""

    method: str
    yes: tuple[float, ...] = ()
    no: tuple[float, ...] = ()
    slopes: tuple[float, ...] = ()
    bias: float = 0.0
    judge: int | None = None

    def chance(self, chances: Sequence[float | None]) -> float | None:
        """P(yes) of the panel from P(yes) of each judge; .5 is a tie, None where nobody that counts took a side."""
        given = [p for p in chances if p is not None]
        yes, no = majority_of(chances)
        if self.method == "best_single" and self.judge is not None:
            return chances[self.judge]
        if not given or (
            self.method in ("majority", "log_odds", "stacking") and not yes + no
        ):
            return None
        if self.method == "majority":
            return yes / (yes + no)
        if self.method == "mean_probability":
            return math.fsum(given) / len(given)
        return _sigmoid(self.bias + math.fsum(self._terms(chances)))

    def score(self, chances: Sequence[float | None]) -> float | None:
        """The same as a logit that stays finite: of a majority its Laplace share."""
        if self.method == "majority":
            yes, no = majority_of(chances)
            return math.log((yes + 1) / (no + 1)) if yes + no else None
        chance = self.chance(chances)
        return None if chance is None else logit(chance)

    def _terms(self, chances: Sequence[float | None]) -> list[float]:
        terms: list[float] = []
        for at, p in enumerate(chances):
            if p is None:
                continue
            if self.slopes:
                terms.append(self.slopes[at] * held_logit(p))
            elif p != _TIE:
                terms.append(self.yes[at] if p > _TIE else self.no[at])
        return terms

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "method": self.method,
            "yes": list(self.yes),
            "no": list(self.no),
            "slopes": list(self.slopes),
            "bias": self.bias,
            "judge": self.judge,
        }


MAJORITY: Final = Weights(method="majority")


def held_logit(p: float) -> float:
    """The logit that stacking reads: a hard 0 or 1 is -1 or 1, a probability is held within +-6."""
    if p in (0.0, 1.0):
        return 2.0 * p - 1.0
    return min(max(logit(p), -FARTHEST_LOGIT), FARTHEST_LOGIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Weights, and the ridge-Platt line that makes their score a probability to be right. Both come from labels; the
    line from scores of items that the weights were not fitted on."""

    weights: Weights
    slope: float
    intercept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCalibration:
    """What labels say about one panel: these judges with these prompts, these criteria, and no others.

    ways: by method; those that the number of labels allows. chosen: the one that labels speak for.
    n_eff: effective votes, from the judges' errors. served: for each judge the models that really answered.
    threshold: from which confidence of its majority on a verdict is certified. Fitted weights have none: they have
        seen the labels.
    """

    judges: tuple[Identity, ...]
    labels: int
    n_eff: float
    chosen: str
    ways: Mapping[str, Way]
    criteria: tuple[str, ...]
    served: tuple[tuple[str, ...], ...] = ()
    threshold: float | None = None
    rates: Mapping[str, float] = field(default_factory=dict[str, float])

    def p_yes(self, method: str, chances: Sequence[float | None]) -> float | None:
        """The calibrated probability that "yes" is right, never 0 or 1."""
        way = self.ways[method]
        score = way.weights.score(chances)
        if score is None:
            return None
        edge = 1.0 / (self.labels + 2)
        return min(max(_sigmoid(way.slope * score + way.intercept), edge), 1.0 - edge)

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `panel_calibration_from_json` is the inverse."""
        return {
            "judges": [list(one) for one in self.judges],
            "labels": self.labels,
            "n_eff": self.n_eff,
            "chosen": self.chosen,
            "ways": {
                name: {
                    **way.weights.to_json(),
                    "slope": way.slope,
                    "intercept": way.intercept,
                }
                for name, way in self.ways.items()
            },
            "criteria": list(self.criteria),
            "served": [list(names) for names in self.served],
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
        found = PanelCalibration(
            judges=judges,
            labels=int(data["labels"]),
            n_eff=float(data["n_eff"]),
            chosen=str(data["chosen"]),
            ways={
                str(name): _way(way, len(judges)) for name, way in data["ways"].items()
            },
            criteria=tuple(str(one) for one in data["criteria"]),
            served=tuple(
                tuple(str(name) for name in names) for names in data["served"]
            ),
            threshold=None
            if data.get("threshold") is None
            else float(data["threshold"]),
            rates={
                str(name): float(rate) for name, rate in data.get("rates", {}).items()
            },
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"no calibration of a panel: {error}") from error
    if found.chosen not in found.ways or len(found.served) != len(judges):
        raise ValueError(f"a calibration of a panel without {found.chosen}")
    return found


def _way(data: Mapping[str, Any], judges: int) -> Way:
    numbers = {
        name: tuple(float(one) for one in cast("list[Any]", data[name]))
        for name in ("yes", "no", "slopes")
    }
    if any(len(given) not in (0, judges) for given in numbers.values()):
        raise ValueError(f"weights of another number of judges than {judges}")
    judge = None if data["judge"] is None else int(data["judge"])
    weights = Weights(
        method=str(data["method"]), bias=float(data["bias"]), judge=judge, **numbers
    )
    return Way(
        weights=weights, slope=float(data["slope"]), intercept=float(data["intercept"])
    )


def panel_identity(judges: Sequence[Identity], weights: Weights) -> Identity:
    """Whom a certificate of the panel itself is about: its judges, and how they are added up."""
    text = json.dumps([list(map(list, judges)), weights.to_json()], sort_keys=True)
    return panel_name(judges), f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def panel_name(judges: Sequence[Identity]) -> str:
    """The panel for people: its models with plus signs."""
    return " + ".join(model for model, _ in judges)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(min(value, 700.0), -700.0)))
