"""One line of a JSON Lines file as an object."""

from __future__ import annotations

from typing import cast

from judgemesh.mesh.inputs.strict_json import from_json
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
    try:
        data: object = from_json(line, unique_keys=unique_keys)
    except ValueError as error:
        raise SourceInaccessible(f"{where}: no JSON: {error}") from error
    if not isinstance(data, dict):
        raise SourceInaccessible(
            f"{where}: expected an object, got {type(data).__name__}"
        )
    return cast("dict[str, object]", data)
