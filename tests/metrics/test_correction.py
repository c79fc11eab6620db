"""Correction of judged rates by human labels: right on average, covering, and refusing what cannot be corrected."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from judgemesh.mesh.metrics.correction import (
    Corrected,
    Drawn,
    LabelCounts,
    corrected,
    post_stratified,
    rogan_gladen,
)

Flags = NDArray[np.bool_]


def simulated(
    seed: int, *, results: int, labels: int, truth: float, se: float, sp: float
) -> tuple[Flags, Flags]:
    random = np.random.default_rng(seed)
    good = random.random(results) < truth
    verdicts = np.where(good, random.random(results) < se, random.random(results) >= sp)
    return good, verdicts


def test_post_stratified_covers_the_truth_and_beats_the_judge() -> None:
    covered = 0
    errors: list[float] = []
    for seed in range(200):
        good, verdicts = simulated(
            seed, results=1000, labels=100, truth=0.7, se=0.92, sp=0.7
        )
        chosen = np.random.default_rng(1000 + seed).choice(1000, 100, replace=False)
        yes = chosen[verdicts[chosen]]
        no = chosen[~verdicts[chosen]]
        labels = LabelCounts(
            len(yes), int(good[yes].sum()), len(no), int(good[no].sum())
        )
        found = post_stratified(int(verdicts.sum()), 1000, labels, seed=seed)
        covered += found.ci.low <= 0.7 <= found.ci.high
        errors.append(found.rate - 0.7)
    assert covered >= 185
    assert abs(float(np.mean(errors))) < 0.01


def test_rogan_gladen_covers_the_truth_under_another_prevalence() -> None:
    covered = 0
    for seed in range(200):
        _, verdicts = simulated(
            seed, results=1000, labels=0, truth=0.35, se=0.9, sp=0.85
        )
        random = np.random.default_rng(5000 + seed)
        true_yes, true_no = (
            int(random.binomial(150, 0.9)),
            int(random.binomial(100, 0.85)),
        )
        found = rogan_gladen(
            int(verdicts.sum()),
            1000,
            true_yes=true_yes,
            positives=150,
            true_no=true_no,
            negatives=100,
        )
        covered += found.ci.low <= 0.35 <= found.ci.high
    assert covered >= 185


def test_lang_and_reiczigels_interval_is_that_of_other_peoples_code() -> None:
    """What R's asht::prevSeSp gives for 113 of 167 positive, 21 of 23 and 12 of 17: .618 [.388, .854]."""
    found = rogan_gladen(113, 167, true_yes=21, positives=23, true_no=12, negatives=17)
    assert (found.rate, found.ci.low, found.ci.high) == pytest.approx(
        (0.618, 0.388, 0.854), abs=0.0005
    )


def test_a_perfect_judge_needs_no_correction() -> None:
    found = rogan_gladen(
        300, 1000, true_yes=100, positives=100, true_no=100, negatives=100
    )
    assert found.rate == pytest.approx(0.3)
    labelled = LabelCounts(yes_labelled=50, yes_true=50, no_labelled=50, no_true=0)
    assert post_stratified(300, 1000, labelled, seed=1).rate == pytest.approx(0.3)


def test_what_cannot_be_corrected_is_refused_with_the_reason() -> None:
    with pytest.raises(
        ValueError, match=r"is 0.10, below 0.2: the judge says too little"
    ):
        rogan_gladen(300, 1000, true_yes=55, positives=100, true_no=55, negatives=100)
    with pytest.raises(
        ValueError, match="700 results were judged 'no' and 1 of them are labelled"
    ):
        post_stratified(300, 1000, LabelCounts(50, 40, 1, 0), seed=1)
    with pytest.raises(ValueError, match="more labels are true"):
        LabelCounts(1, 2, 0, 0)
    with pytest.raises(ValueError, match="larger than its total"):
        rogan_gladen(5, 4, true_yes=1, positives=1, true_no=1, negatives=1)


LABELS = LabelCounts(yes_labelled=70, yes_true=62, no_labelled=30, no_true=9)


def correct(drawn: Drawn, *, labelled_judge: str = "v1") -> Corrected:
    return corrected(
        700,
        1000,
        LABELS,
        drawn=drawn,
        judge="v1",
        labelled_judge=labelled_judge,
        seed=1,
    )


def test_the_estimator_follows_from_how_the_labels_were_drawn() -> None:
    by_verdict = post_stratified(700, 1000, LABELS, seed=1)
    assert correct(Drawn.AT_RANDOM) == correct(Drawn.BY_VERDICT) == by_verdict
    expected = rogan_gladen(
        700, 1000, true_yes=62, positives=71, true_no=21, negatives=29
    )
    assert correct(Drawn.ANOTHER_RUN) == expected
    assert expected.ci.half_width > by_verdict.ci.half_width


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        (
            Drawn.ANOTHER_RUN_BY_VERDICT,
            "drawn 'another_run_by_verdict': .* say nothing about this one",
        ),
        (
            Drawn.CHOSEN,
            "drawn 'chosen': labels that were not drawn at random cannot correct a rate",
        ),
    ],
)
def test_labels_that_fit_no_estimator_are_refused(drawn: Drawn, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correct(drawn)


def test_labels_of_another_run_are_refused_by_verdict() -> None:
    with pytest.raises(ValueError, match=r"drawn 'another_run': .* use `rogan_gladen`"):
        post_stratified(700, 1000, LABELS, seed=1, drawn=Drawn.ANOTHER_RUN)


@pytest.mark.parametrize("drawn", list(Drawn))
def test_another_judge_is_refused_however_the_labels_were_drawn(drawn: Drawn) -> None:
    with pytest.raises(ValueError, match="another judge configuration"):
        correct(drawn, labelled_judge="v2")


def test_effective_labels_lie_between_those_made_and_the_whole_run() -> None:
    """A judge that says nothing adds none; one that is always right makes every result count."""
    nothing = post_stratified(500, 1000, LabelCounts(50, 35, 50, 35), seed=1)
    always = post_stratified(700, 1000, LabelCounts(500, 500, 500, 0), seed=1)
    assert nothing.effective_labels == pytest.approx(100, rel=0.06)
    assert 700 < always.effective_labels < 1100
    assert correct(Drawn.AT_RANDOM).effective_labels > 100
    exact = rogan_gladen(
        700, 1000, true_yes=10_000, positives=10_000, true_no=10_000, negatives=10_000
    )
    assert exact.effective_labels == pytest.approx(1000, rel=0.06)


def test_one_result_of_a_verdict_needs_one_label() -> None:
    assert post_stratified(
        99, 100, LabelCounts(40, 36, 1, 0), seed=1
    ).rate == pytest.approx(0.99 * 0.9)
    with pytest.raises(
        ValueError, match="judged 'no' and 0 of them are labelled; label 1 or more"
    ):
        post_stratified(99, 100, LabelCounts(40, 36, 0, 0), seed=1)
