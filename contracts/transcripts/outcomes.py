"""What a call gave back: its value without the wrapping of a framework, and whether it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import as_text
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    ERRORS,
    IDS,
    NAMES,
    RESULT_IDS,
    RESULTS,
    Fields,
    Keys,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import kind_word
from judgemesh.contracts.transcripts.parts import Outcome, Returned

_FAILED_STATES: Final = frozenset(
    {"error", "failed", "failure", "outputerror", "errored", "exception", "incomplete", "retried", "timeout"}
)  # fmt: skip


STATES: Final[Keys] = ("status", "state", "outcome")


_VALUES: Final[Keys] = (
    *RESULTS,
    "content",
    "contents",
    "items",
    "blocks",
    "value",
    "errortext",
    "errormessage",
)


def read_result(value: Mapping[str, Any], *, stray: bool = False) -> Returned:
    """The result of a call made elsewhere."""
    fields = Fields(value)
    origin = as_object(fields.get("origin"))
    beside = Fields(as_object(fields.get("additionalkwargs")) or {})
    call_ids = ids_in(fields, RESULT_IDS) + ids_in(beside, RESULT_IDS)
    ids = [*call_ids, *ids_in(fields, ("id",))]
    name = fields.text(("toolname", "functionname", "tool", "name"))
    if origin is not None:
        ids += ids_in(Fields(origin), IDS)
        name = name or Fields(origin).text(NAMES)
    raw = fields.get(_VALUES)
    outcome = Outcome(unwrapped(raw), error_of(fields))
    return Returned(outcome, tuple(ids), name, stray, names_call=bool(call_ids))


def ids_in(fields: Fields, keys: Keys) -> list[str]:
    """The ids under the keys, as text."""
    ids: list[str] = []
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
            ids.append(str(value))
    return ids


def is_result_of_call(fields: Fields) -> bool:
    """Whether the object names a call and gives its result, and neither tool nor arguments."""
    return (
        fields.has(RESULT_IDS)
        and fields.get(_VALUES) is not None
        and not fields.has(ARGUMENTS)
    )


def error_of(fields: Fields) -> str | bool | None:
    """Why the call failed, or true where it does not say; None where it did not fail."""
    for key in ERRORS:
        error = fields.get(key)
        if error:
            return _message(error)
    state = fields.text(STATES)
    if state is not None and fold(state) in _FAILED_STATES:
        return True
    kind = fold(kind_word(fields))
    if kind in ("retryprompt", "toolerror") or fields.get("success") is False:
        return True
    return _error_inside(fields.get(RESULTS))


def _error_inside(value: object) -> str | bool | None:
    """The failure that a wrapped result states (`{"type": "error-text", ...}`, `{"error": ...}`)."""
    known = as_object(value)
    if known is None:
        return None
    fields = Fields(known)
    if fold(fields.text("type") or "").startswith("error") and fields.has(("value",)):
        return _message(fields.get("value"))
    if fields.get("iserror") is True:
        return True
    if set(known) == {"error"} and known["error"]:
        return _message(known["error"])
    return None


def _message(error: object) -> str | bool:
    if isinstance(error, bool):
        return error
    known = as_object(error)
    if known is not None:
        return Fields(known).text(("message", "text", "errormessage")) or as_text(known)
    return as_text(error)


def unwrapped(value: object) -> Any:
    """A result without the wrapping of its framework: text blocks as text, `{"type": "json", "value": x}` as x."""
    known = as_object(value)
    if known is not None:
        fields = Fields(known)
        if fields.has(("value",)) and set(known) <= {
            "type",
            "value",
            "providerOptions",
        }:
            content = known.get("type") == "content"
            return unwrapped(known["value"]) if content else known["value"]
        return known
    blocks = as_list(value)
    if not blocks:
        return value
    texts = [_block_text(block) for block in blocks]
    if any(text is None for text in texts):
        return value
    if len(texts) == 1:
        return texts[0]
    return "\n".join(as_text(text) for text in texts)


def _block_text(block: object) -> Any:
    """What a block of a result holds; None where it is no block."""
    known = as_object(block)
    if known is None:
        return None
    fields = Fields(known)
    if not set(map(fold, known)) & {"text", "json"}:
        return None
    if fields.get("json") is not None:
        return fields.get("json")
    return fields.text("text") or ""
