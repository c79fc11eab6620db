"""What an answer states and cites."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import Field, model_validator

from judgemesh.contracts.parts import Part, Word


class Citation(Part):
    """Something the answer cites. A bare string is its `text`."""

    text: Word = ""
    id: Word | None = None
    url: str | None = None
    title: str | None = None


class Claim(Part):
    """A statement of fact the agent makes, with the citations it rests on. A bare string is its `text`.

    `text` may be called `claim`, `statement` and so on. What has no such key is read as its own JSON.
    """

    text: str
    citations: list[Word] = Field(default_factory=list[str])

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value if isinstance(value, Claim) else {"text": _as_text(value)}
        claim = dict(cast("Mapping[str, Any]", value))
        if not isinstance(claim.get("text"), str):
            claim["text"] = _claim_text(claim)
        if "citations" in claim:
            claim["citations"] = list(_cited_names(claim["citations"]))
        return claim


_CLAIM_KEYS = (
    "claim",
    "statement",
    "sentence",
    "assertion",
    "fact",
    "content",
    "claim_text",
    "value",
)
_CITED_KEYS = (
    "id",
    "source",
    "ref",
    "document_id",
    "document",
    "url",
    "doi",
    "title",
    "text",
)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )


def _claim_text(claim: dict[str, Any]) -> str:
    """The text of a claim without `text`, taken from the key that holds it."""
    for key in _CLAIM_KEYS:
        if isinstance(claim.get(key), str):
            return str(claim.pop(key))
    said = {
        key: value
        for key, value in claim.items()
        if key != "citations" and value is not None
    }
    return _as_text(said) if said else ""


def _cited_names(value: Any) -> Iterator[str]:
    """The names in the citations of a claim: texts, numbers, or objects that name a source."""
    entries = cast("list[Any]", value) if isinstance(value, list) else [value]
    for entry in entries:
        name = entry
        if isinstance(entry, Mapping):
            named = cast("Mapping[str, Any]", entry)
            name = next((named[key] for key in _CITED_KEYS if named.get(key)), named)
        if name is not None:
            yield _as_text(name)
