"""A judge against people: agreement, rates, calibration and certified threshold, out of labelled judgements. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from judgemesh.contracts.opinions import PANEL, VOTES, Opinion, Vote
from judgemesh.mesh.calibration.platt_fit import LabelledQuestion, fit, is_saturated
from judgemesh.mesh.calibration.reliability import (
    Bin,
    auroc,
    brier,
    expected_calibration_error,
    null_calibration_error,
    reliability_table,
    wilson_ends,
)
from judgemesh.mesh.calibration.sides import (
    NO_SIDES,
    Sides,
    decision_warnings,
    rate_of,
    sides_of,
)
from judgemesh.mesh.calibration.thresholds import (
    NotCertified,
    Threshold,
    certify,
)
from judgemesh.mesh.calibration.vote_fit import fit_votes
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS, Calibration
from judgemesh.mesh.judging.signals import Signals, signals_of

ResultOpinion = tuple[str, Opinion]
"""A result id, and an opinion about one question of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """What the labels say about one judge with its prompts. Rates are None where there is nothing to divide by.

    labels: judged questions that people answered. decided: how many of these the judge answered yes or no.
    true_positive_rate: of the questions people answered yes, the share the judge did too. true_negative_rate: of no.
    base_rate: the share of the questions people answered yes.
    brier_cross_fitted, ece_cross_fitted: of the calibrated probability on labels it was not fitted on.
    ece_null: the calibration error that a perfectly calibrated judge with these claims shows by chance, its mean and
        95 % quantile.
    sides: the judge's answers beside people's.
    auroc_raw, auroc_cross_fitted: how often a question people say yes to is given more P(yes) than one they say no to,
        None where they gave one answer only.
    reliability: claimed against observed P(yes), of the calibrated probability on labels it was not fitted on; of the
        raw one without a calibration.
    """

    model: str
    prompts: str
    labels: int
    decided: int
    agreement: float | None
    agreement_interval: tuple[float, float] | None
    true_positive_rate: float | None
    true_negative_rate: float | None
    base_rate: float
    calibration: Calibration | None
    missing_for_calibration: int
    threshold: Threshold | NotCertified
    brier_raw: float
    brier_cross_fitted: float | None = None
    ece_cross_fitted: float | None = None
    ece_null: tuple[float, float] | None = None
    sides: Sides | None = None
    auroc_raw: float | None = None
    auroc_cross_fitted: float | None = None
    reliability: tuple[Bin, ...] = ()
    backend: str = VOTES
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        certified = isinstance(self.threshold, Threshold)
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            **(NO_SIDES if self.sides is None else self.sides.to_json()),
            "reliability": [asdict(row) for row in self.reliability],
            "calibrated": self.calibration is not None,
            "threshold": {"certified": certified, **asdict(self.threshold)},
            "warnings": list(self.warnings),
        }


_PLAIN: Final = (
    "model",
    "prompts",
    "labels",
    "decided",
    "agreement",
    "agreement_interval",
    "true_positive_rate",
    "true_negative_rate",
    "base_rate",
    "missing_for_calibration",
    "brier_raw",
    "brier_cross_fitted",
    "ece_cross_fitted",
    "ece_null",
    "auroc_raw",
    "auroc_cross_fitted",
    "backend",
)


def consensus(
    labels: Iterable[tuple[str, str, str, bool]],
) -> dict[tuple[str, str], bool]:
    """What people say about each (result, question): of one person the last word, of several more than half.

    Args:
        labels: result id, question id, labeler, whether the answer is yes; the oldest first.
    """
    last: dict[tuple[str, str], dict[str, bool]] = {}
    for result_id, question_id, labeler, answer in labels:
        last.setdefault((result_id, question_id), {})[labeler] = answer
    agreed: dict[tuple[str, str], bool] = {}
    for question, answers in last.items():
        yes = sum(answers.values())
        no = len(answers) - yes
        if yes != no:
            agreed[question] = yes > no
    return agreed


def compare(
    opinions: Iterable[ResultOpinion],
    truth: Mapping[tuple[str, str], bool],
    *,
    alpha: float,
    delta: float,
) -> list[JudgeComparison]:
    """One comparison for each judge, its prompts and backend; of a question judged again the last opinion counts.

    Opinions of panels, and of judges that broke, say nothing here.
    """
    groups: dict[tuple[str, str, str], dict[tuple[str, str], Opinion]] = {}
    for result_id, opinion in opinions:
        key = (result_id, opinion.question_id)
        if opinion.backend == PANEL or opinion.leader is None or key not in truth:
            continue
        judge = (opinion.model, opinion.prompts, opinion.backend)
        groups.setdefault(judge, {})[key] = opinion
    comparisons: list[JudgeComparison] = []
    for judge, group in sorted(groups.items()):
        pairs = [(opinion, truth[key]) for key, opinion in sorted(group.items())]
        comparisons.append(_compared(judge, pairs, alpha=alpha, delta=delta))
    return comparisons


def _compared(
    judge: tuple[str, str, str],
    pairs: Sequence[tuple[Opinion, bool]],
    *,
    alpha: float,
    delta: float,
) -> JudgeComparison:
    model, prompts, backend = judge
    truths = [truth for _, truth in pairs]
    decided: list[tuple[bool, bool]] = []
    labelled: list[LabelledQuestion] = []
    served: set[str] = set()
    for opinion, truth in pairs:
        if opinion.leader is not Vote.CANNOT_ASSESS:
            decided.append((opinion.leader is Vote.YES, truth))
        question = LabelledQuestion(
            signals=signals_of(opinion), truth=truth, criterion=opinion.criterion
        )
        labelled.append(question)
        served.update(opinion.served)
    right = sum(answer == truth for answer, truth in decided)
    signals = [question.signals for question in labelled]
    saturated = is_saturated(signals)
    if saturated:
        signals = [item.of_votes() for item in signals]
    threshold = certify(_confidences(pairs, signals), alpha=alpha, delta=delta)
    calibration = fit(
        labelled,
        model=model,
        prompts=prompts,
        served=sorted(served),
        backend=backend,
    )
    if calibration is not None and isinstance(threshold, Threshold):
        calibration = replace(calibration, threshold=threshold.threshold)
    if calibration is not None and backend == VOTES:
        calibration = replace(calibration, votes=fit_votes(pairs))
    raw = [_raw(item) for item in signals]
    warnings = decision_warnings(decided)
    if saturated:
        warnings.insert(0, _SATURATED)
    comparison = JudgeComparison(
        model=model,
        prompts=prompts,
        labels=len(pairs),
        decided=len(decided),
        agreement=right / len(decided) if decided else None,
        agreement_interval=wilson_ends(right, len(decided)) if decided else None,
        true_positive_rate=rate_of(decided, label=True),
        true_negative_rate=rate_of(decided, label=False),
        base_rate=sum(truths) / len(truths),
        calibration=calibration,
        missing_for_calibration=max(0, MIN_LABELS - len(pairs)),
        threshold=threshold,
        brier_raw=brier(raw, truths),
        sides=sides_of(decided),
        auroc_raw=_auroc(raw, truths),
        reliability=tuple(reliability_table(raw, truths)),
        backend=backend,
        warnings=tuple(warnings),
    )
    if calibration is None:
        return comparison
    fresh = _cross_fitted(labelled, model, prompts)
    return replace(
        comparison,
        brier_cross_fitted=brier(fresh, truths),
        ece_cross_fitted=expected_calibration_error(fresh, truths),
        ece_null=null_calibration_error(fresh),
        auroc_cross_fitted=_auroc(fresh, truths),
        reliability=tuple(reliability_table(fresh, truths)),
    )


def _confidences(
    pairs: Sequence[tuple[Opinion, bool]], signals: Sequence[Signals]
) -> list[tuple[float, bool]]:
    """Of each decided question how sure the judge is, and whether people agree."""
    sure: list[tuple[float, bool]] = []
    for (opinion, truth), item in zip(pairs, signals, strict=True):
        if opinion.leader is not Vote.CANNOT_ASSESS:
            sure.append((item.confidence, (opinion.leader is Vote.YES) == truth))
    return sure


def _auroc(chances: Sequence[float], truth: Sequence[bool]) -> float | None:
    return auroc(chances, truth) if 0 < sum(truth) < len(truth) else None


_SATURATED: Final = (
    "its own P(yes) is saturated (80 % of them beyond a logit of 6): "
    "it was dropped, and votes alone count"
)


def _raw(signals: Signals) -> float:
    """P(yes) before calibration: the model's own where it gives one and little else was asked, else the votes'."""
    if signals.p_yes is not None and signals.yes + signals.no <= 1:
        return signals.p_yes
    return (signals.yes + 1) / (signals.yes + signals.no + 2)


_FOLDS: Final = 5


def _cross_fitted(
    labelled: Sequence[LabelledQuestion], model: str, prompts: str
) -> list[float]:
    """Calibrated P(yes) of every item, fitted without it; .5 where the other folds say nothing about its criterion."""
    chances = [0.5] * len(labelled)
    for fold in range(_FOLDS):
        train = list(labelled)
        del train[fold::_FOLDS]
        calibration = fit(train, model=model, prompts=prompts, min_labels=1)
        if calibration is None:
            continue
        for index in range(fold, len(labelled), _FOLDS):
            item = labelled[index]
            chance = calibration.p_yes(item.signals, item.criterion)
            if chance is not None:
                chances[index] = chance
    return chances
