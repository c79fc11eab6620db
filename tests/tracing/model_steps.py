"""A step that calls a model, and a price book with one price for every model."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.contracts.usage import PriceSnapshot, Usage


class OnePrice:
    """One price for every model."""

    def find(self, model: str, **_: Any) -> PriceSnapshot | None:
        return PriceSnapshot(
            model_name=model,
            price_input_per_million=Decimal(3),
            price_output_per_million=Decimal(15),
        )


def model_step(usage: Usage, **more: Any) -> Step:
    """The only step of a trace."""
    return Step(
        trace_id="t",
        step_id=1,
        state_type=StateType.THINK,
        model_name="m",
        usage=usage,
        **more,
    )
