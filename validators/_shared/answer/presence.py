"""Whether a value stands where a field is: `false` and 0 do; placeholders, errors and empty containers do not."""

from __future__ import annotations

from collections.abc import Mapping

from judgemesh.validators._shared.answer.placeholders import is_placeholder
from judgemesh.validators._shared.values import (
    ABSENT,
    as_mapping,
    as_sequence,
    is_container,
)


def is_present(value: object, allow: frozenset[str], names: frozenset[str]) -> bool:
    """Whether a value is really there. The contract may allow an empty container by name or by a schema.

    Args:
        value: JSON or a text.
        allow: values the contract accepts (`allowed_values`).
        names: folded names of the field.
    """
    if isinstance(value, str):
        return not is_placeholder(value, allow, names)
    if value is None:
        return "null" in allow
    if is_container(value) and not value:
        return ("{}" if isinstance(value, dict) else "[]") in allow
    known = as_mapping(value) or {}
    if _is_error(known, names):
        return False
    # What stands beside a `value` says whose, from where or in which unit it is.
    return _says_something(known.get("value", value), allow, names)


def may_be_name(value: object, names: frozenset[str]) -> bool:
    """Whether a value is a name that begins like a placeholder, so that nobody can tell."""
    if not isinstance(value, str):
        return False
    from judgemesh.validators._shared.answer import longer_names

    return longer_names.may_be_name(value, names)


def _says_something(
    value: object, allow: frozenset[str], names: frozenset[str]
) -> bool:
    """Whether any part of a value is more than a placeholder."""
    stack = [value]
    while stack:
        part = stack.pop()
        if part is None or part is ABSENT:
            continue
        if isinstance(part, str):
            if not is_placeholder(part, allow, names):
                return True
            continue
        mapping, sequence = as_mapping(part), as_sequence(part)
        if mapping is not None:
            stack.extend(mapping.values())
        elif sequence is not None:
            stack.extend(sequence)
        else:
            return True
    return False


def _is_error(value: Mapping[str, object], names: frozenset[str]) -> bool:
    if not value:
        return False
    from judgemesh.validators._shared.answer.placeholders.error_messages import (
        is_error_object,
    )

    return is_error_object(value, names)
