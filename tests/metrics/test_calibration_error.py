"""The calibration error of a perfect judge, beside which a measured one has to be read."""

from __future__ import annotations

import numpy as np
import pytest

from judgemesh.mesh.calibration.reliability import expected_calibration_error
from judgemesh.mesh.metrics.calibration_error import perfect_calibration_error


def test_a_perfect_judge_shows_seven_percent_at_a_hundred_items() -> None:
    surer = [0.5 + 0.5 * place / 99 for place in range(100)]
    found = perfect_calibration_error(surer, seed=1)
    assert found.mean == pytest.approx(0.07, abs=0.003)
    assert 0.1 < found.quantile < 0.13
    assert perfect_calibration_error(surer * 100, seed=1, draws=200).mean < 0.01


def test_it_is_the_mean_of_the_errors_that_the_reliability_table_would_give() -> None:
    random = np.random.default_rng(2)
    chances = [float(one) for one in random.beta(3, 1, 60)]
    errors = [
        expected_calibration_error(
            chances, [bool(one) for one in random.random(60) < chances]
        )
        for _ in range(600)
    ]
    found = perfect_calibration_error(chances, seed=3)
    assert found.mean == pytest.approx(np.mean(errors), abs=0.004)
    assert found.quantile == pytest.approx(np.quantile(errors, 0.95), abs=0.012)


def test_certainty_has_no_error_and_nonsense_is_refused() -> None:
    assert perfect_calibration_error([1.0, 0.0, 1.0], seed=1).quantile == 0.0
    for chances, bins in (([], 10), ([1.2], 10), ([float("nan")], 10), ([0.5], 0)):
        with pytest.raises(ValueError, match="at least one probability"):
            perfect_calibration_error(chances, seed=1, bins=bins)
