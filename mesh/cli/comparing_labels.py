"""What people's labels say about everybody who was asked: judges, panels, pairs of judges. Gathered, stored, told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgemesh.contracts.opinions import Opinion
    from judgemesh.mesh.calibration.judges import Comparison, ResultOpinion
    from judgemesh.mesh.calibration.panels import PanelComparison, PanelNote
    from judgemesh.mesh.calibration.sides import Sides
    from judgemesh.mesh.judging.confidence.pairs import DrawnQuestion, PairComparison
    from judgemesh.mesh.judging.confidence.thresholds import NotCertified, Threshold
    from judgemesh.mesh.ledger.labels import CalibrationRow
    from judgemesh.mesh.metrics.intervals import Interval

Key = tuple[str, str]
"""Result and question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The outcome of one calibration."""

    judges: list[Comparison]
    panels: list[PanelComparison]
    pairs: list[PairComparison]

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "judges": [one.to_json() for one in self.judges],
            "panels": [one.to_json() for one in self.panels],
            "pairs": [one.to_json() for one in self.pairs],
        }

    def rows(self, now: datetime) -> Iterator[CalibrationRow]:
        """What later runs go by, as rows of `judge_calibration`."""
        yield from (
            row for one in self.judges if (row := _judge_row(one, now)) is not None
        )
        yield from (
            row for one in self.panels if (row := _panel_row(one, now)) is not None
        )
        yield from (
            row for one in self.pairs if (row := _pair_row(one, now)) is not None
        )


def pair_of(config: Mapping[str, Any]) -> Key | None:
    """The two models of a run with an escalation; None for a run without one."""
    judge: Any = config.get("judge")
    second = judge.get("escalate") if isinstance(judge, dict) else None
    if not isinstance(second, dict):
        return None
    return str(judge.get("model")), str(second.get("model"))


@dataclass(slots=True)
class Gathered:
    """What judges said about labelled questions of runs. `truth`: what people say, by result and question."""

    truth: Mapping[Key, bool]
    opinions: list[ResultOpinion] = field(default_factory=list["ResultOpinion"])
    notes: list[PanelNote] = field(default_factory=list["PanelNote"])
    drawn: list[DrawnQuestion] = field(default_factory=list["DrawnQuestion"])
    of_pairs: dict[Key, set[Key]] = field(default_factory=dict[Key, set[Key]])

    def add(self, result_id: str, opinion: Opinion, pair: Key | None) -> None:
        """Take one final opinion in. `pair`: the two models of a run with an escalation."""
        from judgemesh.mesh.calibration.panels import panel_note_of
        from judgemesh.mesh.judging.confidence.pairs import drawn_question

        key = (result_id, opinion.question_id)
        if key in self.truth:
            self.opinions += [(result_id, one) for one in opinion.all()]
            if pair is not None:
                self.of_pairs.setdefault(pair, set()).add(key)
        note = panel_note_of(result_id, opinion)
        if note is not None:
            self.notes.append(note)
        drawn = drawn_question(result_id, opinion)
        if drawn is not None:
            self.drawn.append(drawn)

    def compared(self, *, alpha: float, delta: float) -> Found:
        """What the labels say."""
        from judgemesh.mesh.calibration.judges import compare
        from judgemesh.mesh.calibration.panels import compare_panels
        from judgemesh.mesh.judging.confidence.pairs import compare_pairs

        labels = {pair: len(keys) for pair, keys in self.of_pairs.items()}
        return Found(
            judges=compare(self.opinions, self.truth, alpha=alpha, delta=delta),
            panels=compare_panels(self.notes, self.truth, alpha=alpha, delta=delta),
            pairs=compare_pairs(
                self.drawn, self.truth, labels=labels, alpha=alpha, delta=delta
            ),
        )


# --- rows ---


def _judge_row(found: Comparison, now: datetime) -> CalibrationRow | None:
    from judgemesh.mesh.judging.confidence.active import CALIBRATION
    from judgemesh.mesh.ledger.labels import CalibrationRow

    if found.calibration is None:
        return None
    return CalibrationRow(
        model=found.model,
        method=CALIBRATION,
        created_at=now,
        prompt_digest=found.prompts,
        label_count=found.labels,
        true_positive_rate=found.true_positive_rate,
        true_negative_rate=found.true_negative_rate,
        parameters=found.calibration.to_json(),
    )


def _panel_row(found: PanelComparison, now: datetime) -> CalibrationRow | None:
    from judgemesh.mesh.judging.confidence.active import PANEL_CALIBRATION
    from judgemesh.mesh.ledger.labels import CalibrationRow

    if found.calibration is None:
        return None
    return CalibrationRow(
        model=found.name,
        method=PANEL_CALIBRATION,
        created_at=now,
        label_count=found.labels,
        parameters=found.calibration.to_json(),
    )


def _pair_row(found: PairComparison, now: datetime) -> CalibrationRow | None:
    from judgemesh.mesh.judging.confidence.active import (
        NO_PAIR_CERTIFICATE,
        PAIR_CERTIFICATE,
    )
    from judgemesh.mesh.judging.confidence.pairs import Pair
    from judgemesh.mesh.ledger.labels import CalibrationRow

    if found.stages is None:
        return None
    certified = isinstance(found.certified, Pair)
    return CalibrationRow(
        model=" -> ".join(found.models),
        method=PAIR_CERTIFICATE if certified else NO_PAIR_CERTIFICATE,
        created_at=now,
        label_count=found.audited,
        parameters=(
            found.certified.to_json()
            if isinstance(found.certified, Pair)
            else {"stages": [list(stage) for stage in found.stages]}
        ),
    )


# --- for people ---


def comparison_lines(found: Found) -> Iterator[list[str]]:
    """A paragraph for each judge, panel and pair."""
    yield from map(_judge_lines, found.judges)
    yield from map(_panel_lines, found.panels)
    yield from map(_pair_lines, found.pairs)


def _judge_lines(found: Comparison) -> list[str]:
    from judgemesh.contracts.opinions import VOTES

    way = "" if found.backend == VOTES else f" ({found.backend.replace('_', ' ')})"
    lines = [
        f"{found.model}{way}, prompts {found.prompts[7:19]}: {found.labels} labelled questions, {found.decided} decided"
    ]
    if found.agreement is not None and found.agreement_interval is not None:
        low, high = found.agreement_interval
        lines.append(
            f"  agrees with people on {found.agreement:.1%} (95 % interval {low:.1%} to {high:.1%}); people say yes to "
            f"{found.base_rate:.1%}"
        )
    if found.sides is not None:
        lines += _sides_lines(found.sides)
    if found.calibration is None:
        area = _area_words(found.auroc_raw)
        lines.append(
            f"  not calibrated: {found.missing_for_calibration} more labels are needed{area}"
        )
    else:
        lines.append(
            f"  calibrated: Brier {found.brier_raw:.3f} raw, {found.brier_cross_fitted:.3f} on labels not fitted on"
            f"{_area_words(found.auroc_raw, found.auroc_cross_fitted)}"
        )
        lines += _error_lines(found)
    return [
        *lines,
        _threshold_line(found.threshold),
        *(f"  warning: {warning}" for warning in found.warnings),
    ]


def _sides_lines(sides: Sides) -> Iterator[str]:
    """The confusion as a table, the two rates, and what is beyond chance."""
    counts = sides.counts
    yield f"  {'':<14}{'people: yes':>12}{'people: no':>12}"
    yield f"  {'judge: yes':<14}{counts.true_yes:>12}{counts.false_yes:>12}"
    yield f"  {'judge: no':<14}{counts.false_no:>12}{counts.true_no:>12}"
    sensitivity, specificity = counts.sensitivity(), counts.specificity()
    rates = (
        f"{name} found {_rate_words(rate)}"
        for name, rate in (("yes", sensitivity), ("no", specificity))
    )
    yield f"  {', '.join(rates)}; one answer to everything would agree on {counts.constant_accuracy:.1%}"
    coefficients = (
        ("Cohen's kappa", sides.cohen_kappa),
        ("Gwet's AC1", sides.gwet_ac1),
        ("Krippendorff's alpha", sides.krippendorff_alpha),
    )
    told = (
        f"{name} {'has no value' if value is None else f'{value:.3f}'}"
        for name, value in coefficients
    )
    yield f"  beyond chance: {', '.join(told)}"


def _rate_words(rate: tuple[float, Interval] | None) -> str:
    if rate is None:
        return "unknown"
    share, span = rate
    return f"{share:.0%} ({span.low:.0%} to {span.high:.0%})"


def _area_words(raw: float | None, fresh: float | None = None) -> str:
    if raw is None:
        return ""
    return f"; area under the ROC curve {raw:.3f}" + (
        "" if fresh is None else f" raw, {fresh:.3f} calibrated"
    )


def _error_lines(found: Comparison) -> Iterator[str]:
    """The calibration error beside what chance gives, and the reliability table behind it."""
    if words := _error_words(found.ece_cross_fitted, found.ece_null):
        yield f"  {words.removeprefix('; ')}"
    yield f"  {'P(yes) claimed':>16}{'questions':>11}{'people say yes':>16}   95 % interval"
    for row in found.reliability:
        yield f"  {row.claimed:>16.2f}{row.count:>11}{row.observed:>16.1%}   {row.low:.1%} to {row.high:.1%}"


def _panel_lines(found: PanelComparison) -> list[str]:
    worth = f", {found.n_eff:.1f} effective votes" if found.calibration else ""
    lines = [f"panel {found.name}: {found.labels} labelled questions{worth}"]
    if found.agreement is not None and found.agreement_interval is not None:
        low, high = found.agreement_interval
        lines.append(
            f"  {found.chosen} agrees with people on {found.agreement:.1%} (95 % interval {low:.1%} to {high:.1%}), "
            f"{found.decided} decided"
        )
    if found.rates:
        rates = ", ".join(f"{name} {rate:.1%}" for name, rate in found.rates.items())
        lines.append(f"  on labels not fitted on, an abstention counting half: {rates}")
    if found.calibration is None:
        lines.append(
            f"  majority until it is calibrated: {found.missing_for_calibration} more labels are needed"
        )
    else:
        lines.append(
            f"  calibrated: Brier {found.brier_cross_fitted:.3f} on labels not fitted on"
            f"{_error_words(found.ece_cross_fitted, found.ece_null)}"
        )
    return [
        *lines,
        _threshold_line(found.threshold),
        *(f"  warning: {warning}" for warning in found.warnings),
    ]


def _pair_lines(found: PairComparison) -> list[str]:
    from judgemesh.mesh.judging.confidence.pairs import Pair

    first, second = found.models
    head = (
        f"{first}, then {second}: {found.labels} labelled questions; {found.drawn} were drawn and asked of both, "
        f"{found.audited} of these are labelled"
    )
    lines = [head]
    if 0 < found.audited < found.drawn:
        lines.append(
            "  the promise is about questions like the labelled ones: choose them at random (label export --audited)"
        )
    certified = found.certified
    if not isinstance(certified, Pair):
        return [*lines, f"  no thresholds certified: {certified.reason}"]
    one, other = (
        f"{least:.3f}" if least <= 1 else "never" for least in certified.thresholds
    )
    told = (
        f"  certified together: first judge from {one}, second from {other}; of all they settle at most "
        f"{certified.alpha:.0%} wrong (delta {certified.delta:.0%}), {certified.coverage:.0%} of the questions"
    )
    return [*lines, told]


def _threshold_line(certified: Threshold | NotCertified) -> str:
    from judgemesh.mesh.judging.confidence.thresholds import Threshold

    if not isinstance(certified, Threshold):
        return f"  no threshold certified: {certified.reason}"
    return (
        f"  certified: from confidence {certified.threshold:.3f} on at most {certified.alpha:.0%} wrong (delta "
        f"{certified.delta:.0%}), {certified.coverage:.0%} of the verdicts"
    )


def _error_words(error: float | None, null: tuple[float, float] | None) -> str:
    if error is None or null is None:
        return ""
    return f"; calibration error {error:.3f}, where a perfect one shows {null[0]:.3f} by chance (95 % below {null[1]:.3f})"  # noqa: E501
