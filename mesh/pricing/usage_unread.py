"""What a usage object holds beyond the figures that are counted: named, never dropped. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.mesh.pricing.usage_shapes import (
    FIGURES,
    SPAN_ATTRIBUTES,
    TokenCounts,
    UsageShape,
    read_counts,
    whole_number,
)
from judgemesh.mesh.pricing.usage_table import ANTHROPIC

_MAX_SHOWN: Final = 40
_MAX_DEPTH: Final = 6
_USAGE_ATTRIBUTES: Final = (
    "gen_ai.usage.",
    "llm.token_count.",
    "llm.usage.",
    "ai.usage.",
)
_REPEATED: Final = (
    "gen_ai.usage.details.",
    "gen_ai.usage.text.",
    "ai.usage.outputTokenDetails.textTokens",
)
"""Attributes that repeat or divide the counts of others."""
_MODALITIES: Final = ("audio", "image", "video")
"""Tokens of these are parts of the input or output, and have prices of their own."""


def usage_fields(report: object) -> Mapping[str, Any]:
    """A usage object as a mapping; empty for what is none."""
    if isinstance(report, Mapping):
        return cast("Mapping[str, Any]", report)
    dump = getattr(report, "model_dump", None)
    if callable(dump) and not isinstance(report, type):
        dumped = dump()
        return cast("dict[str, Any]", dumped) if isinstance(dumped, dict) else {}
    if report is None or isinstance(report, type) or not hasattr(report, "__dict__"):
        return {}
    return {name: held for name, held in vars(report).items() if name[:1] != "_"}


def with_compactions(counts: TokenCounts, raw: Mapping[str, Any]) -> TokenCounts:
    """Anthropic's compactions of a context are billed beside the figures at the top."""
    iterations = raw.get("iterations")
    entries = cast("list[object]", iterations) if isinstance(iterations, list) else []
    for entry in entries:
        fields = usage_fields(entry)
        if fields.get("type") == "compaction":
            part = read_counts(fields, ANTHROPIC)
            counts = replace(
                counts,
                input=_sum(counts.input, part.input),
                output=_sum(counts.output, part.output),
                cached=_sum(counts.cached, part.cached),
                cache_write=_sum(counts.cache_write, part.cache_write),
                cache_write_1h=_sum(counts.cache_write_1h, part.cache_write_1h),
            )
    return counts


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return one + max(0, other)


def unreadable_values(raw: Mapping[str, Any], row: UsageShape) -> tuple[str, ...]:
    """A line for each figure whose value is no token count."""
    paths: set[str] = {*row.input_beside, *row.cache_write_parts}
    for figure in FIGURES:
        paths.update(row.paths(figure))
    notes: list[str] = []
    for path, value in _leaves(raw):
        if path in paths and value is not None and whole_number(value) is None:
            shown = _shown(value)
            notes.append(f"{path.replace('/', '.')} is {shown}, not a token count")
    return tuple(notes)


def unread_fields(raw: Mapping[str, Any], row: UsageShape | None) -> tuple[str, ...]:
    """A line for each field that looks like a token count and is not in the table."""
    known: set[str] = set()
    prefixes: tuple[str, ...] = ("iterations/",)
    if row is not None:
        known.update(row.known, row.input_beside, row.cache_write_parts, row.tiers)
        prefixes += tuple(path for path in row.known if path.endswith("/"))
        for figure in FIGURES:
            known.update(row.paths(figure))
    notes: list[str] = []
    for path, value in _leaves(raw):
        if path in known or path.startswith(prefixes) or not _is_like_tokens(path):
            continue
        if whole_number(value):
            notes.append(_note(path, value))
    return tuple(notes)


def unread_attributes(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """A line for each attribute of a span that counts tokens and is not in the table."""
    known: set[str] = set()
    for figure in FIGURES:
        known.update(SPAN_ATTRIBUTES.paths(figure))
    notes: list[str] = []
    for name, value in attributes.items():
        if not name.startswith(_USAGE_ATTRIBUTES) or name.startswith(_REPEATED):
            continue
        if name not in known and _is_like_tokens(name) and whole_number(value):
            notes.append(_note(name, value))
    return tuple(notes)


def _note(path: str, value: object) -> str:
    name = path.replace("/", ".")
    if any(modality in path.lower() for modality in _MODALITIES):
        return f"{name} is {_shown(value)}: counted, and priced as text"
    return f"{name} is {_shown(value)}: not in the table of usage fields, not counted"


def _is_like_tokens(path: str) -> bool:
    """Whether the name of a field, or of the object that holds it, speaks of tokens."""
    return "token" in path.lower()


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer may have too many digits to print
        return "a number of too many digits"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _leaves(
    raw: Mapping[str, Any], prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, object]]:
    """Every value that is no object, with its path. Elements of a list share its path."""
    for key, value in raw.items():
        path = f"{prefix}{key}"
        held = cast("list[object]", value) if isinstance(value, list) else [value]
        for element in held:
            if isinstance(element, Mapping) and depth < _MAX_DEPTH:
                inner = cast("Mapping[str, Any]", element)
                yield from _leaves(inner, f"{path}/", depth + 1)
            elif not isinstance(element, Mapping):
                yield path, element
