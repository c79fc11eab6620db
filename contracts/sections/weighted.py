"""Contract section `scoring.weighted`: binary weighted scores."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from judgemesh.contracts.parts import Id
from judgemesh.contracts.sections.section import Section, Weight


class WeightedCheck(Section):
    """A validator's check as a yes/no criterion: true if all its verdicts pass, false if one fails.

    Without `check` all verdicts of the validator count; `*` in it matches any run of characters.
    """

    id: Id
    validator: Id
    check: str | None = None
    weight: Weight | None = None


class ClassThresholds(Section):
    """The lowest scores, 0..1, of a successful completion and of a graceful failure."""

    success: Annotated[float, Field(gt=0, le=1)] = 0.75
    graceful: Annotated[float, Field(gt=0, le=1)] = 0.50

    @model_validator(mode="after")
    def _in_order(self) -> ClassThresholds:
        if self.graceful > self.success:
            raise ValueError("`graceful` must not be above `success`")
        return self


class Weighted(Section):
    """A named binary weighted score: the criteria whose `metric` is its name, and checks of validators.

    Weights must sum to 1, or `normalise` scales them; a `preset` brings its own weights, and none may be written here.
    hard_failure_if: criteria that make a run a hard failure by failing alone. goal_confirmed_if: criteria that must all
    hold for the goal to count as reached; without any, the hard gate decides. bands: labels of the mean over results,
    each with the lowest mean, 0..1, that has it.
    """

    preset: Literal["completion", "clarity", "recovery"] | None = None
    normalise: bool = False
    checks: list[WeightedCheck] = Field(default_factory=list[WeightedCheck])
    hard_failure_if: list[Id] = Field(default_factory=list[str])
    goal_confirmed_if: list[Id] = Field(default_factory=list[str])
    thresholds: ClassThresholds = Field(default_factory=ClassThresholds)
    bands: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=dict[str, float]
    )

    @field_validator("bands")
    @classmethod
    def _every_mean_has_a_band(cls, bands: dict[str, float]) -> dict[str, float]:
        if bands and min(bands.values()) > 0:
            raise ValueError(
                "no band begins at 0, so some means would have no label; add one such as `poor: 0`"
            )
        if len(set(bands.values())) < len(bands):
            raise ValueError("two bands begin at the same mean")
        return bands
