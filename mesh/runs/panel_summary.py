"""A run's panel in numbers: how many independent judges it is worth, how often they differ, and warnings. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from judgemesh.contracts.opinions import Opinion
from judgemesh.mesh.calibration.effective_votes import (
    FEW_VOTES,
    effective_votes,
    nearly_one,
)
from judgemesh.mesh.calibration.panels import PanelNote, panel_note_of
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.ensembles.panel_judge import same_families
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.metrics.agreement import cohen_kappa

_TIE: Final = 0.5
_PAIR: Final = 2


Sides = Sequence[bool | None]
"""What each judge says to one question, None for no side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSummary:
    """A panel over the questions of one run.

    judges: their models. questions: how many the panel was asked.
    contested: on how many at least two judges took a side. unanimous: on how many of these all took the same side.
    open, broken: by model, how often it took no side, and how often it broke.
    n_eff: effective votes; None while no two judges took a side on the same question.
    n_eff_from: `labels` (their errors on `labels` labelled questions) or `agreement` (beyond chance: a cautious figure,
        because judges who are right agree too).
    """

    judges: tuple[str, ...]
    questions: int
    contested: int
    unanimous: int
    open: Mapping[str, int]
    broken: Mapping[str, int]
    n_eff: float | None
    n_eff_from: str
    labels: int
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "judges": list(self.judges),
            "questions": self.questions,
            "contested": self.contested,
            "unanimous": self.unanimous,
            "open": dict(self.open),
            "broken": dict(self.broken),
            "n_eff": None if self.n_eff is None else round(self.n_eff, 3),
            "n_eff_from": self.n_eff_from,
            "labels": self.labels,
            "warnings": list(self.warnings),
        }

    def line(self) -> str:
        """For people: `3 judges, 1.8 effective votes by their errors on 64 labels; unanimous on 40 of the 52 questions
        that two judges or more answered (60 asked)`.
        """
        worth = "effective votes unknown"
        if self.n_eff is not None and self.n_eff_from == "labels":
            worth = f"{self.n_eff:.1f} effective votes by their errors on {self.labels} labels"
        elif self.n_eff is not None:
            worth = f"about {self.n_eff:.1f} effective votes by their agreement beyond chance, without labels"
        answered = f"unanimous on {self.unanimous:,} of {self.contested:,} questions"
        if self.contested < self.questions:
            answered = (
                f"unanimous on {self.unanimous:,} of the {self.contested:,} questions that two judges or more answered"
                f" ({self.questions:,} asked)"
            )
        return f"{len(self.judges)} judges, {worth}; {answered}"


@dataclass(slots=True)
class PanelTally:
    """Adds up the opinions of a run, one at a time. `truth`: what people say, by result and question."""

    truth: Mapping[tuple[str, str], bool] = field(
        default_factory=dict[tuple[str, str], bool]
    )
    judges: tuple[Identity, ...] = ()
    notes: dict[tuple[str, str], PanelNote] = field(
        default_factory=dict[tuple[str, str], "PanelNote"]
    )
    same_family: int = 0

    def add(self, result_id: str, opinion: Opinion) -> None:
        """Count one final opinion; one without a panel, or by other judges than the first panel, is ignored."""
        note = panel_note_of(result_id, opinion)
        if note is None or (self.judges and note.judges != self.judges):
            return
        self.judges = note.judges
        self.notes[note.result_id, note.question_id] = note
        self.same_family += opinion.same_family

    def summary(self) -> PanelSummary | None:
        """The panel in numbers; None where there was none."""
        if not self.judges:
            return None
        models = tuple(model for model, _ in self.judges)
        sides: list[Sides] = []
        labelled: list[tuple[Sides, bool]] = []
        contested = unanimous = 0
        missing = dict.fromkeys(models, 0)
        broken = dict.fromkeys(models, 0)
        for key, note in self.notes.items():
            note_sides = [_side(chance) for chance in note.chances]
            sides.append(note_sides)
            if key in self.truth:
                labelled.append((note_sides, self.truth[key]))
            yes, no = note_sides.count(True), note_sides.count(False)
            contested += yes + no > 1
            unanimous += yes + no > 1 and not (yes and no)
            for model, chance, broke in zip(
                models, note.chances, note.broken, strict=True
            ):
                missing[model] += chance is None
                broken[model] += broke
        by_labels = len(labelled) >= MIN_LABELS
        n_eff = _by_errors(labelled) if by_labels else by_agreement(sides)
        return PanelSummary(
            judges=models,
            questions=len(self.notes),
            contested=contested,
            unanimous=unanimous,
            open=missing,
            broken=broken,
            n_eff=n_eff,
            n_eff_from="labels" if by_labels else "agreement",
            labels=len(labelled),
            warnings=(
                *_broken(broken, len(self.notes)),
                *self._warnings(models, n_eff, by_labels=by_labels),
            ),
        )

    def _warnings(
        self, models: tuple[str, ...], n_eff: float | None, *, by_labels: bool
    ) -> tuple[str, ...]:
        warnings: list[str] = []
        if n_eff is not None and n_eff < FEW_VOTES:
            warnings.append(_few_votes(len(models), n_eff, by_labels=by_labels))
        warnings += same_families(models)
        if self.same_family:
            warnings.append(
                f"a judge of the panel is of the agent's own model family ({self.same_family} questions): "
                "models tend to prefer their own family's work"
            )
        return tuple(warnings)


def _broken(broken: Mapping[str, int], questions: int) -> list[str]:
    """A warning for each judge that broke on half of the questions or more."""
    return [
        f"{model} broke on {count:,} of {questions:,} questions and had no vote there: "
        "the panel is smaller than it looks (judgemesh report RESULT_ID shows its replies)"
        for model, count in broken.items()
        if 2 * count >= questions > 0 < count
    ]


def _few_votes(judges: int, n_eff: float, *, by_labels: bool) -> str:
    if by_labels:
        return nearly_one(n_eff, judges)
    return (
        f"{judges} judges carry {n_eff:.1f} effective votes, to go by how often they agree: "
        "the panel is nearly one judge; labels tell whether that is because "
        "they are right (judgemesh label export)"
    )


def by_agreement(sides: Sequence[Sides]) -> float | None:
    """Effective votes k / (1 + (k-1) kappa), kappa the mean of Cohen's over pairs of judges; None without a pair.

    A cautious figure: judges who are all right agree as much as judges who all err together. Two judges that give one
    answer to everything show no independence and count as agreeing.
    """
    judges = len(sides[0]) if sides else 0
    kappas: list[float] = []
    for first, second in combinations(range(judges), _PAIR):
        firsts: list[bool] = []
        seconds: list[bool] = []
        for question in sides:
            side, other = question[first], question[second]
            if side is not None and other is not None:
                firsts.append(side)
                seconds.append(other)
        if firsts:
            kappa = cohen_kappa(firsts, seconds)
            kappas.append(1.0 if kappa is None else kappa)
    if not kappas:
        return None
    rho = min(1.0, max(0.0, sum(kappas) / len(kappas)))
    return judges / (1.0 + (judges - 1) * rho)


def _by_errors(labelled: Sequence[tuple[Sides, bool]]) -> float:
    """Effective votes from the errors of each judge, NaN where it took no side."""
    import numpy as np

    errors: list[list[float]] = []
    for sides, truth in labelled:
        row: list[float] = []
        for side in sides:
            row.append(math.nan if side is None else float(side != truth))
        errors.append(row)
    return effective_votes(np.array(errors, dtype=np.float64))


def _side(chance: float | None) -> bool | None:
    return None if chance is None or chance == _TIE else chance > _TIE
