"""Whether two executions have the same kind and target."""

from __future__ import annotations

from functools import lru_cache

from judgemesh.contracts.results import Action, ExecutionRecord
from judgemesh.validators._shared.text import fold_name, plain


def same_kind(left: Action | ExecutionRecord, right: Action | ExecutionRecord) -> bool:
    """Whether both have the same kind; spelling and case do not count."""
    return fold_name(left.kind) == fold_name(right.kind)


def same_target(left: str | None, right: str | None) -> bool:
    """Whether both are given and name the same thing."""
    if left is None or right is None:
        return False
    return left == right or _folded(left) == _folded(right)


def same_target_or_none(left: str | None, right: str | None) -> bool:
    """Whether both name the same thing, or neither names any."""
    return (left is None and right is None) or same_target(left, right)


@lru_cache(maxsize=1_024)
def _folded(target: str) -> str:
    return plain(target).strip().casefold()
