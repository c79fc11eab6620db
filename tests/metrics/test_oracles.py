"""Every estimator against the library that is known for it, on random data: scikit-learn, statsmodels, krippendorff, scipy.

Only this module loads the heavy ones, and only while its tests run.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

from judgemesh.mesh.calibration import reliability
from judgemesh.mesh.metrics.agreement import (
    Labels,
    cohen_kappa,
    confusion,
    krippendorff_alpha,
    raw_agreement,
)
from judgemesh.mesh.metrics.comparison import minimum_detectable
from judgemesh.mesh.metrics.correction import LabelCounts, post_stratified
from judgemesh.mesh.metrics.gates import mcnemar_mid_p
from judgemesh.mesh.metrics.intervals import (
    anchored,
    clustered,
    jeffreys,
    percentile,
    wilson,
)
from judgemesh.mesh.metrics.shares import benjamini_hochberg, newcombe, two_shares
from judgemesh.mesh.metrics.strata import Stratum, stratified_mean

EXACT = 1e-9
SEEDS = range(40)


def library(name: str) -> Any:
    """These libraries have no types; a test does not need any."""
    return importlib.import_module(name)


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_agreement_of_two_reviewers() -> None:
    metrics = library("sklearn.metrics")
    for seed in SEEDS:
        random = generator(seed)
        one = random.integers(0, random.integers(2, 6), random.integers(5, 60))
        two = np.where(
            random.random(len(one)) < random.random(),
            one,
            random.integers(0, 6, len(one)),
        )
        assert raw_agreement(one.tolist(), two.tolist()) == pytest.approx(
            metrics.accuracy_score(one, two), abs=EXACT
        )
        expected = metrics.cohen_kappa_score(one, two)
        assert cohen_kappa(one.tolist(), two.tolist()) == pytest.approx(
            expected, abs=EXACT
        )


def test_the_confusion_table_and_its_rates() -> None:
    metrics = library("sklearn.metrics")
    for seed in SEEDS:
        random = generator(seed)
        human = random.random(50) < 0.6
        judge = np.where(random.random(50) < 0.8, human, ~human)
        found = confusion(judge.tolist(), human.tolist())
        (true_no, false_yes), (false_no, true_yes) = metrics.confusion_matrix(
            human, judge, labels=[False, True]
        )
        assert (found.true_yes, found.false_yes) == (true_yes, false_yes)
        assert (found.false_no, found.true_no) == (false_no, true_no)
        sensitivity, specificity = found.sensitivity(), found.specificity()
        assert sensitivity is not None
        assert specificity is not None
        assert sensitivity[0] == pytest.approx(
            metrics.recall_score(human, judge), abs=EXACT
        )
        assert specificity[0] == pytest.approx(
            metrics.recall_score(~human, ~judge), abs=EXACT
        )


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.5])
def test_krippendorffs_alpha(missing: float) -> None:
    oracle = library("krippendorff")
    for seed in SEEDS:
        random = generator(seed)
        truth = random.integers(0, 4, 30)
        labels = np.where(
            random.random((4, 30)) < 0.7, truth, random.integers(0, 4, (4, 30))
        ).astype(float)
        labels[random.random(labels.shape) < missing] = np.nan
        ours: list[Labels] = [
            [None if math.isnan(one) else int(one) for one in row]
            for row in labels.tolist()
        ]
        expected = oracle.alpha(reliability_data=labels, level_of_measurement="nominal")
        assert krippendorff_alpha(ours) == pytest.approx(expected, abs=EXACT)


def test_intervals_of_a_share() -> None:
    proportion = library("statsmodels.stats.proportion")
    for seed in SEEDS:
        random = generator(seed)
        trials = int(random.integers(1, 400))
        successes, level = (
            int(random.integers(0, trials + 1)),
            float(random.uniform(0.5, 0.999)),
        )
        low, high = proportion.proportion_confint(
            successes, trials, alpha=1 - level, method="wilson"
        )
        ours = wilson(successes, trials, level=level)
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=EXACT)
        low, high = proportion.proportion_confint(
            successes, trials, alpha=1 - level, method="jeffreys"
        )
        exact = (0.0 if successes == 0 else low, 1.0 if successes == trials else high)
        found = jeffreys(successes, trials, level=level)
        assert (found.low, found.high) == pytest.approx(exact, abs=EXACT)


def test_two_shares() -> None:
    proportion = library("statsmodels.stats.proportion")
    for seed in SEEDS:
        random = generator(seed)
        n, m = (int(one) for one in random.integers(1, 200, 2))
        k, j = int(random.integers(0, n + 1)), int(random.integers(0, m + 1))
        low, high = proportion.confint_proportions_2indep(
            j, m, k, n, method="newcomb", compare="diff"
        )
        found = newcombe(k, n, j, m)
        assert (found.low, found.high) == pytest.approx((low, high), abs=EXACT)
        if 0 < k + j < n + m:
            assert two_shares(k, n, j, m) == pytest.approx(
                proportion.proportions_ztest([k, j], [n, m])[1], abs=EXACT
            )


@pytest.mark.parametrize(
    ("only_a", "only_b"),
    [(0, 1_100), (500, 501), (480, 560), (5_000, 5_100), (49_000, 51_000)],
)
def test_mcnemar_of_very_many_pairs(only_a: int, only_b: int) -> None:
    binomial = library("scipy.stats").binom
    n, fewer = only_a + only_b, min(only_a, only_b)
    middle = 2 * binomial.cdf(fewer, n, 0.5) - binomial.pmf(fewer, n, 0.5)
    assert mcnemar_mid_p(only_a, only_b) == pytest.approx(middle, rel=1e-6, abs=1e-12)


def test_mcnemar_and_benjamini_hochberg() -> None:
    tables, multiple = (
        library("statsmodels.stats.contingency_tables"),
        library("statsmodels.stats.multitest"),
    )
    binomial = library("scipy.stats").binom
    for seed in SEEDS:
        random = generator(seed)
        only_a, only_b = (int(one) for one in random.integers(0, 30, 2))
        exact = tables.mcnemar([[5, only_a], [only_b, 5]], exact=True).pvalue
        middle = exact - binomial.pmf(min(only_a, only_b), only_a + only_b, 0.5)
        if (
            only_a != only_b
        ):  # there the exact p is capped at 1 before the middle is taken
            assert mcnemar_mid_p(only_a, only_b) == pytest.approx(middle, abs=EXACT)
        p_values = random.beta(0.4, 2, 12)
        rejected = multiple.multipletests(p_values, alpha=0.05, method="fdr_bh")[0]
        ours = benjamini_hochberg(
            {str(place): float(one) for place, one in enumerate(p_values)}
        )
        assert list(ours.values()) == rejected.tolist()


def test_clustering_is_the_cluster_robust_covariance_of_a_regression_on_a_constant() -> (
    None
):
    regression = library("statsmodels.regression.linear_model")
    for seed in range(10):
        random = generator(seed)
        groups = random.integers(0, 15, 80)
        values = random.random(15)[groups] + random.random(80)
        fit = regression.OLS(values, np.ones(80)).fit(
            cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
        )
        found = clustered(values.tolist(), [str(one) for one in groups])
        assert (found.low, found.high) == pytest.approx(
            tuple(fit.conf_int()[0]), abs=EXACT
        )


def test_the_minimum_detectable_difference_has_the_power_it_is_asked_for() -> None:
    power = library("statsmodels.stats.power")
    for deviation, tasks in ((0.2, 30), (0.45, 100), (0.5, 1000)):
        effect = minimum_detectable(deviation, tasks, power=0.9)
        found = power.normal_power(effect / deviation, tasks, 0.05)
        assert found == pytest.approx(0.9, abs=1e-6)  # the other tail


def test_probabilities() -> None:
    metrics, calibration = library("sklearn.metrics"), library("sklearn.calibration")
    for seed in SEEDS:
        random = generator(seed)
        chances = random.beta(2, 1, 120)
        truth = random.random(120) < chances**1.5
        ours, flags = chances.tolist(), truth.tolist()
        assert reliability.brier(ours, flags) == pytest.approx(
            metrics.brier_score_loss(truth, chances), abs=EXACT
        )
        coarse = np.round(chances, 1)  # with ties
        expected = metrics.roc_auc_score(truth, coarse)
        assert reliability.auroc(coarse.tolist(), flags) == pytest.approx(
            expected, abs=EXACT
        )
        observed, claimed = calibration.calibration_curve(truth, chances, n_bins=10)
        table = reliability.reliability_table(ours, flags)
        assert [row.observed for row in table] == pytest.approx(observed, abs=EXACT)
        assert [row.claimed for row in table] == pytest.approx(claimed, abs=EXACT)
        counts = np.histogram(chances, np.linspace(0, 1, 11))[0]
        error = float((counts[counts > 0] * np.abs(observed - claimed)).sum() / 120)
        assert reliability.expected_calibration_error(ours, flags) == pytest.approx(
            error, abs=EXACT
        )


def test_the_percentile_bootstrap() -> None:
    stats = library("scipy.stats")
    values = generator(1).choice([0.0, 0.4, 0.7, 1.0], 150, p=[0.2, 0.2, 0.1, 0.5])
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=2
    ).confidence_interval
    found = percentile(values.tolist(), seed=3, draws=20_000)
    assert (found.low, found.high) == pytest.approx(
        (expected.low, expected.high), abs=0.004
    )


def test_the_anchored_draws_are_a_dirichlet_over_the_items_and_two_halves() -> None:
    stats = library("scipy.stats")
    values = [0.0] * 6 + [0.4] * 9 + [0.7] * 5 + [1.0] * 30
    weights = stats.dirichlet.rvs([1.0] * 50 + [0.5, 0.5], size=60_000, random_state=1)
    low, high = np.quantile(weights @ np.array([*values, 0.0, 1.0]), [0.025, 0.975])
    found = anchored(values, seed=2, draws=60_000)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.004)


def test_post_stratified_draws() -> None:
    beta = library("scipy.stats").beta
    yes, no, share = (
        beta.rvs(k + 0.5, n - k + 0.5, size=200_000, random_state=n)
        for k, n in ((55, 60), (8, 40), (700, 1000))
    )
    low, high = np.quantile(share * yes + (1 - share) * no, [0.025, 0.975])
    found = post_stratified(700, 1000, LabelCounts(60, 55, 40, 8), seed=1)
    assert (found.ci.low, found.ci.high) == pytest.approx((low, high), abs=0.006)
    values = [
        Stratum(700, [1.0] * 55 + [0.0] * 5),
        Stratum(300, [1.0] * 8 + [0.0] * 32),
    ]
    same = stratified_mean(values, seed=1, draws=50_000)
    assert (same.ci.low, same.ci.high) == pytest.approx((low, high), abs=0.003)
    assert same.rate == pytest.approx(found.rate, abs=EXACT)
    assert same.effective_labels == pytest.approx(found.effective_labels, rel=0.05)
