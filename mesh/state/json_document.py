"""Reading a JSON document that is a state, or a snapshot file that holds one."""

from __future__ import annotations

from typing import Final, cast

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.inputs.strict_json import from_json

SNAPSHOT_KEY: Final = "judgemesh_snapshot"
"""The key that only a snapshot file has; its state is under `state`. Any other document is itself the state."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def parse_document(data: bytes, where: str) -> object:
    """A JSON document, strictly: no duplicate keys, no NaN or infinity.

    Raises:
        InputError: it is no JSON; names `where`, line and column.
    """
    try:
        document: object = from_json(data.removeprefix(_BYTE_ORDER_MARK))
    except ValueError as error:
        raise InputError(f"is no JSON document: {error}", where=where) from error
    return document


def state_in(document: object) -> object:
    """The state that a document holds: the one in a snapshot file, or the document itself."""
    if isinstance(document, dict) and SNAPSHOT_KEY in document:
        return cast("dict[str, object]", document).get("state")
    return cast("object", document)
