"""Ridge logistic regression by Newton's method, in numpy: the one fit behind calibration and stacking.

numpy itself is imported by the first fit: a run that grades never needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
else:
    from judgemesh.mesh.judging.late import np

_MAX_STEPS: Final = 100
_MAX_HALVINGS: Final = 30
_TOLERANCE: Final = 1e-9
_JITTER: Final = 1e-9


def fit_logistic(features: Floats, truth: Floats, penalty: Floats) -> Floats:
    """The weights w that minimise  -log L(w) + 1/2 sum penalty_j w_j^2,  with P(y=1) = sigmoid(features @ w).

    Args:
        features: n x d; a column of ones where an intercept is wanted.
        truth: n values of 0 or 1.
        penalty: d values of 0 or more. A column without a penalty must not separate the classes.

    Raises:
        ValueError: shapes that do not fit, or no rows.
    """
    if not len(truth) or features.shape != (len(truth), len(penalty)):
        raise ValueError(
            f"features {features.shape}, truth {truth.shape} and penalty {penalty.shape} do not fit"
        )
    weights: Floats = np.zeros(len(penalty))
    loss = _loss(features, truth, penalty, weights)
    for _ in range(_MAX_STEPS):
        step = _newton_step(features, truth, penalty, weights)
        # Damped: a full step can overshoot where the classes are nearly separated.
        size = 1.0
        for _ in range(_MAX_HALVINGS):
            next_loss = _loss(features, truth, penalty, weights - size * step)
            if next_loss <= loss:
                break
            size /= 2.0
        else:
            break
        weights = weights - size * step
        loss = next_loss
        if float(np.max(np.abs(size * step))) < _TOLERANCE:
            break
    return weights


def _newton_step(
    features: Floats, truth: Floats, penalty: Floats, weights: Floats
) -> Floats:
    chance = sigmoid(features @ weights)
    gradient = features.T @ (chance - truth) + penalty * weights
    spread = chance * (1.0 - chance)
    hessian = (features * spread[:, None]).T @ features + np.diag(penalty + _JITTER)
    step: Floats = np.linalg.solve(hessian, gradient).astype(np.float64)
    return step


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    tail = np.exp(-np.abs(values))
    return np.where(values >= 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))


def _loss(features: Floats, truth: Floats, penalty: Floats, weights: Floats) -> float:
    scores = features @ weights
    return float(
        np.sum(np.logaddexp(0.0, scores) - truth * scores)
        + 0.5 * np.sum(penalty * weights**2)
    )
