"""Intervals with tasks as units, against scipy and statsmodels and against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.bounded import bounded_mean
from judgemesh.mesh.metrics.class_changes import ClassRun, class_changes
from judgemesh.mesh.metrics.class_tests import Shares, p_values, rejected
from judgemesh.mesh.metrics.clustered_strata import ClusteredItem, clustered_mean
from judgemesh.mesh.metrics.clusters import rate_interval, task_means
from judgemesh.mesh.metrics.comparison import ComparisonVerdict, paired, unpaired
from judgemesh.mesh.metrics.correction import effective_counts
from judgemesh.mesh.metrics.sampling import category_contradiction, number_contradiction


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    found = stats.binomtest(successes, trials).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)


@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 5), (3, 5), (50, 50), (181, 200)]
)
def test_for_zeros_and_ones_the_exact_interval_is_clopper_and_pearsons(
    successes: int, trials: int
) -> None:
    found = bounded_mean([1.0] * successes + [0.0] * (trials - successes))
    low, high = clopper_pearson(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


def test_the_draws_agree_with_the_closed_form() -> None:
    """Values of 0 and 1 with one of .999999 take the way of the draws."""
    values = [1.0] * 16 + [0.0] * 3 + [0.999999]
    low, high = clopper_pearson(17, 20)
    found = bounded_mean(values)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_a_task_with_half_of_the_runs_widens_the_interval() -> None:
    values = [1.0] * 20 + [0.0, 1.0] * 10
    names = ["giant"] * 20 + [f"t{place}" for place in range(20)]
    found = task_means(values, names)
    assert (found.rate, found.mean) == pytest.approx((0.75, 11 / 21))
    assert not found.balanced
    ci = rate_interval(found)
    alone = rate_interval(task_means(values, None))
    assert ci.low < 0.4 < alone.low
    assert ci.high > 0.95


def test_the_end_next_to_zero_is_that_of_t_where_tasks_differ() -> None:
    random = np.random.default_rng(1)
    a, b = random.uniform(0.3, 0.6, 30), random.uniform(0.4, 0.7, 30)
    found = paired(
        {f"t{n}": [value] for n, value in enumerate(a)},
        {f"t{n}": [value] for n, value in enumerate(b)},
        power=False,
    )
    oracle = stats.ttest_1samp(b - a, 0).confidence_interval(0.97)
    assert found.ci.low == pytest.approx(oracle.low, abs=1e-9)
    # The other end also holds what a kind of task may do that none of the thirty is of.
    assert oracle.high < found.ci.high < oracle.high + 0.05


def test_names_and_order_do_not_matter() -> None:
    random = np.random.default_rng(2)
    a = {f"t{n}": random.integers(0, 2, 3).astype(float).tolist() for n in range(8)}
    b = {name: random.integers(0, 2, 3).astype(float).tolist() for name in a}
    turned = [
        {f"x{hash(name) % 97}{name}": side[name][::-1] for name in reversed(side)}
        for side in (a, b)
    ]
    assert paired(a, b) == paired(*turned)
    assert unpaired(a, b, power=False) == unpaired(*turned, power=False)


def test_failures_that_became_undecided_are_no_improvement() -> None:
    a = {f"t{n}": [float(n % 2)] for n in range(40)}
    shown = {name: values for name, values in a.items() if values == [1.0]}
    opened = {name: [1.0] for name in a.keys() - shown.keys()}
    for compare in (paired, unpaired):
        found = compare(a, shown, open_b=opened, power=False)
        assert found.change is ComparisonVerdict.NO_EVIDENCE
        assert found.bounds == pytest.approx((0.0, 0.5))
        assert found.ci.low <= 0 <= found.ci.high
    worse = paired(a, {name: [0.0] for name in shown}, open_b=opened, power=False)
    assert worse.bounds[0] < 0 <= worse.bounds[1]
    assert worse.change is ComparisonVerdict.NO_EVIDENCE


def test_what_could_be_seen_is_found_as_often_as_it_says() -> None:
    """10 tasks with 20 runs: the size that is printed is found; a quarter of it is not."""
    random = np.random.default_rng(3)
    chances = random.beta(6, 3, 10)
    rows = [
        random.binomial(1, chances[:, None], (10, 20)).astype(float) for _ in range(2)
    ]
    a, b = ({f"t{n}": row.tolist() for n, row in enumerate(side)} for side in rows)
    size = paired(a, b).detectable.drop
    assert size is not None
    assert 0.05 < size < 0.4
    shares: list[float] = []
    for drop in (size, size / 4):
        seen = 0
        for _ in range(100):
            lower = chances * (1 - drop / chances.mean())
            older = random.binomial(1, chances[:, None], (10, 20)).astype(float)
            newer = random.binomial(1, lower[:, None], (10, 20)).astype(float)
            found = paired(
                {f"t{n}": row.tolist() for n, row in enumerate(older)},
                {f"t{n}": row.tolist() for n, row in enumerate(newer)},
                power=False,
            )
            seen += found.change is ComparisonVerdict.REGRESSED
        shares.append(seen / 100)
    assert shares[0] > 0.6
    assert shares[1] < 0.3


def test_the_tests_of_classes_agree_with_scipy() -> None:
    random = np.random.default_rng(4)
    a, b = random.random(12), random.random(30)
    sides = [Shares(one[None], np.full((1, one.size), 1 / one.size)) for one in (a, b)]
    welch = stats.ttest_ind(a, b, equal_var=False).pvalue
    assert p_values(*sides, paired=False) == pytest.approx([welch])
    c = Shares(b[None, :12], sides[0].weights)
    together = stats.ttest_rel(a, b[:12]).pvalue
    assert p_values(sides[0], c, paired=True) == pytest.approx([together])


def test_rejected_classes_are_those_of_benjamini_and_hochberg() -> None:
    tests = np.random.default_rng(7).random((50, 5)) ** 4
    for row, found in zip(tests, rejected(tests, rate=0.05), strict=True):
        oracle = stats.false_discovery_control(row) <= 0.05
        assert found.tolist() == oracle.tolist()


def test_repeated_runs_flag_no_class_and_a_real_change_is_flagged() -> None:
    def runs(complete: int, prefix: str) -> list[ClassRun]:
        found: list[ClassRun] = []
        for task in range(20):
            outcome = (
                OutcomeClass.COMPLETE if task < complete else OutcomeClass.ABANDONED
            )
            found += [ClassRun(f"{prefix}{task}", outcome)] * 20
        return found

    same = class_changes(runs(12, "a"), runs(9, "b"))
    assert same["complete"].large
    assert not same["complete"].real
    other = class_changes(runs(18, "a"), runs(3, "b"))
    assert other["complete"].real
    # The same tasks are compared with themselves: ten of twenty that turned are seen, of others not.
    assert class_changes(runs(14, "a"), runs(6, "a"))["complete"].real
    assert not class_changes(runs(14, "a"), runs(6, "b"))["complete"].real
    opened = [ClassRun(f"u{n}", None) for n in range(300)]
    assert not class_changes(runs(18, "a"), [*runs(3, "b"), *opened])["complete"].real


def test_effective_counts_lie_between_tasks_and_runs() -> None:
    for tasks in range(2, 60):
        yes, trials = effective_counts([(runs, runs) for runs in range(1, tasks)])
        assert yes <= trials
    assert effective_counts([(1, 1), (0, 1), (1, 1)]) == (2, 3)
    alike = effective_counts([(10, 20), (10, 20), (10, 20), (10, 20)])
    unlike = effective_counts([(20, 20), (0, 20), (20, 20), (0, 20)])
    assert alike[1] == 80
    assert 1 <= unlike[1] < 4
    assert alike[0] / alike[1] == unlike[0] / unlike[1] == 0.5


def test_a_corrected_rate_with_tasks_as_units_is_wider_than_with_results() -> None:
    random = np.random.default_rng(5)
    items = [
        ClusteredItem(
            task, task % 2, float(task % 3 > 0) if random.random() < 0.5 else None
        )
        for task in range(12)
        for _ in range(20)
    ]
    apart = [
        ClusteredItem(place, item.stratum, item.value)
        for place, item in enumerate(items)
    ]
    together, single = (clustered_mean(rows, seed=1) for rows in (items, apart))
    assert together.rate == pytest.approx(single.rate)
    assert together.ci.half_width > 2 * single.ci.half_width


def test_draws_that_chance_contradicts() -> None:
    classes = ["complete"] * 900 + ["partial-"] * 100
    random = np.random.default_rng(6)
    honest = np.zeros(1000, dtype=bool)
    honest[random.permutation(1000)[:100]] = True
    only_failures = [place >= 900 for place in range(1000)]
    assert category_contradiction("class", classes, honest.tolist()) is None
    found = category_contradiction("class", classes, only_failures)
    assert found is not None
    assert "100% of the labelled results are partial-, and 10% of all" in str(found)
    costs = random.lognormal(0, 2, 1000)
    dear = (costs >= np.sort(costs)[-100]).tolist()
    assert number_contradiction("cost", costs.tolist(), honest.tolist()) is None
    assert number_contradiction("cost", costs.tolist(), dear) is not None
    half = [place % 2 == 0 or place >= 900 for place in range(1000)]
    assert category_contradiction("class", classes, half, classes) is None
