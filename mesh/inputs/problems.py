"""What is wrong with the user's data, in words: the findings of pydantic as one line each, with the path of the key,
what was expected, and the nearest known key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Path = tuple[str | int, ...]

_EXPECTED: Final[Mapping[str, str]] = {
    "string_type": "expected text",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "list_type": "expected a list",
    "dict_type": "expected an object (key: value)",
    "model_type": "expected an object (key: value)",
    "model_attributes_type": "expected an object (key: value)",
    "finite_number": "expected a finite number",
    "datetime_parsing": "expected a time such as 2026-01-31T12:00:00Z",
    "datetime_from_date_parsing": "expected a time such as 2026-01-31T12:00:00Z",
    "string_too_short": "must not be empty",
}
_FOLLOWS: Final = "default_factory_not_called"  # a default that another fault of the same section made impossible
_NOISE: Final = (
    "function-",
    "union[",
    "list[",
    "dict[",
    "lax-or-strict",
    "json-or-python",
)
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where in the data, and what to do about it."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.message}" if self.path else self.message


def dotted(path: Path) -> str:
    """`fields.total.aliases[0]`."""
    text = ""
    for part in path:
        text += (
            f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
        )
    return text


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Each finding of pydantic as a problem of our own wording."""
    found = [
        _problem(details, model)
        for details in error.errors(include_url=False)
        if details["type"] != _FOLLOWS
    ]
    return list(dict.fromkeys(found))


def _problem(details: ErrorDetails, model: type[BaseModel]) -> Problem:
    kind, given = details["type"], details["input"]
    path = tuple(part for part in details["loc"] if not _is_noise(part))
    if kind == "extra_forbidden":
        return Problem(
            path,
            f"unknown key{_did_you_mean(str(path[-1]), _keys_at(model, path[:-1]))}",
        )
    if kind == "missing":
        return Problem(path, "is required")
    if kind in _EXPECTED:
        return Problem(
            path,
            f"{_EXPECTED[kind]}{'' if kind == 'string_too_short' else f', got {shown(given)}'}",
        )
    if kind in ("value_error", "assertion_error"):
        return Problem(
            path,
            details["msg"]
            .removeprefix("Value error, ")
            .removeprefix("Assertion failed, "),
        )
    message = details["msg"][:1].lower() + details["msg"][1:].replace(
        "Input should be", "expected"
    )
    message = message.replace("input should be", "expected")
    return Problem(path, f"{message}, got {shown(given)}")


def _is_noise(part: str | int) -> bool:
    """A path may name validators and union members of the model; keys of the data never look like that."""
    return isinstance(part, str) and part.startswith(_NOISE)


def shown(value: object) -> str:
    """A value for an error line: its kind, and a short look at it."""
    match value:
        case None | bool():
            return {None: "nothing (null)", True: "true", False: "false"}[value]
        case int() | float():
            return f"the number {value}"[:_SHOWN]
        case str():
            return f"the text {value[:_SHOWN]!r}" + (
                "..." if len(value) > _SHOWN else ""
            )
        case list():
            return f"a list of {len(cast('list[object]', value))}"
        case _:
            return "an object" if isinstance(value, dict) else type(value).__name__


def _did_you_mean(key: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = get_close_matches(key, names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; known here: {', '.join(names)}" if names else ""


def _keys_at(model: type[BaseModel], path: Path) -> set[str]:
    """The keys a contract may have at `path`, found by walking the model's annotations."""
    current: set[type[BaseModel]] = {model}
    for part in path:
        if isinstance(part, int):
            continue
        below = [
            found
            for one in current
            for name, info in one.model_fields.items()
            if _called(one, name) == part
            for found in _models_in(info.annotation)
        ]
        current = set(below) or current
    return {_called(one, name) for one in current for name in one.model_fields}


def _called(model: type[BaseModel], name: str) -> str:
    return model.model_fields[name].alias or name


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
