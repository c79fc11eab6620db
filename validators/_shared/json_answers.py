"""A final answer that is JSON: strict parsing, with or without a Markdown code fence around it."""

from __future__ import annotations

from typing import Any, Final

_FENCE: Final = "```"
_JSON_LANGUAGES: Final = ("", "json", "jsonc", "json5")


def json_answer(text: str | None) -> object | None:
    """The final answer as JSON object or array, if that is what it is."""
    body = unfenced(text or "")
    if body[:1] not in ("{", "["):
        return None
    try:
        parsed: object = parse_json(body)
    except ValueError:
        return None
    return parsed


def unfenced(text: str) -> str:
    """`text` without blanks around it and without one Markdown code fence that holds all of it."""
    body = text.strip()
    if body.startswith(_FENCE) and body.endswith(_FENCE) and body.count(_FENCE) == 2:
        language, _, code = body[len(_FENCE) : -len(_FENCE)].partition("\n")
        if language.strip().casefold() in _JSON_LANGUAGES:
            return code.strip()
    return body


def parse_json(text: str) -> Any:
    """Strict JSON: no duplicate keys, no NaN or infinity, bounded nesting.

    Raises:
        ValueError: the text is not JSON; the message names the line and column.
    """
    import jiter

    return jiter.from_json(
        text.encode(), allow_inf_nan=False, catch_duplicate_keys=True
    )
