"""One line of a JSON Lines file as an object."""

from __future__ import annotations

from typing import cast

from judgemesh.mesh.sources.protocols import SourceInaccessible


def read_object(line: bytes, where: str, *, unique_keys: bool) -> dict[str, object]:
    """The JSON object of a line.

    Args:
        line: the line.
        where: the file and line number, for messages.
        unique_keys: whether a key that occurs twice is an error.

    Raises:
        SourceInaccessible: the line is no JSON, or no object.
    """
    import jiter

    try:
        data: object = jiter.from_json(
            line, allow_inf_nan=False, catch_duplicate_keys=unique_keys
        )
    except ValueError as error:
        raise SourceInaccessible(f"{where}: no JSON: {error}") from error
    if not isinstance(data, dict):
        raise SourceInaccessible(
            f"{where}: expected an object, got {type(data).__name__}"
        )
    return cast("dict[str, object]", data)
