"""Formats that the bill reads as spans and the converter as messages: both see the same calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of
from judgemesh.mesh.tracing.readers.ingest import read_traces

from .cases import CASES


@pytest.mark.parametrize("name", ["claude-code", "codex", "tau", "atif"])
def test_the_bill_and_the_conversation_have_the_same_calls(
    name: str, tmp_path: Path
) -> None:
    value = CASES[name]("cancel_reservation")
    path = tmp_path / "transcript.json"
    lines = cast("list[Any]", value) if isinstance(value, list) else [value]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    billed = [
        (tool.tool_name, tool.status)
        for trace in read_traces([path])
        for step in trace.steps
        for tool in step.tools
    ]
    stated = [
        call["tool_name"]
        for conversation in conversations_of(Document("memory", given=[value]))
        for call in conversation.calls
    ]

    assert stated == ["cancel_reservation"]
    assert billed == [("cancel_reservation", "success")]
