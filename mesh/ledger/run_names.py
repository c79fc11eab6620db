"""Names of runs: a batch is found again by its inputs, and people read which ones these were."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final, cast

STDIN: Final = "-"
_KEYS: Final = {"filters", "limit", "results"}
_MAX_FILES: Final = 3
_MOMENT: Final = re.compile(
    r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z", re.ASCII
)
"""The start of a harness, in the name of its run (`integrations.session`)."""


def batch_name(
    results: Sequence[str], limit: int | None, filters: Sequence[str]
) -> str:
    """The name that the same inputs give again.

    Args:
        results: absolute paths of the files, or `-` for standard input.
        limit: how many results are graded at most.
        filters: which of them.
    """
    identity = {"results": list(results), "limit": limit, "filters": sorted(filters)}
    return json.dumps(identity, sort_keys=True)


def shown_name(name: str | None) -> str:
    """The name as people read it: the files of a batch, and what was chosen of them.

    Another name is as it is, but for moments in it, which are shown to the minute.
    """
    identity = _identity(name or "")
    if identity is None:
        return _MOMENT.sub(r"\1 \2 UTC", name or "")
    files = [
        "standard input" if file == STDIN else PurePath(file).name
        for file in identity["results"]
    ]
    parts = files[:_MAX_FILES]
    if len(files) > _MAX_FILES:
        parts.append(f"{len(files) - _MAX_FILES:,} more files")
    if identity["limit"] is not None:
        parts.append(f"the first {identity['limit']:,}")
    return ", ".join([*parts, *identity["filters"]])


def _identity(name: str) -> dict[str, Any] | None:
    """What `batch_name` was given; None where it did not make this name."""
    try:
        found: object = json.loads(name)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    data = cast("dict[str, Any]", found)
    texts = [data.get("results"), data.get("filters")]
    if data.keys() != _KEYS or not all(map(_is_texts, texts)):
        return None
    limit = data["limit"]
    is_limit = limit is None or (isinstance(limit, int) and limit is not True)
    return data if is_limit and data["results"] else None


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) for item in cast("list[object]", value)
    )
