"""What an answer or a field must be: contract sections `answer` and `fields`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from judgemesh.contracts.sections.section import (
    CONDITION_FIELDS,
    Conditions,
    Matcher,
    Weight,
)


def as_list(value: Any) -> Any:
    """A single text is a list of one."""
    return [value] if isinstance(value, str) else value


_MANNERS = frozenset({"strict", "tolerance", "relative_tolerance", "fold", "unordered"})
"""How something compares, not what with."""
COMPARING_FIELDS = tuple(sorted(CONDITION_FIELDS - _MANNERS))
"""The attributes of an expectation that make it one."""


class Expectation(Conditions):
    """What an answer or a field must be, as conditions of a matcher beside the keys that say where the value is."""

    pattern: str | None = None
    unit: Annotated[list[str], BeforeValidator(as_list)] = Field(
        default_factory=list[str]
    )

    def matcher(self) -> Matcher | None:
        """The conditions as a matcher; None where there are none."""
        given = {
            name: getattr(self, name)
            for name in self.model_fields_set & CONDITION_FIELDS
        }
        if given.keys() <= _MANNERS:
            return None
        return Matcher(**given)


Rung = Literal["path", "key", "label", "pattern", "judge"]


class FieldSpec(Expectation):
    """How to find one required field or output, and what its value must be.

    `find_by` limits the ladder to the rungs named. With a condition (`equals`, `one_of`, `tolerance`, ...) the field is
    required and its value is compared; `pattern` finds it, and its first group is the value. `unit` names units that
    may follow a number.
    """

    path: str | None = None
    aliases: list[str] = Field(default_factory=list[str])
    pattern: str | None = None
    question: str | None = None
    search: Literal["final_answer", "transcript"] = "final_answer"
    find_by: list[Rung] | None = None
    allow: list[str] = Field(default_factory=list[str])
    weight: Weight = 1.0
