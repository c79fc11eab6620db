"""What the sections of a contract share: strict keys, codes, weights, and matchers that compare values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from judgemesh.contracts.codes import CODES, Effect, FailureCode, parse_code
from judgemesh.contracts.late import Forward
from judgemesh.contracts.parts import JsonObject


class Section(BaseModel):
    """A part of a contract. It is frozen, and unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        defer_build=True,
        populate_by_name=True,
    )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The fields without passwords and keys, which sources may hold."""
        from judgemesh.contracts.redaction import safe_data

        for name, value in super().__repr_args__():
            yield name, safe_data(value)


def _code(value: Any) -> Any:
    if isinstance(value, FailureCode):
        return value
    code = None
    if isinstance(value, str):
        code = parse_code(value)
    if code is None:
        raise ValueError(
            f"{value!r} is no failure code; `judgemesh validators --codes` lists them"
        )
    return code


CodeField = Annotated[FailureCode, BeforeValidator(_code)]


Weight = Annotated[float, Field(gt=0, le=1_000_000)]


Seconds = Annotated[float, Field(gt=0, le=86_400)]


def _agent_code(code: FailureCode) -> FailureCode:
    if CODES[code].effect is Effect.HOLD:
        raise ValueError(
            f"{code} is about the evaluator; it can neither pass nor fail an agent"
        )
    return code


GradeCode = Annotated[CodeField, AfterValidator(_agent_code)]
"""A failure code a grade may carry (not a hold code)."""


def _yes_no(value: Any) -> Any:
    """YAML reads an unquoted yes or no as a truth value."""
    if value is True:
        return "yes"
    if value is False:
        return "no"
    return value


YesNo = Annotated[Literal["yes", "no"], BeforeValidator(_yes_no)]


def _matcher(value: Any) -> Matcher | JsonObject:
    """A plain value means `equals`; an object whose keys are all matcher words is a matcher.

    An object that was meant as one and is misspelt is an error.
    """
    if isinstance(value, Matcher):
        return value
    if isinstance(value, Mapping):
        conditions = cast("Mapping[str, Any]", value)
        if conditions and conditions.keys() <= MATCHER_KEYS | {"not_"}:
            return dict(conditions)
        from judgemesh.contracts.sections.matcher_words import misspelt

        fault = misspelt(conditions.keys(), MATCHER_KEYS)
        if fault is not None:
            raise ValueError(fault)
    return {"equals": value}


if TYPE_CHECKING:
    MatcherField = Annotated["Matcher", BeforeValidator(_matcher)]
else:
    # Conditions holds a matcher, and a matcher is conditions.
    MatcherField = Annotated[
        Any, Forward(__name__, "Matcher"), BeforeValidator(_matcher)
    ]


class Conditions(Section):
    """What a value must be. All given conditions must hold.

    `equals` is JSON equality (1 equals 1.0, true is no number), widened by `tolerance` (absolute) or
    `relative_tolerance` for numbers, and by `fold: true` for text. In an answer and its fields `fold` ignores case
    and runs of white space, and never joins words or figures; in arguments, records and states it also ignores spaces
    and `, . / - _ * ^`, inside lists and objects too; `unordered: true` compares arrays without regard to order.
    `contains`, `contains_all` and `contains_any` look for a part of a text (with `fold`, loosely), an element or a
    key; `schema` is a JSON Schema; `not` is a matcher that must not hold. The bounds `gt`, `ge`, `lt` and `le` and
    the tolerances read numbers written
    as text too (`"$1,200"`). With `strict: true`, `equals` also compares the type of numbers: 1 is not 1.0.
    """

    equals: Any = None
    not_equals: Any = None
    strict: bool = False
    tolerance: Annotated[float, Field(ge=0)] | None = None
    relative_tolerance: Annotated[float, Field(ge=0)] | None = None
    fold: bool | None = None
    unordered: bool | None = None
    contains: str | None = None
    contains_all: list[Any] | None = None
    contains_any: list[Any] | None = None
    not_: MatcherField | None = Field(default=None, alias="not")
    json_schema: JsonObject | bool | None = Field(default=None, alias="schema")
    one_of: list[Any] | None = None
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None

    @model_validator(mode="after")
    def _one_reading(self) -> Self:
        if not self.strict:
            return self
        has_tolerance = (
            self.tolerance is not None or self.relative_tolerance is not None
        )
        if has_tolerance or self.fold:
            raise ValueError(
                "`strict` compares exactly; it takes neither a tolerance nor `fold`"
            )
        if self.model_fields_set.isdisjoint(_COMPARISONS):
            raise ValueError(
                "`strict` says how `equals`, `not_equals` or `one_of` compare; give one of them"
            )
        return self


class Matcher(Conditions):
    """How a value is compared: the conditions, `pattern` (an RE2 search in the text) and `any`.

    `any: true` asks only that a value is there; `any: false` that none is.
    """

    pattern: str | None = None
    any: bool | None = None


_COMPARISONS = frozenset({"equals", "not_equals", "one_of"})
MATCHER_KEYS = frozenset(
    field.alias or name for name, field in Matcher.model_fields.items()
)
CONDITION_FIELDS = frozenset(Conditions.model_fields)
"""The names of the attributes of `Conditions`."""


def _condition(value: Any) -> Any:
    if isinstance(value, Matcher | Mapping):
        return cast("Any", value)
    return {"equals": value}


ConditionField = Annotated[Matcher, BeforeValidator(_condition)]
"""A matcher where an object cannot be meant as a value, because another key holds that: a misspelt word is an error."""


def distinct(section: str, names: list[str]) -> None:
    """Check that no name is in a section twice; raises ValueError."""
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            raise ValueError(f"{section}: {name!r} stands twice")
        earlier.add(name)
