"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name most like `name`; None where none is like it.

    cutoff: how like, 0..1.
    """
    from difflib import get_close_matches  # only for messages about mistakes

    near = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return near[0] if near else None
