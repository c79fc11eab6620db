"""One result in full as JSON: the report, and beside it what the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final, cast

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import money_to_json, report_to_json
from judgemesh.mesh.analysis.results.result_page import ResultPage

_PARTS: Final = (
    "content_kept",
    "cut_at_bytes",
    "answer",
    "outputs",
    "conversation",
    "claims",
    "citations",
    "passages",
    "state",
    "records",
    "questions",
    "timeline",
    "problems",
)


def page_json(page: ResultPage) -> dict[str, Any]:
    """The report's own fields; `believed_gate`, `deciding_step` (its number) and the parts of the page."""
    step = page.deciding_step
    return {
        "run_id": page.run_id,
        **report_to_json(page.report),
        "believed_gate": page.row.gate.value,
        "deciding_step": None if step is None else step.number,
        **{name: _plain(getattr(page, name)) for name in _PARTS},
    }


def _plain(value: object) -> object:
    """JSON-ready; the opinions of questions are those of the verdicts, and are not repeated."""
    if isinstance(value, Money):
        return money_to_json(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name != "opinion"]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        named = cast("Mapping[str, object]", value)
        return {key: _plain(item) for key, item in named.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    return value
