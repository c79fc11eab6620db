"""The same call in every format of the table: read, caught when it is forbidden, and undecided when it is unreadable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.runs.sync import grade_sync
from judgemesh.mesh.tracing.conversations.api import from_transcript
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.message_formats import MESSAGE_FORMATS
from judgemesh.mesh.tracing.conversations.table import conversations_of, format_of
from judgemesh.mesh.tracing.readers.source import TraceFile

from .cases import ANSWER, ARGUMENTS, CASES, NO_ANSWER, NO_USER, USER

FORBIDDEN = {
    "task_id": "bikes",
    "task_name": "Bicycles",
    "sop": {"forbidden_tools": ["cancel_reservation"]},
}


def gate_of(value: Any) -> Gate:
    result = from_transcript(value, task="bikes")
    (report,) = grade_sync([result], contracts=[FORBIDDEN])
    return report.gate


def test_every_format_of_messages_has_a_case() -> None:
    spans = {"inspect", "openai_agents"}
    named = {row.name for row in MESSAGE_FORMATS} - {
        "swe-agent"
    }  # test_unknown_answers.py
    assert set(CASES) == named | spans


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_read(name: str, tmp_path: Path) -> None:
    value = CASES[name]("list_bikes")
    path = tmp_path / "transcript"
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        text = "\n".join(json.dumps(line) for line in cast("list[Any]", value))
    path.write_text(text, encoding="utf-8")
    for document in (
        Document("memory", given=[value]),
        Document("file", TraceFile(path)),
    ):
        assert format_of(document).name == name
        (conversation,) = conversations_of(document)
        (call,) = conversation.calls
        assert (call["tool_name"], call["arguments"]) == ("list_bikes", ARGUMENTS)
        assert conversation.unread is None
        assert list(conversation.user_turns) == ([] if name in NO_USER else [USER])
        assert conversation.answer == (None if name in NO_ANSWER else ANSWER)


@pytest.mark.parametrize("name", CASES)
def test_a_forbidden_call_fails_the_gate(name: str) -> None:
    assert gate_of(CASES[name]("cancel_reservation")) is Gate.FAIL


@pytest.mark.parametrize("name", CASES)
def test_an_unreadable_call_leaves_the_gate_undecided(name: str) -> None:
    assert gate_of(CASES[name](None)) is Gate.UNDECIDED


@pytest.mark.parametrize("name", CASES)
def test_an_allowed_call_passes(name: str) -> None:
    expected = Gate.UNDECIDED if name in NO_ANSWER else Gate.PASS
    assert gate_of(CASES[name]("list_bikes")) is expected


@pytest.mark.parametrize("name", CASES)
def test_a_forbidden_call_is_caught_where_the_transcript_stands(
    name: str, tmp_path: Path
) -> None:
    value = CASES[name]("cancel_reservation")
    path = tmp_path / "transcript.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    result = {"result_id": "r", "task_id": "bikes", "output": "Done."}
    results = [
        AgentResult.model_validate(
            {**result, "result_id": f"r-{number}", "trace": trace}
        )
        for number, trace in enumerate((value, {"ref": path.name}))
    ]
    reports = grade_sync(results, contracts=[FORBIDDEN], base_dir=tmp_path)
    assert [report.gate for report in reports] == [Gate.FAIL, Gate.FAIL]
    assert {report.primary_failure_reason_code for report in reports} == {
        FailureCode.UNAUTHORIZED_ACTION
    }
