"""Yes/no answers beside people's: counts, rates with intervals, what a constant scores, agreement beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.agreement import Confusion

Sided = Sequence[tuple[bool, bool]]
"""(said, truth) of the questions on which a side was taken; True is yes."""

_ONE_SIDED: Final = 10
_CHANCE: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """How the sides that were taken compare with people's. A coefficient is None where chance agreement is complete."""

    counts: Confusion
    cohen_kappa: float | None
    gwet_ac1: float | None
    krippendorff_alpha: float | None

    @property
    def sensitivity_interval(self) -> tuple[float, float] | None:
        """95 % Jeffreys interval of the share of people's yes that was answered yes."""
        found = self.counts.sensitivity()
        return None if found is None else (found[1].low, found[1].high)

    @property
    def specificity_interval(self) -> tuple[float, float] | None:
        """95 % Jeffreys interval of the share of people's no that was answered no."""
        found = self.counts.specificity()
        return None if found is None else (found[1].low, found[1].high)

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "confusion": asdict(self.counts),
            "sensitivity_interval": self.sensitivity_interval,
            "specificity_interval": self.specificity_interval,
            "constant_agreement": self.counts.constant_accuracy,
            "cohen_kappa": self.cohen_kappa,
            "gwet_ac1": self.gwet_ac1,
            "krippendorff_alpha": self.krippendorff_alpha,
        }


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
"""The same keys where no side was taken."""


def sides_of(sided: Sided) -> Sides | None:
    """The comparison; None where no side was taken."""
    if not sided:
        return None
    from judgemesh.mesh.metrics.agreement import (
        cohen_kappa,
        confusion,
        gwet_ac1,
        krippendorff_alpha,
    )

    said, truth = [one for one, _ in sided], [one for _, one in sided]
    return Sides(
        counts=confusion(said, truth),
        cohen_kappa=cohen_kappa(said, truth),
        gwet_ac1=gwet_ac1(said, truth),
        krippendorff_alpha=krippendorff_alpha([said, truth]),
    )


def rates_of(sided: Sided) -> list[float | None]:
    """Of the questions people answered yes, the share that was answered so; and of no."""
    return [
        _share([said == truth for said, truth in sided if truth is side])
        for side in (True, False)
    ]


def sided_warnings(sided: Sided) -> list[str]:
    """What deserves a look about answers held against people's."""
    rates = rates_of(sided)
    said, truth = {one for one, _ in sided}, {one for _, one in sided}
    found: list[str] = []
    enough = len(sided) >= _ONE_SIDED
    if enough and len(said) == 1 and len(truth) > 1:
        found.append(f"it says {_word(said == {True})} to everything")
    if (
        rates[0] is not None
        and rates[1] is not None
        and rates[0] + rates[1] - 1 < _CHANCE
    ):
        youden = rates[0] + rates[1] - 1
        found.append(
            f"it hardly tells yes from no: the two rates less 1 come to {youden:.2f}, below {_CHANCE}"
        )
    yes = sum(one for _, one in sided)
    constant = max(yes, len(sided) - yes)
    if (
        enough
        and len(truth) > 1
        and sum(one == other for one, other in sided) <= constant
    ):
        share = constant / len(sided)
        found.append(
            f"it is no better than saying {_word(2 * yes > len(sided))} to everything ({share:.1%} right)"
        )
    if enough and len(truth) == 1:
        found.append(
            "people gave one answer to everything: label questions with the other answer too"
        )
    return found


def _word(side: bool) -> str:  # noqa: FBT001 (the side itself)
    return "yes" if side else "no"


def _share(hits: Sequence[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None
