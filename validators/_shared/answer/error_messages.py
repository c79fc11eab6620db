"""Messages of errors in place of a value."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.validators._shared.answer.placeholder_words import STATUS_FIELDS

_ERROR_FIELDS: Final = (
    *STATUS_FIELDS, "error", "errors", "message", "log", "output", "reason", "cause", "fault", "result", "finding",
    "findings", "problem", "symptom", "response", "title", "subject", "diagnosis", "issue", "description", "details",
    "note", "notes", "summary", "comment", "exception",
)  # fmt: skip
_LOOKED_UP: Final = re.compile(
    r"\s*(?:\w+ )?(?:look-?up|search|query|retrieval|fetch|extraction|parsing|calculation|conversion)"
    r" (?:failed|timed out|error)\b",
    re.IGNORECASE,
)


def is_error_message(text: str, names: frozenset[str]) -> bool:
    """Whether the message of an error stands in place of a value, in a field that is not about errors.

    `Failed: worn tyres` is what an inspection found.
    """
    if not names or any(name.endswith(_ERROR_FIELDS) for name in names):
        return False
    return _LOOKED_UP.match(text) is not None or (
        not text.lstrip().casefold().startswith("fail") and states_error(text)
    )
