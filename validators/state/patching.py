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
"""Path below the object, value before, value after (ABSENT where nothing stands)."""

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
    keys = [
        (int(part) if part.isascii() and part.isdigit() else -1, part) for part in path
    ]
    if after is ABSENT:
        return 1, [(-number, part) for number, part in keys]
    return (2 if before is ABSENT else 0), keys


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
    mapping, sequence = as_mapping(value), as_sequence(value)
    if mapping is not None:
        return dict(mapping)
    return None if sequence is None else list(sequence)


def _child(holder: _Container, part: str) -> _Container | None:
    """The container under `part`, copied into its holder."""
    if isinstance(holder, dict):
        child = _copy(holder.get(part))
        if child is not None:
            holder[part] = child
        return child
    index = _index(part, len(holder))
    child = None if index is None else _copy(holder[index])
    if index is not None and child is not None:
        holder[index] = child
    return child


def _put(holder: _Container, part: str, before: object, after: object) -> bool:
    """Make the change in its holder; False when the holder does not look as the change says."""
    if isinstance(holder, dict):
        if not _starts_as(holder.get(part, ABSENT), before):
            return False
        if after is ABSENT:
            del holder[part]
        else:
            holder[part] = after
        return True
    if before is ABSENT:
        index = _index(part, len(holder) + 1)
        if index is not None:
            holder.insert(index, after)
        return index is not None
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
    if not (part.isascii() and part.isdigit()):
        return None
    return int(part) if len(part) < _MAX_INDEX_DIGITS and int(part) < length else None
