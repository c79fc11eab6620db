"""Files that a result refers to."""

from __future__ import annotations

from pathlib import Path

from judgemesh.contracts.errors import ResultError


def within(base_dir: Path, reference: str) -> Path:
    """The file a result refers to, which must lie below the folder of the results.

    Raises:
        ResultError: it leads outside, or is no path at all.
    """
    try:
        path = (base_dir / reference).resolve()
        inside = path.is_relative_to(base_dir.resolve())
    except (ValueError, OSError, RuntimeError) as error:
        raise ResultError(f"{reference[:80]!r} is no usable path: {error}") from None
    if not inside:
        message = f"{reference[:80]!r} leads out of the folder of the results"
        raise ResultError(message, hint="keep referenced files below it")
    return path
