from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.mesh.calibration.judges import ResultOpinion, compare, consensus
from judgemesh.mesh.calibration.logistic import fit_logistic, sigmoid
from judgemesh.mesh.calibration.platt_fit import LabelledQuestion, fit, is_saturated
from judgemesh.mesh.calibration.reliability import (
    auroc,
    brier,
    expected_calibration_error,
    reliability_table,
)
from judgemesh.mesh.calibration.thresholds import NotCertified, Threshold
from judgemesh.mesh.judging.confidence.active import (
    ALARM,
    CALIBRATION,
    active_calibrations,
)
from judgemesh.mesh.judging.confidence.platt import (
    FEATURES,
    MIN_LABELS,
    Calibration,
    calibration_from_json,
)
from judgemesh.mesh.judging.signals import Signals, criterion_digest
from judgemesh.mesh.metrics.intervals import wilson

POLITE, SHORT = criterion_digest("Is it polite?"), criterion_digest("Is it short?")


def labels_of(
    many: int, *, right: float = 0.9, seed: int = 0
) -> list[LabelledQuestion]:
    """Judgements of a judge that is right with that probability, and surer when it is."""
    draw = random.Random(seed)  # noqa: S311 - a simulation
    found: list[LabelledQuestion] = []
    for number in range(many):
        truth, correct = draw.random() < 0.5, draw.random() < right
        lead, trail = (3, 0) if draw.random() < (0.85 if correct else 0.35) else (3, 2)
        yes = truth == correct
        signals = Signals(yes=lead if yes else trail, no=trail if yes else lead)
        found.append(
            LabelledQuestion(
                signals=signals, truth=truth, criterion=POLITE if number % 2 else SHORT
            )
        )
    return found


def fitted(labels: list[LabelledQuestion]) -> Calibration:
    known = fit(labels, model="m", prompts="p")
    assert known is not None
    return known


def test_below_thirty_labels_there_is_none() -> None:
    assert fit(labels_of(MIN_LABELS - 1), model="m", prompts="p") is None
    assert fit(labels_of(MIN_LABELS), model="m", prompts="p") is not None


def test_it_is_calibrated_on_labels_it_has_not_seen() -> None:
    known, fresh = fitted(labels_of(200)), labels_of(4000, seed=1)
    chances = [known.p_yes(one.signals, one.criterion) or 0.0 for one in fresh]
    truths = [one.truth for one in fresh]
    raw = [
        (one.signals.yes + 1) / (one.signals.yes + one.signals.no + 2) for one in fresh
    ]
    assert expected_calibration_error(chances, truths) < 0.05
    assert brier(chances, truths) < brier(raw, truths)


def test_no_number_of_equal_labels_makes_it_certain() -> None:
    labels = [
        LabelledQuestion(signals=Signals(yes=5, no=0), truth=True, criterion=POLITE)
        for _ in range(500)
    ]
    chance = fitted(labels).correctness(Signals(yes=9, no=0), POLITE, yes=True)
    assert chance is not None
    assert 0.95 < chance <= 1 - 1 / 502


def test_a_criterion_without_labels_has_no_probability() -> None:
    assert (
        fitted(labels_of(60)).p_yes(
            Signals(yes=2, no=0), criterion_digest("Is it true?")
        )
        is None
    )


def test_the_words_of_a_criterion_are_its_identity_and_not_its_spaces() -> None:
    assert criterion_digest("Is it  polite?\n") == POLITE != SHORT


def test_a_contradiction_and_a_false_quote_speak_against_the_leading_side() -> None:
    plain = Signals(yes=1, no=4, p_yes=0.2)
    assert plain.features()[0] < 0
    assert plain.features()[1] == pytest.approx(math.log(0.25))
    assert plain._replace(contradicted=True).features()[2] == 1.0
    assert [
        plain._replace(quote_found=found).features()[3] for found in (True, False, None)
    ] == [-1.0, 1.0, 0.0]


def test_saturated_probabilities_are_dropped() -> None:
    hard = [Signals(yes=1, no=0, p_yes=1 - 1e-9) for _ in range(8)]
    assert is_saturated([*hard, Signals(yes=1, no=0, p_yes=0.5)])
    assert not is_saturated([*hard, *[Signals(yes=1, no=0, p_yes=0.5)] * 3])
    labels = [
        replace(one, signals=one.signals._replace(p_yes=1 - 1e-9))
        for one in labels_of(60)
    ]
    assert fitted(labels).slopes[FEATURES.index("p_yes")] == 0.0


def test_it_comes_back_from_json() -> None:
    known = replace(fitted(labels_of(60)), served=("a", "b"), threshold=0.8)
    assert calibration_from_json(known.to_json()) == known
    for broken in (
        {},
        {**known.to_json(), "slopes": {"x": 1.0}},
        {**known.to_json(), "labels": None},
    ):
        with pytest.raises(ValueError, match="calibration"):
            calibration_from_json(broken)


def test_an_alarm_ends_the_calibrations_before_it() -> None:
    first, second = fitted(labels_of(60)), replace(fitted(labels_of(60)), model="other")
    rows = [(one.model, CALIBRATION, one.to_json()) for one in (first, second)]
    assert list(active_calibrations(rows).judges) == [first, second]
    assert list(active_calibrations([*rows, ("m", ALARM, {})]).judges) == [second]
    newer = replace(first, labels=90)
    assert list(
        active_calibrations(
            [*rows, ("m", ALARM, {}), ("m", CALIBRATION, newer.to_json())]
        ).judges
    ) == [second, newer]
    assert (
        list(active_calibrations([("m", CALIBRATION, {"from": "the future"})]).judges)
        == []
    )


# --- the fit itself ---


def test_the_fit_is_where_the_gradient_vanishes() -> None:
    draw = np.random.default_rng(0)
    features = np.column_stack([draw.normal(size=(200, 3)), np.ones(200)])
    truth = (
        draw.random(200) < sigmoid(features @ np.array([1.0, -2.0, 0.0, 0.5]))
    ).astype(float)
    penalty = np.array([1.0, 1.0, 1.0, 0.0])
    weights = fit_logistic(features, truth, penalty)
    gradient = features.T @ (sigmoid(features @ weights) - truth) + penalty * weights
    assert np.abs(gradient).max() < 1e-6


def test_separated_classes_stay_finite() -> None:
    features = np.array([[-1.0], [1.0]] * 20)
    weights = fit_logistic(
        features, (features[:, 0] > 0).astype(float), np.array([1.0])
    )
    assert 1 < float(weights[0]) < 10


# --- measures ---


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_the_share_of_pairs_in_order(items: list[tuple[int, bool]]) -> None:
    yes = [score for score, true in items if true]
    no = [score for score, true in items if not true]
    if yes and no:
        pairs = [(one > other) + (one == other) / 2 for one in yes for other in no]
        assert auroc(
            [score for score, _ in items], [true for _, true in items]
        ) == pytest.approx(sum(pairs) / len(pairs))


def test_reliability() -> None:
    chances, truth = [0.25] * 4 + [0.95] * 2, [True, False, False, False, True, True]
    assert expected_calibration_error(chances, truth) == pytest.approx(2 / 6 * 0.05)
    assert [(row.count, row.observed) for row in reliability_table(chances, truth)] == [
        (4, 0.25),
        (2, 1.0),
    ]
    assert wilson(0, 10).low == 0.0
    interval = wilson(8, 10)
    assert interval.low == pytest.approx(0.4902, abs=1e-4)
    assert interval.high == pytest.approx(0.9433, abs=1e-4)


# --- a judge against people ---


def opinion(number: int, *, yes: bool, votes: int = 2) -> ResultOpinion:
    return f"r{number}", Opinion(
        question_id="polite",
        question="Is it polite?",
        criterion=POLITE,
        gating=False,
        model="m",
        prompts="p",
        leader=Vote.YES if yes else Vote.NO,
        votes_yes=votes if yes else 0,
        votes_no=0 if yes else votes,
    )


def test_people_who_disagree_decide_by_majority_and_by_their_last_word() -> None:
    labels = [
        ("r1", "q", "ann", True),
        ("r1", "q", "ben", False),
        ("r1", "q", "ben", True),
        ("r2", "q", "ann", True),
    ]
    assert consensus([*labels, ("r2", "q", "ben", False)]) == {("r1", "q"): True}


def test_a_good_judge_is_calibrated_and_certified() -> None:
    truth = {(f"r{number}", "polite"): number % 2 == 0 for number in range(80)}
    (found,) = compare(
        [opinion(n, yes=n % 2 == 0) for n in range(80)], truth, alpha=0.05, delta=0.05
    )
    assert (found.agreement, found.true_positive_rate, found.true_negative_rate) == (
        1.0,
        1.0,
        1.0,
    )
    assert isinstance(found.threshold, Threshold)
    assert found.calibration is not None
    assert found.calibration.threshold == found.threshold.threshold
    assert found.warnings == ()


def test_a_judge_that_says_yes_to_everything_is_noticed() -> None:
    truth = {(f"r{number}", "polite"): number % 2 == 0 for number in range(60)}
    (found,) = compare(
        [opinion(n, yes=True) for n in range(60)], truth, alpha=0.05, delta=0.05
    )
    assert (found.true_positive_rate, found.true_negative_rate) == (1.0, 0.0)
    assert any("yes to everything" in one for one in found.warnings)
    assert any("hardly tells" in one for one in found.warnings)
    assert isinstance(found.threshold, NotCertified)
    assert found.calibration is not None
    assert found.calibration.correctness(
        Signals(yes=2, no=0), POLITE, yes=True
    ) == pytest.approx(0.5, abs=0.02)


def test_a_judge_no_better_than_a_constant_is_noticed() -> None:
    """People say yes to nine of ten; the judge finds half of the rest and misses as many of the many."""
    truth = {(f"r{n}", "polite"): n % 10 != 0 for n in range(100)}
    said = {
        n: (n % 20 != 0 if n % 10 == 0 else n % 10 != 1 or n > 50) for n in range(100)
    }
    (found,) = compare(
        [opinion(n, yes=said[n]) for n in range(100)], truth, alpha=0.05, delta=0.05
    )
    assert found.sides is not None
    counts = found.sides.counts
    assert (counts.true_yes, counts.false_yes, counts.false_no, counts.true_no) == (
        85,
        5,
        5,
        5,
    )
    assert counts.constant_accuracy == 0.9 == found.agreement
    assert any(
        "no better than saying yes to everything (90.0% right)" in one
        for one in found.warnings
    )


def test_a_comparison_holds_every_measure_and_none_where_there_is_nothing() -> None:
    truth = {(f"r{n}", "polite"): n % 2 == 0 for n in range(80)}
    (found,) = compare(
        [opinion(n, yes=n % 2 == 0 or n < 8) for n in range(80)],
        truth,
        alpha=0.05,
        delta=0.05,
    )
    told = found.to_json()
    assert told["confusion"] == {
        "true_yes": 40,
        "false_yes": 4,
        "false_no": 0,
        "true_no": 36,
    }
    assert told["cohen_kappa"] == pytest.approx(0.9)
    assert told["constant_agreement"] == 0.5
    assert found.auroc_raw == pytest.approx((40 * 36 + 40 * 4 / 2) / (40 * 40))
    assert sum(row.count for row in found.reliability) == 80
    (undecided,) = compare(
        [("r0", replace(opinion(0, yes=True)[1], leader=Vote.CANNOT_ASSESS))],
        truth,
        alpha=0.05,
        delta=0.05,
    )
    empty = undecided.to_json()
    assert undecided.sides is None
    assert [
        empty[name] for name in ("confusion", "cohen_kappa", "auroc_raw", "agreement")
    ] == [None] * 4
    assert told.keys() == empty.keys()


def test_too_few_labels_say_how_many_are_missing() -> None:
    truth = {(f"r{number}", "polite"): True for number in range(20)}
    (found,) = compare(
        [opinion(n, yes=True) for n in range(20)], truth, alpha=0.05, delta=0.05
    )
    assert (found.missing_for_calibration, found.calibration) == (10, None)
    assert isinstance(found.threshold, NotCertified)
    assert found.threshold.missing == 39
