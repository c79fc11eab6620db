"""Fits the ridge-Platt calibration of one judge on people's labels.

The model is that of `mesh/judging/confidence/platt.py`. Slopes have a ridge of 1, and
criterion offsets are shrunk to the pooled intercept. numpy is imported by the first fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.opinions import VOTES
from judgemesh.mesh.calibration.logistic import fit_logistic
from judgemesh.mesh.judging.confidence.platt import FEATURES, MIN_LABELS, Calibration
from judgemesh.mesh.judging.signals import Signals, logit

if TYPE_CHECKING:
    import numpy as np
else:
    from judgemesh.mesh.judging.late import np

_SATURATED_LOGIT: Final = 6.0
_SATURATED_SHARE: Final = 0.8
_SLOPE_RIDGE: Final = 1.0
_INTERCEPT_RIDGE: Final = 0.01
"""Small: it only keeps the pooled intercept finite where every label says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """One judged question that a person answered too. `criterion`: the digest of the question's words."""

    signals: Signals
    truth: bool
    criterion: str


def fit(
    labelled: Sequence[LabelledQuestion],
    *,
    model: str,
    prompts: str,
    served: Sequence[str] = (),
    backend: str = VOTES,
    min_labels: int = MIN_LABELS,
) -> Calibration | None:
    """Fit on human labels; None below `min_labels` of them. A saturated P(yes) is left out."""
    if len(labelled) < max(1, min_labels):
        return None
    criteria = sorted({question.criterion for question in labelled})
    intercept_column = len(FEATURES)
    first_offset = intercept_column + 1
    columns = np.zeros((len(labelled), first_offset + len(criteria)))
    for row, question in enumerate(labelled):
        columns[row, :intercept_column] = question.signals.features()
        columns[row, intercept_column] = 1.0
        columns[row, first_offset + criteria.index(question.criterion)] = 1.0
    saturated = is_saturated([question.signals for question in labelled])
    if saturated:
        columns[:, FEATURES.index("p_yes")] = 0.0
    truth = np.array([float(question.truth) for question in labelled])
    penalty = np.full(columns.shape[1], _SLOPE_RIDGE)
    penalty[intercept_column] = _INTERCEPT_RIDGE
    weights = fit_logistic(columns, truth, penalty)
    offsets = weights[first_offset:].tolist()
    return Calibration(
        model=model,
        prompts=prompts,
        labels=len(labelled),
        slopes=tuple(weights[:intercept_column].tolist()),
        intercept=float(weights[intercept_column]),
        offsets=dict(zip(criteria, offsets, strict=True)),
        served=tuple(sorted(set(served))),
        backend=backend,
        saturated=saturated,
    )


def is_saturated(signals: Sequence[Signals]) -> bool:
    """Whether the model's own probabilities say nothing beyond their class: 80 % of them beyond a logit of 6."""
    with_p_yes = beyond = 0
    for of_question in signals:
        if of_question.p_yes is not None:
            with_p_yes += 1
            beyond += abs(logit(of_question.p_yes)) > _SATURATED_LOGIT
    return with_p_yes > 0 and beyond >= _SATURATED_SHARE * with_p_yes
