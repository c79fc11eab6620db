"""What changed in the world during a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import model_validator

from judgemesh.contracts.parts import Part


class StateChange(Part):
    """One change of state: `path` is an RFC 6902 pointer; `op` follows from which of before/after is given."""

    path: str
    op: Literal["add", "replace", "remove"] = "replace"
    before: Any = None
    after: Any = None

    @model_validator(mode="before")
    @classmethod
    def _infer(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        change = dict(cast("Mapping[str, Any]", data))
        path = change.get("path")
        if isinstance(path, str) and path and not path.startswith("/"):
            change["path"] = f"/{path}"
        for side, names in _SIDES.items():
            for name in names:
                if side not in change and name in change:
                    change[side] = change.pop(name)
        change["op"] = _operation(change)
        return change


_SIDES = {"before": ("old", "old_value"), "after": ("new", "new_value", "value")}
_OP_OF_VALUES = {(True, True): "replace", (False, True): "add", (True, False): "remove"}
_OP_OF_WORD = {
    "add": "add",
    "added": "add",
    "create": "add",
    "created": "add",
    "insert": "add",
    "inserted": "add",
    "new": "add",
    "replace": "replace",
    "replaced": "replace",
    "modify": "replace",
    "modified": "replace",
    "update": "replace",
    "updated": "replace",
    "change": "replace",
    "changed": "replace",
    "set": "replace",
    "edit": "replace",
    "edited": "replace",
    "remove": "remove",
    "removed": "remove",
    "delete": "remove",
    "deleted": "remove",
}


def _operation(change: Mapping[str, Any]) -> Any:
    """What kind of change it is: by its word; without one that is known, by the values that it has."""
    word = change.get("op")
    if word is not None and not isinstance(word, str):
        return word
    known = _OP_OF_WORD.get((word or "").strip().casefold())
    values = ("before" in change, "after" in change)
    if known is None and word is not None and not any(values):
        return word
    return known or _OP_OF_VALUES.get(values, "replace")


class StateEvidence(Part):
    """What changed: a ready diff, or the documents before and after, or paths of JSON files that hold them."""

    before: Any = None
    after: Any = None
    before_path: str | None = None
    after_path: str | None = None
    diff: list[StateChange] | None = None
