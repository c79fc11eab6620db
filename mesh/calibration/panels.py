"""A panel against people: which method of adding its judges up the labels speak for, and how right it then is.

numpy is imported by the first fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.opinions import Opinion, Role
from judgemesh.mesh.calibration.effective_votes import FEW_VOTES, nearly_one
from judgemesh.mesh.calibration.logistic import fit_logistic
from judgemesh.mesh.calibration.panel_choice import choose, cross_fitted_with
from judgemesh.mesh.calibration.panel_methods import METHODS, best_judge
from judgemesh.mesh.calibration.reliability import (
    brier,
    expected_calibration_error,
    null_calibration_error,
    wilson_ends,
)
from judgemesh.mesh.calibration.sides import decision_warnings
from judgemesh.mesh.calibration.thresholds import (
    JudgedItem,
    NotCertified,
    Threshold,
    certify,
)
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    CalibratedWeights,
    PanelCalibration,
    Weights,
    majority_of,
    panel_name,
)
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.ensembles.panel_judge import same_families
from judgemesh.mesh.judging.protocols import Identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:
    from judgemesh.mesh.judging.late import np

_LINE_RIDGE: Final = (1.0, 0.01)
_MIN_GAIN: Final = 0.01
_FOLDS: Final = 5

Scores = list[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelNote:
    """What the judges of a panel said about one question: P(yes) of each before any label, None for no side.

    served: for each judge the models that really answered. broken: which judges broke.
    soft: whether a judge's own probability is in it, not only its votes.
    """

    result_id: str
    question_id: str
    criterion: str
    judges: tuple[Identity, ...]
    chances: tuple[float | None, ...]
    served: tuple[tuple[str, ...], ...]
    broken: tuple[bool, ...] = ()
    soft: bool = False


def panel_note_of(result_id: str, opinion: Opinion) -> PanelNote | None:
    """The note of the panel that a final opinion is by, or was escalated from; None where no panel was asked."""
    first = next(opinion.with_role(Role.FIRST), opinion)
    panel = first if opinion.panel is None else opinion
    if panel.panel is None:
        return None
    members = tuple(panel.with_role(Role.MEMBER))
    return PanelNote(
        result_id=result_id,
        question_id=panel.question_id,
        criterion=panel.criterion,
        judges=tuple(_identity(member) for member in members),
        chances=tuple(member.chance for member in members),
        served=tuple(member.served for member in members),
        broken=tuple(member.error_type is not None for member in members),
        soft=any(member.p_yes is not None for member in members),
    )


def _identity(member: Opinion) -> Identity:
    part = member.part or member
    return part.model, part.prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelComparison:
    """What the labels say about one panel. Rates are None where there is nothing to divide by.

    rates: cross-validated agreement by method, an abstention counting half.
    agreement: of the chosen method on the questions it took a side on, fitted on the other labels.
    ece_null: mean and 95 % quantile of the calibration error by chance alone.
    """

    judges: tuple[Identity, ...]
    labels: int
    decided: int
    n_eff: float
    chosen: str
    rates: Mapping[str, float]
    agreement: float | None
    agreement_interval: tuple[float, float] | None
    calibration: PanelCalibration | None
    missing_for_calibration: int
    threshold: Threshold | NotCertified
    brier_cross_fitted: float | None = None
    ece_cross_fitted: float | None = None
    ece_null: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The models with plus signs."""
        return panel_name(self.judges)

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        certified = isinstance(self.threshold, Threshold)
        judges: list[dict[str, str]] = []
        for model, prompts in self.judges:
            judges.append({"model": model, "prompts": prompts})
        return {
            "judges": judges,
            **{name: getattr(self, name) for name in _PLAIN},
            "rates": dict(self.rates),
            "calibrated": self.calibration is not None,
            "threshold": {"certified": certified, **asdict(self.threshold)},
            "warnings": list(self.warnings),
        }


_PLAIN: Final = (
    "labels",
    "decided",
    "n_eff",
    "chosen",
    "agreement",
    "agreement_interval",
    "missing_for_calibration",
    "brier_cross_fitted",
    "ece_cross_fitted",
    "ece_null",
)


def compare_panels(
    notes: Iterable[PanelNote],
    truth: Mapping[tuple[str, str], bool],
    *,
    alpha: float,
    delta: float,
) -> list[PanelComparison]:
    """One comparison for each panel; of a question judged again the last note counts."""
    groups: dict[tuple[Identity, ...], dict[tuple[str, str], PanelNote]] = {}
    for note in notes:
        key = (note.result_id, note.question_id)
        if key in truth:
            groups.setdefault(note.judges, {})[key] = note
    comparisons: list[PanelComparison] = []
    for judges, group in sorted(groups.items()):
        pairs = [(note, truth[key]) for key, note in sorted(group.items())]
        comparisons.append(_compared(judges, pairs, alpha=alpha, delta=delta))
    return comparisons


@dataclass(slots=True)
class _Fit:
    """The methods that the labels allow, and the scores of every item by weights that were not fitted on it."""

    chosen: str
    n_eff: float
    rates: Mapping[str, float]
    methods: dict[str, CalibratedWeights] = field(
        default_factory=dict[str, CalibratedWeights]
    )
    held_out: dict[str, Scores] = field(default_factory=dict[str, Scores])


def _compared(
    judges: tuple[Identity, ...],
    pairs: Sequence[tuple[PanelNote, bool]],
    *,
    alpha: float,
    delta: float,
) -> PanelComparison:
    notes = [note for note, _ in pairs]
    labels = [label for _, label in pairs]
    chances = np.array([note.chances for note in notes], dtype=np.float64)
    truth = np.array(labels)
    fit = _fitted(chances, truth, soft=any(note.soft for note in notes))
    held_out = fit.held_out[fit.chosen]
    decided: list[tuple[bool, bool]] = []
    for score, label in zip(held_out, labels, strict=True):
        if score:
            decided.append((score > 0.0, label))
    right = sum(answer == label for answer, label in decided)
    # The majority's confidence follows from the votes alone, so labels may certify a threshold on it.
    threshold = certify(_majority_items(pairs), alpha=alpha, delta=delta)
    comparison = PanelComparison(
        judges=judges,
        labels=len(pairs),
        decided=len(decided),
        n_eff=fit.n_eff,
        chosen=fit.chosen,
        rates=fit.rates,
        agreement=right / len(decided) if decided else None,
        agreement_interval=wilson_ends(right, len(decided)) if decided else None,
        calibration=None,
        missing_for_calibration=max(0, MIN_LABELS - len(pairs)),
        threshold=_of_majority(threshold, fit.chosen),
        warnings=(
            *_warnings(judges, fit, chances, truth),
            *decision_warnings(decided),
        ),
    )
    if len(pairs) < MIN_LABELS:
        return comparison
    claims = _held_out_claims(held_out, truth)
    return replace(
        comparison,
        calibration=_calibration(judges, notes, fit, threshold),
        brier_cross_fitted=brier(claims, labels),
        ece_cross_fitted=expected_calibration_error(claims, labels),
        ece_null=null_calibration_error(claims),
    )


def _calibration(
    judges: tuple[Identity, ...],
    notes: Sequence[PanelNote],
    fit: _Fit,
    threshold: Threshold | NotCertified,
) -> PanelCalibration:
    served: list[set[str]] = [set() for _ in judges]
    for note in notes:
        for models, answered in zip(served, note.served, strict=True):
            models.update(answered)
    return PanelCalibration(
        judges=judges,
        labels=len(notes),
        n_eff=fit.n_eff,
        chosen=fit.chosen,
        methods=fit.methods,
        criteria=tuple(sorted({note.criterion for note in notes})),
        served=tuple(tuple(sorted(models)) for models in served),
        threshold=threshold.threshold if isinstance(threshold, Threshold) else None,
        rates=fit.rates,
    )


def _of_majority(
    threshold: Threshold | NotCertified, chosen: str
) -> Threshold | NotCertified:
    """The certificate of the majority; fitted weights have seen the labels, which then prove nothing."""
    if chosen == MAJORITY.method:
        return threshold
    reason = f"{chosen} was fitted on these labels, so that they cannot certify it (--panel majority can be)"
    return NotCertified(labels=threshold.labels, missing=0, reason=reason)


def _fitted(chances: Floats, truth: Bools, *, soft: bool) -> _Fit:
    choice = choose(chances, truth, soft=soft)
    fit = _Fit(chosen=choice.method, n_eff=choice.n_eff, rates=choice.rates)
    one_sided = bool(truth.all()) or not bool(truth.any())
    for name, method in METHODS.items():
        too_few = len(truth) < max(method.min_labels, MIN_LABELS)
        if name != MAJORITY.method and (too_few or one_sided):
            continue
        weights = method.fit(chances, truth)
        if name == MAJORITY.method:
            held_out = [weights.score(row) for row in _with_none(chances)]
        else:
            held_out = _logits(cross_fitted_with(name, chances, truth))
        slope, intercept = _line(held_out, truth)
        fit.methods[name] = CalibratedWeights(
            weights=weights, slope=slope, intercept=intercept
        )
        fit.held_out[name] = held_out
    return fit


def _with_none(chances: Floats) -> list[list[float | None]]:
    """The rows of an array, None for NaN."""
    values = chances.astype(object)
    values[np.isnan(chances)] = None
    rows: list[list[float | None]] = values.tolist()
    return rows


def _logits(chances: Floats) -> Scores:
    """The finite logit of each probability; None for NaN."""
    alone = Weights(method="best_single", judge=0)
    return [alone.score(row) for row in _with_none(chances[:, None])]


def _line(scores: Sequence[float | None], truth: Bools) -> tuple[float, float]:
    """Slope and intercept of P(yes is right) on the score; slope 1 where no item has one."""
    values = np.array(scores, dtype=np.float64)
    known = ~np.isnan(values)
    if not known.any():
        return 1.0, 0.0
    columns = np.column_stack([values[known], np.ones(int(known.sum()))])
    labels = truth[known].astype(np.float64)
    slope, intercept = fit_logistic(columns, labels, np.array(_LINE_RIDGE))
    return float(slope), float(intercept)


def _held_out_claims(scores: Sequence[float | None], truth: Bools) -> list[float]:
    """The calibrated P(yes) of every item, its line fitted on the other folds; .5 where nobody took a side."""
    claims = [0.5] * len(scores)
    for fold in range(_FOLDS):
        scores_of_train = list(scores)
        del scores_of_train[fold::_FOLDS]
        truth_of_train = np.delete(truth, np.s_[fold::_FOLDS])
        slope, intercept = _line(scores_of_train, truth_of_train)
        for index in range(fold, len(scores), _FOLDS):
            score = scores[index]
            if score is not None:
                odds_against = np.exp(-(slope * score + intercept))
                claims[index] = float(1.0 / (1.0 + odds_against))
    return claims


def _majority_items(pairs: Sequence[tuple[PanelNote, bool]]) -> list[JudgedItem]:
    """Of each question with a majority how large its Laplace share is, and whether people agree."""
    items: list[JudgedItem] = []
    for note, label in pairs:
        yes, no = majority_of(note.chances)
        if yes != no:
            share = (max(yes, no) + 1) / (yes + no + 2)
            items.append((share, (yes > no) == label))
    return items


def _warnings(
    judges: tuple[Identity, ...], fit: _Fit, chances: Floats, truth: Bools
) -> tuple[str, ...]:
    warnings: list[str] = []
    if len(truth) >= MIN_LABELS and fit.n_eff < FEW_VOTES:
        warnings.append(nearly_one(fit.n_eff, len(judges)))
    warnings += same_families([model for model, _ in judges])
    if fit.rates:
        best = judges[best_judge(chances, truth)][0]
        gain = fit.rates[fit.chosen] - fit.rates["best_single"]
        if gain < _MIN_GAIN:
            warnings.append(
                f"it agrees with people hardly more often than {best} alone ({gain:+.1%})"
            )
    return tuple(warnings)
