"""Exports that real tracing packages wrote (make.py): every call is read, and every token counts once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.report import Gate
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.runs.sync import grade_sync
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of
from judgemesh.mesh.tracing.readers.source import TraceFile

FOLDER = Path(__file__).parent / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text("utf-8"))
FORBIDDEN = [name for name in EXPECTED if ".forbidden." in name]
CONTRACT = {
    "task_id": "greenhouse",
    "task_name": "Greenhouse",
    "sop": {"forbidden_tools": ["open_roof"]},
}


def data_of(name: str) -> bytes:
    return gzip.decompress((FOLDER / f"{name}.gz").read_bytes())


def gate_of(trace: Any, folder: Path | None = None) -> Gate:
    result = AgentResult.model_validate(
        {
            "result_id": "r",
            "task_id": "greenhouse",
            "status": "completed",
            "output": {"final_answer": "Done."},
            "trace": trace,
        }
    )
    (report,) = grade_sync([result], contracts=[CONTRACT], base_dir=folder or Path())
    return report.gate


def calls_of(conversation: Conversation) -> list[tuple[Any, Any]]:
    return [
        (call["tool_name"], call.get("arguments_text") or call.get("arguments"))
        for call in conversation.calls
    ]


def wanted_arguments(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@pytest.mark.parametrize("name", EXPECTED)
def test_everything_is_read_and_counted_once(name: str) -> None:
    wanted = EXPECTED[name]
    source = TraceFile(FOLDER / f"{name}.gz")

    found = list(conversations_of(Document(name, source)))

    assert len(found) == len(wanted["conversations"])
    for conversation, expected in zip(found, wanted["conversations"], strict=True):
        assert conversation.unread is None
        assert calls_of(conversation) == [
            (tool, wanted_arguments(text)) for tool, text in expected["calls"]
        ]
        assert all(call.get("result") is not None for call in conversation.calls)
        assert list(conversation.user_turns) == expected["users"]
        assert conversation.answer == expected["answer"]
    assert sum(one.tokens_in or 0 for one in found) == wanted["in"]
    assert sum(one.tokens_out or 0 for one in found) == wanted["out"]


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_forbidden_call_in_an_export_fails_the_gate(
    name: str, tmp_path: Path
) -> None:
    data = data_of(name)
    (tmp_path / "spans.json").write_bytes(data)

    assert gate_of(json.loads(data)) is Gate.FAIL
    assert gate_of({"ref": "spans.json"}, tmp_path) is Gate.FAIL


@pytest.mark.parametrize("name", FORBIDDEN)
def test_an_export_that_is_cut_off_leaves_the_gate_undecided(
    name: str, tmp_path: Path
) -> None:
    data = data_of(name)
    (tmp_path / "spans.json").write_bytes(data[: len(data) * 2 // 3])

    assert gate_of({"ref": "spans.json"}, tmp_path) is Gate.UNDECIDED


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_call_without_a_name_leaves_the_gate_undecided(name: str) -> None:
    data = data_of(name).replace(b"open_roof", b"")

    assert gate_of(json.loads(data)) is Gate.UNDECIDED


def test_an_export_of_several_conversations_is_no_trace_of_one_result() -> None:
    one = json.loads(data_of("otlp_openllmetry.forbidden.json"))
    other = json.loads(data_of("otlp_openllmetry.parallel.json"))
    both = {"resourceSpans": [*one["resourceSpans"], *other["resourceSpans"]]}

    assert gate_of(both) is Gate.UNDECIDED
