"""Contract section `answer`: what the final answer must be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from judgemesh.contracts.sections.expectations import Expectation, as_list
from judgemesh.contracts.sections.section import Weight


class AnswerSpec(Expectation):
    """What the final answer must be.

    The value compared is what the answer states: behind the last marker (`ANSWER:`, `Final answer:`, a box, the names
    in `marker`), the group of `pattern`, the JSON in it, or all of it. `take` names another part.
    """

    marker: Annotated[list[str], BeforeValidator(as_list)] = Field(
        default_factory=list[str]
    )
    take: (
        Literal["whole", "last_line", "first_line", "last_number", "first_number"]
        | None
    ) = None
    weight: Weight = 1.0

    @model_validator(mode="after")
    def _asks_something(self) -> AnswerSpec:
        if self.matcher() is None and self.pattern is None:
            raise ValueError(
                "`answer` needs a condition, for example {equals: 42} or {contains: Paris}"
            )
        return self
