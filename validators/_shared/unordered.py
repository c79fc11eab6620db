"""JSON equality in which the order of arrays does not count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from judgemesh.validators._shared.assignment import assign
from judgemesh.validators._shared.values import as_mapping, as_sequence, json_equal

_Scalar = Callable[[object, object], bool]
_MAX_DEPTH: Final = 100


def equal_in_any_order(
    left: object,
    right: object,
    scalar: _Scalar | None = None,
    *,
    strict: bool = False,
    depth: int = 0,
) -> bool:
    """JSON equality, arrays compared as collections in which each element counts as often as it occurs."""
    if depth > _MAX_DEPTH:
        return json_equal(left, right, scalar, strict=strict)

    def same(one: object, other: object) -> bool:
        return equal_in_any_order(one, other, scalar, strict=strict, depth=depth + 1)

    mapping, other_mapping = as_mapping(left), as_mapping(right)
    if mapping is not None and other_mapping is not None:
        if mapping.keys() != other_mapping.keys():
            return False
        return all(same(child, other_mapping[key]) for key, child in mapping.items())
    sequence, other_sequence = as_sequence(left), as_sequence(right)
    if sequence is None or other_sequence is None:
        return json_equal(left, right, scalar, strict=strict)
    if len(sequence) != len(other_sequence):
        return False
    rows = [
        [index for index, other in enumerate(other_sequence) if same(element, other)]
        for element in sequence
    ]
    return len(assign(rows, [1] * len(rows))) == len(rows)
