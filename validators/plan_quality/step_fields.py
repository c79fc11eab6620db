"""The fields of a step that came as an object. What a key means goes by its folded name.

`onFailure`, `on_failure` and `On failure` are the same key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from judgemesh.validators._shared.answer.hollow import is_hollow
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence


def _names(*names: str) -> frozenset[str]:
    return frozenset(map(fold_name, names))


STEPS: Final = _names("steps", "plan", "actions", "tasks", "items")
ID: Final = _names("id", "step_id", "step", "number", "name", "index")
ACTION: Final = _names(
    "action", "tool", "tool_name", "operation", "function", "call", "command"
)
DESCRIPTION: Final = _names(
    "description",
    "text",
    "title",
    "task",
    "detail",
    "details",
    "what",
    "goal",
    "summary",
)
NAME: Final = _names("step", "name")
ARGUMENTS: Final = _names("arguments", "args", "parameters", "params", "with")
DEPENDS_ON: Final = _names(
    "depends_on",
    "depends",
    "dependencies",
    "after",
    "needs",
    "prerequisites",
    "preconditions_of",
)
INPUTS: Final = _names("inputs", "input", "consumes", "uses", "reads")
OUTPUTS: Final = _names("outputs", "output", "produces", "creates", "yields")
BRANCH: Final = _names(
    "on_failure", "on_error", "on_fail", "if_fails", "if_it_fails", "failure_branch", "failure_branches", "branches",
    "branch", "fallback", "contingency", "error_handling", "otherwise", "else", "recovery", "on_timeout",
)  # fmt: skip
ROLLBACK: Final = _names(
    "rollback",
    "rollback_action",
    "undo",
    "revert",
    "compensation",
    "how_to_undo",
    "restore",
)
MAY_FAIL: Final = _names("may_fail", "can_fail", "fallible")
_WRITE_MARK: Final = _names(
    "destructive", "write", "writes", "mutates", "mutating", "irreversible", "reversible", "reversibility",
    "side_effects", "side_effect", "access", "risk",
)  # fmt: skip
_TAGS: Final = _names("tags", "tag", "labels", "label", "kind", "type")
_WRITE_TAGS: Final = _names(
    "write",
    "destructive",
    "irreversible",
    "reversible",
    "mutating",
    "mutation",
    "delete",
)


def is_empty(value: object) -> bool:
    """Whether the value is null, or an empty text, array or object."""
    return value is None or (isinstance(value, str | list | dict) and not value)


class StepFields:
    """The fields of one step by folded name."""

    def __init__(self, step: Mapping[str, object]) -> None:
        self._fields = {fold_name(key): value for key, value in step.items()}

    def _values(self, names: frozenset[str]) -> Iterator[object]:
        return (value for key, value in self._fields.items() if key in names)

    def texts(self) -> Iterator[str]:
        """Every value that is a text."""
        return (value for value in self._fields.values() if isinstance(value, str))

    def text(self, names: frozenset[str]) -> str | None:
        """The first non-empty text or whole number under one of the names."""
        for value in self._values(names):
            if isinstance(value, str | int) and not isinstance(value, bool):
                text = str(value).strip()
                if text:
                    return text
        return None

    def flag(self, names: frozenset[str]) -> bool | None:
        """The first true or false under one of the names."""
        for value in self._values(names):
            if isinstance(value, bool):
                return value
        return None

    def items(self, names: frozenset[str]) -> tuple[str, ...]:
        """The names listed under one of the names."""
        items: list[str] = []
        for value in self._values(names):
            items += _flat(value)
        return tuple(items)

    def arguments(self) -> Sequence[object] | Mapping[str, object]:
        """The arguments of the step's action, by name or by position."""
        value = next(self._values(ARGUMENTS), None)
        return as_mapping(value) or as_sequence(value) or ()

    def is_filled(self, names: frozenset[str]) -> bool:
        """Whether a field of the names holds something; `none`, `false` and the like say that there is nothing."""
        return any(_says_something(value) for value in self._values(names))

    def is_marked_as_write(self) -> bool:
        """Whether a key or a tag marks the step as a write."""
        if not _WRITE_MARK.isdisjoint(self._fields):
            return True
        return any(fold_name(tag) in _WRITE_TAGS for tag in self.items(_TAGS))


def _says_something(value: object) -> bool:
    if value is False or is_empty(value):
        return False
    return not (isinstance(value, str) and is_hollow(value))


def _flat(value: object) -> list[str]:
    """The names in a value: a text or number, the keys of an object, or the items of an array."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return _stripped((value,))
    items: Iterable[object] = as_mapping(value) or as_sequence(value) or ()
    return _stripped(item for item in items if isinstance(item, str | int))


def _stripped(values: Iterable[object]) -> list[str]:
    texts = (str(value).strip() for value in values)
    return [text for text in texts if text]
