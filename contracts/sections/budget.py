"""Contract section `budget`: what a run may cost, and how long it may take."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from judgemesh.contracts.money import Money
from judgemesh.contracts.results import to_money
from judgemesh.contracts.sections.section import Section


class Budget(Section):
    """The agent's cost ceiling for this workflow, and the longest run that is accepted.

    With `gate: true` a run above the ceiling fails the gate; `max_latency_ms` always gates. What is unknown then leaves
    the gate undecided.
    """

    ceiling: Annotated[Money, BeforeValidator(to_money)] | None = None
    gate: bool = False
    max_latency_ms: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _positive(self) -> Budget:
        if self.ceiling is not None and self.ceiling.amount <= Decimal(0):
            raise ValueError(
                "a cost ceiling must be above 0; leave it out for no ceiling"
            )
        if self.gate and self.ceiling is None:
            raise ValueError("`gate: true` needs a `ceiling` to compare the cost with")
        return self
