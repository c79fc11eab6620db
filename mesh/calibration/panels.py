"""A panel against people: which way of adding its judges up the labels speak for, and how right it then is.

numpy is imported by the first fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.opinions import Opinion, Role
from judgemesh.mesh.calibration.reliability import (
    brier,
    expected_calibration_error,
    null_calibration_error,
    wilson,
)
from judgemesh.mesh.calibration.sides import sided_warnings
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    PanelCalibration,
    Way,
    Weights,
    majority_of,
    panel_name,
)
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.confidence.thresholds import (
    NotCertified,
    Threshold,
    certify,
)
from judgemesh.mesh.judging.port import Identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:
    from judgemesh.mesh.judging.late import np

_TIE: Final = 0.5
_ONE_LINE_RIDGE: Final = (1.0, 0.01)
_LITTLE: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelNote:
    """What a panel noted about one question: P(yes) of each judge before any label, None for no side.

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
    """The note of a panel that was asked, before an escalation or alone; None where no panel was."""
    first = next(opinion.with_role(Role.FIRST), opinion)
    panel = opinion if opinion.panel is not None else first
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

    rates: cross-validated agreement by way, an abstention counting half. agreement: of the chosen way on the questions
    it took a side on, fitted on the other labels. ece_null: mean and 95 % quantile of the error by chance alone.
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
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {
            "judges": [
                {"model": model, "prompts": prompts} for model, prompts in self.judges
            ],
            **plain,
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
        if (note.result_id, note.question_id) in truth:
            groups.setdefault(note.judges, {})[note.result_id, note.question_id] = note
    return [
        _compared(
            judges,
            [(note, truth[key]) for key, note in sorted(group.items())],
            alpha=alpha,
            delta=delta,
        )
        for judges, group in sorted(groups.items())
    ]


@dataclass(slots=True)
class _Fit:
    """The ways that the labels allow, and scores of every item that its way was not fitted on."""

    chosen: str
    n_eff: float
    rates: Mapping[str, float]
    ways: dict[str, Way] = field(default_factory=dict[str, Way])
    fresh: dict[str, list[float | None]] = field(
        default_factory=dict[str, list[float | None]]
    )


def _compared(
    judges: tuple[Identity, ...],
    pairs: Sequence[tuple[PanelNote, bool]],
    *,
    alpha: float,
    delta: float,
) -> PanelComparison:
    chances = np.array(
        [[np.nan if p is None else p for p in note.chances] for note, _ in pairs]
    )
    truth = np.array([label for _, label in pairs])
    fit = _fitted(chances, truth, soft=any(note.soft for note, _ in pairs))
    sides = [_side(score) for score in fit.fresh[fit.chosen]]
    taken = [
        (side, label)
        for side, (_, label) in zip(sides, pairs, strict=True)
        if side is not None
    ]
    decided = [side == label for side, label in taken]
    # The majority's confidence follows from the votes alone, so labels may certify a threshold on it.
    sure = [_majority_said(note.chances, label) for note, label in pairs]
    threshold = certify(
        [one for one in sure if one is not None], alpha=alpha, delta=delta
    )
    calibration, claims = None, None
    if len(pairs) >= MIN_LABELS:
        calibration = PanelCalibration(
            judges=judges,
            labels=len(pairs),
            n_eff=fit.n_eff,
            chosen=fit.chosen,
            ways=fit.ways,
            criteria=tuple(sorted({note.criterion for note, _ in pairs})),
            served=tuple(
                tuple(sorted({name for note, _ in pairs for name in note.served[at]}))
                for at in range(len(judges))
            ),
            threshold=threshold.threshold if isinstance(threshold, Threshold) else None,
            rates=fit.rates,
        )
        claims = _held_out_claims(fit.fresh[fit.chosen], truth)
    labels = [bool(label) for label in truth]
    return PanelComparison(
        judges=judges,
        labels=len(pairs),
        decided=len(decided),
        n_eff=fit.n_eff,
        chosen=fit.chosen,
        rates=fit.rates,
        agreement=sum(decided) / len(decided) if decided else None,
        agreement_interval=wilson(sum(decided), len(decided)) if decided else None,
        calibration=calibration,
        missing_for_calibration=max(0, MIN_LABELS - len(pairs)),
        threshold=_of_majority(threshold, fit.chosen),
        brier_cross_fitted=None if claims is None else brier(claims, labels),
        ece_cross_fitted=None
        if claims is None
        else expected_calibration_error(claims, labels),
        ece_null=None if claims is None else null_calibration_error(claims),
        warnings=(*_warnings(judges, fit, chances, truth), *sided_warnings(taken)),
    )


def _of_majority(
    threshold: Threshold | NotCertified, chosen: str
) -> Threshold | NotCertified:
    """The certificate is the majority's; fitted weights have seen the labels, which then prove nothing."""
    if chosen == MAJORITY.method:
        return threshold
    reason = f"{chosen} was fitted on these labels, so that they cannot certify it (--panel majority can be)"
    return NotCertified(labels=threshold.labels, missing=0, reason=reason)


def _fitted(chances: Floats, truth: Bools, *, soft: bool) -> _Fit:
    from judgemesh.mesh.judging.ensembles.panel import (
        METHODS,
        choose,
        cross_fitted_with,
        fitted,
    )

    choice = choose(chances, truth, soft=soft)
    fit = _Fit(chosen=choice.method, n_eff=choice.n_eff, rates=choice.rates)
    one_sided = bool(truth.all()) or not bool(truth.any())
    for name, (least, _) in METHODS.items():
        if name != MAJORITY.method and (
            len(truth) < max(least, MIN_LABELS) or one_sided
        ):
            continue
        weights = fitted(name, chances, truth)
        fresh = _scores(name, weights, chances, cross_fitted_with(name, chances, truth))
        slope, intercept = _line(fresh, truth)
        fit.ways[name] = Way(weights=weights, slope=slope, intercept=intercept)
        fit.fresh[name] = fresh
    return fit


def _scores(
    name: str, weights: Weights, chances: Floats, held_out: Floats
) -> list[float | None]:
    """The score of every item by weights that were not fitted on it."""
    if name == MAJORITY.method:
        return [weights.score(_row(row)) for row in chances.tolist()]
    fixed = Weights(method="best_single", judge=0)
    return [fixed.score([None if p != p else p]) for p in held_out.tolist()]  # noqa: PLR0124 (NaN is no number)


def _row(row: Sequence[float]) -> list[float | None]:
    return [None if p != p else p for p in row]  # noqa: PLR0124 (NaN is no number)


def _line(scores: Sequence[float | None], truth: Bools) -> tuple[float, float]:
    """Slope and intercept of P(yes is right) on the score; slope 1 where no item has one."""
    from judgemesh.mesh.judging.confidence.logistic import fit_logistic

    given = [
        (score, bool(label))
        for score, label in zip(scores, truth, strict=True)
        if score is not None
    ]
    if not given:
        return 1.0, 0.0
    columns = np.array([[score, 1.0] for score, _ in given])
    slope, intercept = fit_logistic(
        columns,
        np.array([float(label) for _, label in given]),
        np.array(_ONE_LINE_RIDGE),
    )
    return float(slope), float(intercept)


def _held_out_claims(
    scores: Sequence[float | None], truth: Bools, folds: int = 5
) -> list[float]:
    """The calibrated P(yes) of every item, its line fitted on the other folds; .5 where nobody took a side."""
    claims = [0.5] * len(scores)
    for fold in range(folds):
        train = [at for at in range(len(scores)) if at % folds != fold]
        slope, intercept = _line([scores[at] for at in train], truth[train])
        for at in range(fold, len(scores), folds):
            score = scores[at]
            claims[at] = (
                0.5
                if score is None
                else float(1.0 / (1.0 + np.exp(-(slope * score + intercept))))
            )
    return claims


def _majority_said(
    chances: Sequence[float | None],
    label: bool,  # noqa: FBT001
) -> tuple[float, bool] | None:
    yes, no = majority_of(chances)
    return (
        None
        if yes == no
        else ((max(yes, no) + 1) / (yes + no + 2), (yes > no) == label)
    )


def _side(score: float | None) -> bool | None:
    return None if score is None or score == 0.0 else score > 0.0


def _warnings(
    judges: tuple[Identity, ...], fit: _Fit, chances: Floats, truth: Bools
) -> tuple[str, ...]:
    from judgemesh.mesh.judging.ensembles.panel import FEW_VOTES, best_judge, nearly_one
    from judgemesh.mesh.judging.ensembles.panel_judge import same_families

    found: list[str] = []
    if len(truth) >= MIN_LABELS and fit.n_eff < FEW_VOTES:
        found.append(nearly_one(fit.n_eff, len(judges)))
    found += same_families([model for model, _ in judges])
    if fit.rates:
        best = judges[best_judge(chances, truth)][0]
        gain = fit.rates[fit.chosen] - fit.rates["best_single"]
        if gain < _LITTLE:
            found.append(
                f"it agrees with people hardly more often than {best} alone ({gain:+.1%})"
            )
    return tuple(found)
