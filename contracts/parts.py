"""What the parts of a result share: unknown keys are kept, and words may be written as numbers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

JsonObject = dict[str, Any]
Id = Annotated[str, Field(min_length=1, max_length=1024)]


class Part(BaseModel):
    """A part of a result. Unknown keys are kept."""

    model_config = ConfigDict(
        extra="allow", frozen=True, allow_inf_nan=False, defer_build=True
    )


def _scalar_text(value: Any) -> Any:
    """Ids, targets and status codes that a system writes as numbers are read as text; true and false as words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value


Word = Annotated[str, BeforeValidator(_scalar_text)]
"""A text that may be written as a number."""


def text_as(key: str) -> BeforeValidator:
    """A bare string is read as an object with that one key."""

    def wrap(value: Any) -> Any:
        if isinstance(value, str):
            return {key: value}
        return value

    return BeforeValidator(wrap)
