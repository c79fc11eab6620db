"""What people's labels say about judges, panels and pairs of judges, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.calibration import CalibrationResult
    from judgemesh.mesh.calibration.drift import Drift
    from judgemesh.mesh.calibration.judges import JudgeComparison
    from judgemesh.mesh.calibration.pairs import PairComparison
    from judgemesh.mesh.calibration.panels import PanelComparison
    from judgemesh.mesh.calibration.sides import Sides
    from judgemesh.mesh.calibration.thresholds import NotCertified, Threshold
    from judgemesh.mesh.metrics.intervals import Interval


def calibration_lines(result: CalibrationResult) -> Iterator[list[str]]:
    """A paragraph for each judge, panel and pair."""
    yield from map(_judge_lines, result.judges)
    yield from map(_panel_lines, result.panels)
    yield from map(_pair_lines, result.pairs)


def _judge_lines(judge: JudgeComparison) -> list[str]:
    from judgemesh.contracts.opinions import VOTES

    backend = ""
    if judge.backend != VOTES:
        backend = f" ({judge.backend.replace('_', ' ')})"
    head = f"{judge.model}{backend}, prompts {judge.prompts[7:19]}"
    lines = [f"{head}: {judge.labels} labelled questions, {judge.decided} decided"]
    if judge.agreement is not None and judge.agreement_interval is not None:
        low, high = judge.agreement_interval
        lines.append(
            f"  agrees with people on {judge.agreement:.1%} (95 % interval {low:.1%} to {high:.1%}); people say yes to "
            f"{judge.base_rate:.1%} of all labelled questions"
        )
    if judge.sides is not None:
        lines += _sides_lines(judge.sides)
    if judge.calibration is None:
        area = _area_words(judge.auroc_raw)
        lines.append(
            f"  not calibrated: {judge.missing_for_calibration} more labels are needed{area}"
        )
    else:
        lines.append(
            f"  calibrated: Brier {judge.brier_raw:.3f} raw, {judge.brier_cross_fitted:.3f} on labels not fitted on"
            f"{_area_words(judge.auroc_raw, judge.auroc_cross_fitted)}"
        )
        lines += _error_lines(judge)
    return [
        *lines,
        _threshold_line(judge.threshold),
        *(f"  warning: {warning}" for warning in judge.warnings),
    ]


def _sides_lines(sides: Sides) -> Iterator[str]:
    """The confusion as a table, the two rates, and what is beyond chance."""
    counts = sides.counts
    yield f"  {'':<14}{'people: yes':>12}{'people: no':>12}"
    yield f"  {'judge: yes':<14}{counts.true_yes:>12}{counts.false_yes:>12}"
    yield f"  {'judge: no':<14}{counts.false_no:>12}{counts.true_no:>12}"
    sensitivity, specificity = counts.sensitivity(), counts.specificity()
    rates = f"yes found {_rate_words(sensitivity)}, no found {_rate_words(specificity)}"
    yield f"  {rates}; one answer to everything would agree on {counts.constant_accuracy:.1%}"
    coefficients = (
        ("Cohen's kappa", sides.cohen_kappa),
        ("Gwet's AC1", sides.gwet_ac1),
        ("Krippendorff's alpha", sides.krippendorff_alpha),
    )
    values: list[str] = []
    for name, coefficient in coefficients:
        value = "has no value"
        if coefficient is not None:
            value = f"{coefficient:.3f}"
        values.append(f"{name} {value}")
    yield f"  beyond chance: {', '.join(values)}"


def _rate_words(rate: tuple[float, Interval] | None) -> str:
    if rate is None:
        return "unknown"
    share, span = rate
    return f"{share:.0%} ({span.low:.0%} to {span.high:.0%})"


def _area_words(raw: float | None, fresh: float | None = None) -> str:
    if raw is None:
        return ""
    area = f"; area under the ROC curve {raw:.3f}"
    if fresh is not None:
        area += f" raw, {fresh:.3f} calibrated"
    return area


def _error_lines(judge: JudgeComparison) -> Iterator[str]:
    """The calibration error beside what chance gives, and the reliability table behind it."""
    words = _error_words(judge.ece_cross_fitted, judge.ece_null)
    if words:
        yield f"  {words.removeprefix('; ')}"
    yield f"  {'P(yes) claimed':>16}{'questions':>11}{'people say yes':>16}   95 % interval"
    for row in judge.reliability:
        yield f"  {row.claimed:>16.2f}{row.count:>11}{row.observed:>16.1%}   {row.low:.1%} to {row.high:.1%}"


def _panel_lines(panel: PanelComparison) -> list[str]:
    worth = f", {panel.n_eff:.1f} effective votes" if panel.calibration else ""
    lines = [f"panel {panel.name}: {panel.labels} labelled questions{worth}"]
    if panel.agreement is not None and panel.agreement_interval is not None:
        low, high = panel.agreement_interval
        lines.append(
            f"  {panel.chosen} agrees with people on {panel.agreement:.1%} (95 % interval {low:.1%} to {high:.1%}), "
            f"{panel.decided} decided"
        )
    if panel.rates:
        rates = ", ".join(f"{name} {rate:.1%}" for name, rate in panel.rates.items())
        lines.append(f"  on labels not fitted on, an abstention counting half: {rates}")
    if panel.calibration is None:
        lines.append(
            f"  majority until it is calibrated: {panel.missing_for_calibration} more labels are needed"
        )
    else:
        lines.append(
            f"  calibrated: Brier {panel.brier_cross_fitted:.3f} on labels not fitted on"
            f"{_error_words(panel.ece_cross_fitted, panel.ece_null)}"
        )
    return [
        *lines,
        _threshold_line(panel.threshold),
        *(f"  warning: {warning}" for warning in panel.warnings),
    ]


def _pair_lines(pair: PairComparison) -> list[str]:
    from judgemesh.mesh.judging.confidence.pairs import Pair

    first, second = pair.models
    head = (
        f"{first}, then {second}: {pair.labels} labelled questions; {pair.drawn} were drawn and asked of both, "
        f"{pair.audited} of these are labelled"
    )
    lines = [head]
    if 0 < pair.audited < pair.drawn:
        lines.append(
            "  the certificate holds for questions like the labelled ones: "
            "choose them at random (label export --audited)"
        )
    certified = pair.certified
    if not isinstance(certified, Pair):
        return [*lines, f"  no thresholds certified: {certified.reason}"]
    first_from, second_from = map(_threshold_text, certified.thresholds)
    certificate = (
        f"  certified together: first judge from {first_from}, second from {second_from}; of all they settle at most "
        f"{certified.alpha:.0%} wrong (delta {certified.delta:.0%}), {certified.coverage:.0%} of the questions"
    )
    return [*lines, certificate]


def _threshold_text(threshold: float) -> str:
    if threshold > 1:
        return "never"
    return f"{threshold:.3f}"


def _threshold_line(certified: Threshold | NotCertified) -> str:
    from judgemesh.mesh.calibration.thresholds import Threshold

    if not isinstance(certified, Threshold):
        return f"  no threshold certified: {certified.reason}"
    return (
        f"  certified: from confidence {certified.threshold:.3f} on at most {certified.alpha:.0%} wrong (delta "
        f"{certified.delta:.0%}), {certified.coverage:.0%} of the verdicts"
    )


def _error_words(error: float | None, null: tuple[float, float] | None) -> str:
    if error is None or null is None:
        return ""
    chance, bound = null
    return (
        f"; calibration error {error:.3f}, where a perfect one shows {chance:.3f} by "
        f"chance (95 % below {bound:.3f})"
    )


def drift_line(model: str, drift: Drift) -> str:
    """How many verdicts of a judge changed between two runs, and whether it alarms."""
    from judgemesh.mesh.calibration.drift import FROZEN_ITEMS, alarm_level

    few = ""
    if drift.items < FROZEN_ITEMS:
        few = f" (fewer than {FROZEN_ITEMS}: small drifts go unnoticed)"
    changed = f"{model}: {drift.flips} of {drift.items} verdicts changed{few}"
    end = "no alarm"
    if drift.alarm:
        end = "alarm: its calibrations no longer hold"
    return f"{changed}, {alarm_level(drift.items)} are tolerated; {end}"


def drift_json(model: str, drift: Drift) -> dict[str, object]:
    """`{model, items, flips, lost, alarm}`."""
    return {
        "model": model,
        "items": drift.items,
        "flips": drift.flips,
        "lost": drift.lost,
        "alarm": drift.alarm,
    }
