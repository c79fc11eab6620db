"""Contract section `criteria`: questions for a judge."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from judgemesh.contracts.parts import Id
from judgemesh.contracts.sections.section import GradeCode, Section, Weight, YesNo
from judgemesh.contracts.verdicts import Metric


class Criterion(Section):
    """One narrow yes/no question for a judge."""

    id: Id
    question: Annotated[str, Field(min_length=3)]
    weight: Weight = 1.0
    gate: bool = False
    metric: Id = Metric.READABILITY.value
    code: GradeCode | None = None
    pass_if: YesNo = "yes"
    materials: (
        list[Literal["instruction", "final_answer", "outputs", "actions", "trace"]]
        | None
    ) = None
