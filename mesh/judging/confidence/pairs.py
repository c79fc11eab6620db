"""The certificate of two judges, one after the other, and which questions both are asked. Pure.

The pair settles a question where the first judge is sure enough, else where the second is; any other question stays
open. `calibration.pairs` makes the certificate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from pydantic import TypeAdapter

from judgemesh.contracts.needs import Ask
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.mesh.judging.signals import signals_of

Stage = tuple[str, str, str]
"""One judge of a pair: its model, the digest of its prompts, and its backend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Thresholds of two judges, certified together: of what the pair settles at most `alpha` is wrong.

    thresholds: the least `Signals.confidence` of each judge that settles a question; infinite for a judge that settles
        none.
    coverage: the share of the labelled questions that the pair settles, `errors` of them wrongly.
    delta: the probability that the guarantee does not hold.
    served: for each judge the models that really answered; another one ends the certificate.
    """

    stages: tuple[Stage, Stage]
    thresholds: tuple[float, float]
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float
    served: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def settles(self, stage: int, opinion: Opinion | None) -> bool | None:
        """Whether the opinion of a stage (0 or 1) settles its question.

        None where another model answered than the certificate is about.
        """
        served = () if opinion is None else opinion.served
        if self.served[stage] and not set(served) <= set(self.served[stage]):
            return None
        confidence = None if opinion is None else confidence_of(opinion, stage)
        return confidence is not None and confidence >= self.thresholds[stage]

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `pair_from_json` is the inverse. An infinite threshold is null."""
        thresholds = [
            None if math.isinf(threshold) else threshold
            for threshold in self.thresholds
        ]
        return {
            **asdict(self),
            "stages": [list(stage) for stage in self.stages],
            "thresholds": thresholds,
            "served": [list(models) for models in self.served],
        }


def pair_from_json(data: Mapping[str, Any]) -> Pair:
    """The certificate that `to_json` wrote.

    Raises:
        ValueError: it cannot be read.
    """
    thresholds = [
        math.inf if threshold is None else threshold
        for threshold in data.get("thresholds", ())
    ]
    return _PAIR.validate_python({**data, "thresholds": thresholds})


_PAIR = TypeAdapter(Pair)


def confidence_of(opinion: Opinion, stage: int) -> float | None:
    """How sure a stage is of its answer; None where it may not settle the question.

    A text that speaks to the evaluator is never settled by the first judge, nor a gate on it by the second.
    """
    if opinion.verdict not in (Vote.YES, Vote.NO):
        return None
    if opinion.injection_suspected and (stage == 0 or opinion.gating):
        return None
    return signals_of(opinion).confidence


def is_audited(need: Ask, *, share: float, seed: int) -> bool:
    """Whether a question is in the sample that both judges are asked; it follows from the seed and the texts alone."""
    if share <= 0:
        return False
    materials = [f"{part.name}\x1e{part.text}" for part in need.materials]
    texts = "\x1f".join([need.question, *materials])
    return Random(f"{seed}:audit:{texts}").random() < share  # noqa: S311 (a sample)
