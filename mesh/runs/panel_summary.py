"""A run's panel in numbers: how many independent judges it is worth, how often they differ, what to beware of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from judgemesh.contracts.opinions import Opinion
from judgemesh.mesh.calibration.panels import PanelNote, panel_note_of
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.ensembles.panel_judge import same_families
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.metrics.agreement import cohen_kappa

FEW_VOTES: Final = 1.5
"""Below so many effective votes a panel is nearly one judge."""

_TIE: Final = 0.5
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSummary:
    """A panel over the questions of one run.

    judges: their models. questions: those the panel was asked. unanimous: those on which all that took a side took the
    same one, of `contested`, those on which at least two did. open, broken: by model, how often it took no side, and
    how often it broke.
    n_eff: effective votes; None while no two judges took a side on the same question. n_eff_from: `labels` (their
    errors on `labels` labelled questions) or `agreement` (beyond chance: a cautious figure, because judges who are
    right agree too).
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
        """For people: `3 judges, 1.8 effective votes by their errors on 64 labels; agreed on 40 of 52 questions`."""
        worth = "effective votes unknown"
        if self.n_eff is not None and self.n_eff_from == "labels":
            worth = f"{self.n_eff:.1f} effective votes by their errors on {self.labels} labels"
        elif self.n_eff is not None:
            worth = f"about {self.n_eff:.1f} effective votes by their agreement beyond chance, without labels"
        return f"{len(self.judges)} judges, {worth}; unanimous on {self.unanimous:,} of {self.contested:,} questions"


@dataclass(slots=True)
class PanelTally:
    """Adds a run's verdicts up, a row at a time."""

    truth: Mapping[tuple[str, str], bool] = field(
        default_factory=dict[tuple[str, str], bool]
    )
    judges: tuple[Identity, ...] = ()
    notes: dict[tuple[str, str], PanelNote] = field(
        default_factory=dict[tuple[str, str], "PanelNote"]
    )
    liked: int = 0

    def add(self, result_id: str, opinion: Opinion) -> None:
        """Count one final opinion; one without a panel says nothing."""
        note = panel_note_of(result_id, opinion)
        if note is None or (self.judges and note.judges != self.judges):
            return
        self.judges = note.judges
        self.notes[note.result_id, note.question_id] = note
        self.liked += opinion.same_family

    def summary(self) -> PanelSummary | None:
        """The panel in numbers; None where there was none."""
        if not self.judges:
            return None
        models = tuple(model for model, _ in self.judges)
        notes = list(self.notes.values())
        sides = [[_side(p) for p in note.chances] for note in notes]
        taken = [[side for side in row if side is not None] for row in sides]
        labelled = [
            (row, self.truth[key])
            for key, row in zip(self.notes, sides, strict=True)
            if key in self.truth
        ]
        by_labels = len(labelled) >= MIN_LABELS
        n_eff = _by_errors(labelled) if by_labels else by_agreement(sides)
        contested = [row for row in taken if len(row) >= _PAIR]
        return PanelSummary(
            judges=models,
            questions=len(notes),
            contested=len(contested),
            unanimous=sum(len(set(row)) == 1 for row in contested),
            open={
                model: sum(note.chances[at] is None for note in notes)
                for at, model in enumerate(models)
            },
            broken={
                model: sum(note.broken[at] for note in notes)
                for at, model in enumerate(models)
            },
            n_eff=n_eff,
            n_eff_from="labels" if by_labels else "agreement",
            labels=len(labelled),
            warnings=self._warnings(models, n_eff, by_labels=by_labels),
        )

    def _warnings(
        self, models: tuple[str, ...], n_eff: float | None, *, by_labels: bool
    ) -> tuple[str, ...]:
        found: list[str] = []
        if n_eff is not None and n_eff < FEW_VOTES:
            why = "" if by_labels else ", to go by how often they agree"
            rest = (
                ""
                if by_labels
                else "; labels tell whether that is because they are right (judgemesh label export)"
            )
            found.append(
                f"{len(models)} judges carry {n_eff:.1f} effective votes{why}: the panel is nearly one judge{rest}"
            )
        found += same_families(models)
        if self.liked:
            found.append(
                f"a judge of the panel is of the agent's own model family ({self.liked} questions): models tend to "
                "prefer their own family's work"
            )
        return tuple(found)


def by_agreement(sides: Sequence[Sequence[bool | None]]) -> float | None:
    """Effective votes k / (1 + (k-1) kappa), kappa the mean of Cohen's over pairs of judges; None without a pair.

    A cautious figure: judges who are all right agree as much as judges who all err together. Two judges that said one
    thing to everything show no independence and count as agreeing.
    """
    judges = len(sides[0]) if sides else 0
    kappas: list[float] = []
    for one, other in combinations(range(judges), _PAIR):
        both = [
            (row[one], row[other])
            for row in sides
            if row[one] is not None and row[other] is not None
        ]
        if both:
            kappa = cohen_kappa(
                [left for left, _ in both], [right for _, right in both]
            )
            kappas.append(1.0 if kappa is None else kappa)
    if not kappas:
        return None
    rho = min(1.0, max(0.0, sum(kappas) / len(kappas)))
    return judges / (1.0 + (judges - 1) * rho)


def _by_errors(labelled: Sequence[tuple[Sequence[bool | None], bool]]) -> float:
    import numpy as np

    from judgemesh.mesh.judging.ensembles.panel import effective_votes

    errors = [
        [np.nan if side is None else float(side != truth) for side in row]
        for row, truth in labelled
    ]
    return effective_votes(np.array(errors))


def _side(chance: float | None) -> bool | None:
    return None if chance is None or chance == _TIE else chance > _TIE
