"""JSON in a final answer: strict parsing, alone, in code fences, or in the middle of prose."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

_FENCE: Final = "```"
_JSON_LANGUAGES: Final = ("", "json", "jsonc", "json5", "javascript", "js")
_OPENING: Final = re.compile(r"[{\[]")
_MAX_TRIES: Final = 200


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


def json_blocks(text: str | None) -> list[str]:
    """The texts of the JSON values of an answer: all of it, its code fences, or what stands in the prose.

    A block is what is meant as JSON; whether it is strict JSON, `parse_json` says. In prose, objects and arrays of
    objects count: `[1]` is a footnote.
    """
    body = unfenced(text or "")
    if _is_json(body):
        return [body]
    fenced = [
        code.strip()
        for language, code in _fenced().findall(text or "")
        if language.casefold() in _JSON_LANGUAGES
        and (language.casefold().startswith("json") or code.strip()[:1] in ("{", "["))
    ]
    return fenced or _blocks_in_prose(body)


def json_values(text: str | None) -> list[object]:
    """The strict JSON values of an answer."""
    values: list[object] = []
    for block in json_blocks(text):
        try:
            values.append(parse_json(block))
        except ValueError:
            continue
    return values


def without_json(text: str) -> str:
    """`text` with blanks in place of its strict JSON values, so that lines and offsets stay."""
    for block in json_blocks(text):
        if block[:1] in ("{", "[") and _is_json(block):
            start = text.find(block)
            blanked = re.sub(r"[^\n]", " ", block)
            text = text[:start] + blanked + text[start + len(block) :]
    return text


def _is_json(body: str) -> bool:
    try:
        parse_json(body)
    except ValueError:
        return False
    return True


def _blocks_in_prose(text: str) -> list[str]:
    """What a lenient reader takes for JSON, outermost values only.

    A value inside a bracket that begins data and is no JSON, or that is never closed, is a fragment and none.
    """
    decoder = json.JSONDecoder()
    blocks: list[str] = []
    end = 0
    for tried, opening in enumerate(_OPENING.finditer(text)):
        if tried >= _MAX_TRIES:
            break
        start = opening.start()
        if start < end:
            continue
        try:
            value, stop = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _data().match(text, start):
                end = _closing(text, start)
            continue
        if _is_data(value):
            blocks.append(text[start:stop])
            end = stop
    return blocks


def _closing(text: str, start: int) -> int:
    """The offset behind the bracket that closes the one at `start`; the end of the text where none does."""
    depth = 0
    for mark in _marks().finditer(text, start):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
        if depth == 0:
            return mark.end()
    return len(text)


def _is_data(value: Any) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)  # pyright: ignore[reportUnknownVariableType]


def parse_json(text: str) -> Any:
    """Strict JSON: no duplicate keys, no NaN or infinity, bounded nesting.

    Raises:
        ValueError: the text is not JSON; the message names the line and column.
    """
    import jiter

    return jiter.from_json(
        text.encode(), allow_inf_nan=False, catch_duplicate_keys=True
    )


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def _fenced() -> re.Pattern[str]:
    return re.compile(r"(?:```|~~~)[ \t]*(\w*)[ \t]*\n(.*?)(?:```|~~~)", re.DOTALL)


@cache
def _data() -> re.Pattern[str]:
    """Brackets that begin data; `[see below` and `{,}` begin none."""
    return re.compile(
        r"\{\s*(?:[\"'{\[}]|\w+\s*:)|\[\s*(?:[\"'{\[]|-?\d[\d.]*\s*,|(?:true|false|null)\b)"
    )


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|[{}\[\]]")
