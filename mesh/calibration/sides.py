"""Yes/no answers beside people's: counts, rates with intervals, what a constant scores, agreement beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.agreement import Confusion
    from judgemesh.mesh.metrics.intervals import Interval

Decided = Sequence[tuple[bool, bool]]
"""(answer, label) of the questions that were answered yes or no; True is yes."""

_WORDS: Final = {True: "yes", False: "no"}
_MIN_DECIDED: Final = 10
_MIN_YOUDEN: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """How the answers compare with people's. A coefficient is None where chance agreement is complete."""

    counts: Confusion
    cohen_kappa: float | None
    gwet_ac1: float | None
    krippendorff_alpha: float | None

    def to_json(self) -> dict[str, object]:
        """JSON-ready. The intervals are 95 % Jeffreys: of people's yes answered yes, and of people's no answered no."""
        return {
            "confusion": asdict(self.counts),
            "sensitivity_interval": _ends(self.counts.sensitivity()),
            "specificity_interval": _ends(self.counts.specificity()),
            "constant_agreement": self.counts.constant_accuracy,
            "cohen_kappa": self.cohen_kappa,
            "gwet_ac1": self.gwet_ac1,
            "krippendorff_alpha": self.krippendorff_alpha,
        }


def _ends(rate: tuple[float, Interval] | None) -> tuple[float, float] | None:
    if rate is None:
        return None
    _, interval = rate
    return interval.low, interval.high


NO_SIDES: Final[Mapping[str, object]] = dict.fromkeys(
    (
        "confusion",
        "sensitivity_interval",
        "specificity_interval",
        "constant_agreement",
        "cohen_kappa",
        "gwet_ac1",
        "krippendorff_alpha",
    )
)
"""The same keys where no question was decided."""


def sides_of(decided: Decided) -> Sides | None:
    """The comparison; None where no question was decided."""
    if not decided:
        return None
    from judgemesh.mesh.metrics.agreement import (
        cohen_kappa,
        confusion,
        gwet_ac1,
        krippendorff_alpha,
    )

    answers = [answer for answer, _ in decided]
    labels = [label for _, label in decided]
    return Sides(
        counts=confusion(answers, labels),
        cohen_kappa=cohen_kappa(answers, labels),
        gwet_ac1=gwet_ac1(answers, labels),
        krippendorff_alpha=krippendorff_alpha([answers, labels]),
    )


def rate_of(decided: Decided, *, label: bool) -> float | None:
    """Of the questions that people gave this answer to, the share that was answered so; None for no question."""
    questions = matches = 0
    for answer, own_label in decided:
        if own_label is label:
            questions += 1
            matches += answer is label
    return matches / questions if questions else None


def decision_warnings(decided: Decided) -> list[str]:
    """Warnings about answers that hardly depend on the question."""
    warnings: list[str] = []
    answers = [answer for answer, _ in decided]
    labels = {label for _, label in decided}
    enough = len(decided) >= _MIN_DECIDED
    if enough and len(set(answers)) == 1 and len(labels) > 1:
        warnings.append(f"it says {_WORDS[answers[0]]} to everything")
    sensitivity = rate_of(decided, label=True)
    specificity = rate_of(decided, label=False)
    if sensitivity is not None and specificity is not None:
        youden = sensitivity + specificity - 1
        if youden < _MIN_YOUDEN:
            warnings.append(
                f"it hardly tells yes from no: the two rates less 1 come to {youden:.2f}, below {_MIN_YOUDEN}"
            )
    if enough and len(labels) > 1:
        warnings += _no_better_than_a_constant(decided)
    if enough and len(labels) == 1:
        warnings.append(
            "people gave one answer to everything: label questions with the other answer too"
        )
    return warnings


def _no_better_than_a_constant(decided: Decided) -> list[str]:
    right = sum(answer == label for answer, label in decided)
    yes = sum(label for _, label in decided)
    constant = max(yes, len(decided) - yes)
    if right > constant:
        return []
    answer = _WORDS[2 * yes > len(decided)]
    share = constant / len(decided)
    return [f"it is no better than saying {answer} to everything ({share:.1%} right)"]
