"""Applying changes below an object to the object, without touching the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    as_mapping,
    as_sequence,
    json_equal,
)

Relative = tuple[Path, object, object]
"""A change below an object: relative path, value before, value after (ABSENT where there is none)."""

_Container = dict[str, object] | list[object]
_MAX_INDEX_DIGITS: Final = 12


def patched(base: object, changes: Sequence[Relative]) -> object:
    """`base` after the changes, or UNKNOWN when they do not fit it.

    The order given does not matter: replacements go first, then removals from the end of a list to its start, then
    additions from the start to the end (an addition inside a list inserts, as in RFC 6902).
    """
    result = base
    for path, before, after in sorted(changes, key=_order):
        if after is UNKNOWN:
            return UNKNOWN
        result = _applied(result, path, before, after)
        if result is UNKNOWN:
            return UNKNOWN
    return result


def _order(change: Relative) -> tuple[int, list[tuple[int, str]]]:
    path, before, after = change
    keys: list[tuple[int, str]] = []
    for part in path:
        number = int(part) if part.isascii() and part.isdigit() else -1
        keys.append((-number if after is ABSENT else number, part))
    if after is ABSENT:
        return 1, keys
    if before is ABSENT:
        return 2, keys
    return 0, keys


def _applied(root: object, path: Path, before: object, after: object) -> object:
    """`root` with one change, every container on the way copied."""
    top = _copy(root)
    holder = top
    for part in path[:-1]:
        holder = None if holder is None else _child(holder, part)
    if holder is None or not _put(holder, path[-1], before, after):
        return UNKNOWN
    return top


def _copy(value: object) -> _Container | None:
    mapping = as_mapping(value)
    if mapping is not None:
        return dict(mapping)
    sequence = as_sequence(value)
    if sequence is not None:
        return list(sequence)
    return None


def _child(holder: _Container, part: str) -> _Container | None:
    """The container under `part`, copied into its holder."""
    if isinstance(holder, dict):
        child = _copy(holder.get(part))
        if child is not None:
            holder[part] = child
        return child
    index = _index(part, len(holder))
    if index is None:
        return None
    child = _copy(holder[index])
    if child is not None:
        holder[index] = child
    return child


def _put(holder: _Container, part: str, before: object, after: object) -> bool:
    """Make the change in its holder; False when the holder does not look as the change says."""
    if isinstance(holder, dict):
        return _put_key(holder, part, before, after)
    if before is ABSENT:
        return _insert(holder, part, after)
    return _put_index(holder, part, before, after)


def _put_key(
    holder: dict[str, object], part: str, before: object, after: object
) -> bool:
    if not _starts_as(holder.get(part, ABSENT), before):
        return False
    if after is ABSENT:
        del holder[part]
    else:
        holder[part] = after
    return True


def _insert(holder: list[object], part: str, after: object) -> bool:
    index = _index(part, len(holder) + 1)
    if index is None:
        return False
    holder.insert(index, after)
    return True


def _put_index(holder: list[object], part: str, before: object, after: object) -> bool:
    index = _index(part, len(holder))
    if index is None or not _starts_as(holder[index], before):
        return False
    if after is ABSENT:
        del holder[index]
    else:
        holder[index] = after
    return True


def _starts_as(value: object, before: object) -> bool:
    if before is UNKNOWN:
        return value is not ABSENT
    return json_equal(value, before)


def _index(part: str, length: int) -> int | None:
    """The part as an index below `length`; None when it is none."""
    if not (part.isascii() and part.isdigit()) or len(part) >= _MAX_INDEX_DIGITS:
        return None
    index = int(part)
    return index if index < length else None
