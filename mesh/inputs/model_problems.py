"""What a model refuses in the user's data, in words.

Each finding of pydantic becomes one line: the path of the key, what was expected, and the nearest known key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from pydantic import BaseModel

from judgemesh.contracts.late import Forward
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.inputs.problems import KeyPath, Problem

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

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
}
_COMPLETE: Final[Mapping[str, str]] = {
    "missing": "is required",
    "string_too_short": "must not be empty",
}
"""Messages that do not repeat the value."""
_FOLLOWS: Final = "default_factory_not_called"  # a default that another fault of the same section made impossible
_MODEL_PARTS: Final = (
    "function-",
    "union[",
    "list[",
    "dict[",
    "lax-or-strict",
    "json-or-python",
)
_PREFIXES: Final = ("Value error, ", "Assertion failed, ")
_CONSTANTS: Final = {None: "nothing (null)", True: "true", False: "false"}
_MAX_SHOWN_CHARS: Final = 40


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Each finding of pydantic as a problem in our own words, without repetitions.

    Where a value may be of several types and is of none, that is one problem.
    """
    problems: dict[Problem, None] = {}
    refused: dict[KeyPath, object] = {}
    for details in error.errors(include_url=False):
        if details["type"] == _FOLLOWS:
            continue
        path = _path(details)
        if path and refused.get(path[:-1], _FOLLOWS) is details["input"]:
            before = list(problems)[-1]
            del problems[before]
            problems[_either(before, _message(details))] = None
            continue
        refused[path] = details["input"]
        problems[_problem(details, path, model)] = None
    return list(problems)


def _either(problem: Problem, message: str) -> Problem:
    """A value that is also not what the second message expects."""
    expected, _, got = problem.message.rpartition(", got ")
    other = message.rpartition(", got ")[0].removeprefix("expected ")
    return problem._replace(message=f"{expected} or {other}, got {got}")


def _path(details: ErrorDetails) -> KeyPath:
    return tuple(part for part in details["loc"] if not _is_model_part(part))


def _problem(details: ErrorDetails, path: KeyPath, model: type[BaseModel]) -> Problem:
    if details["type"] == "extra_forbidden":
        return Problem(path, _unknown_key(str(path[-1]), _keys_at(model, path[:-1])))
    return Problem(path, _message(details))


def _is_model_part(part: str | int) -> bool:
    """A path may name validators and union members of the model; keys of the data never look like that."""
    return isinstance(part, str) and part.startswith(_MODEL_PARTS)


def _message(details: ErrorDetails) -> str:
    kind, message = details["type"], details["msg"]
    if kind in _COMPLETE:
        return _COMPLETE[kind]
    if kind in ("value_error", "assertion_error"):
        for prefix in _PREFIXES:
            message = message.removeprefix(prefix)
        return message
    expected = _EXPECTED.get(kind)
    if expected is None:
        message = message[:1].lower() + message[1:]
        expected = message.replace("input should be", "expected")
        expected = expected.replace("Input should be", "expected")
    return f"{expected}, got {shown(details['input'])}"


def _unknown_key(key: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = nearest(key, names)
    if near:
        return f"unknown key; did you mean {near!r}?"
    return f"unknown key; known here: {', '.join(names)}" if names else "unknown key"


def shown(value: object) -> str:
    """A value for an error line: its kind, and the beginning of its text."""
    match value:
        case None | bool():
            return _CONSTANTS[value]
        case int() | float():
            return f"the number {value}"[:_MAX_SHOWN_CHARS]
        case str():
            more = "..." if len(value) > _MAX_SHOWN_CHARS else ""
            return f"the text {value[:_MAX_SHOWN_CHARS]!r}{more}"
        case list():
            return f"a list of {len(cast('list[object]', value))}"
        case dict():
            return "an object"
        case _:
            return type(value).__name__


def _keys_at(model: type[BaseModel], path: KeyPath) -> set[str]:
    """The keys that the data may have at `path`, found by walking the model's annotations."""
    current = {model}
    for part in path:
        if isinstance(part, str):
            current = _models_below(current, part) or current
    keys: set[str] = set()
    for section in current:
        keys.update(_key(section, name) for name in section.model_fields)
    return keys


def _models_below(models: set[type[BaseModel]], key: str) -> set[type[BaseModel]]:
    """The models that a key of one of the models may hold."""
    below: set[type[BaseModel]] = set()
    for model in models:
        for name, info in model.model_fields.items():
            if _key(model, name) == key:
                below.update(_models_in(info.annotation))
    return below


def _key(model: type[BaseModel], name: str) -> str:
    return model.model_fields[name].alias or name


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, Forward):
        annotation = annotation.model
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
