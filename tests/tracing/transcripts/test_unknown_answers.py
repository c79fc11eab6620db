"""An answer that the reader cannot see is unknown, and one that stands at an unusual place is found."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.report import Gate
from judgemesh.mesh.runs.sync import grade_sync
from judgemesh.mesh.tracing.conversations.api import from_transcript

ASKED = {"role": "user", "content": "When does locker 12 open?"}
TOLD = "Locker 12 opens at 9:00."
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_locker", "arguments": '{"locker": 12}'},
}
CALLED = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "9:00"},
]
CONTRACT = {
    "task_id": "locker",
    "success_criteria": {"must_include": ["time"]},
    "fields": {"time": {"pattern": "9:00"}},
    "sop": {"required_tools": ["get_locker"]},
}


def graded(transcript: Any) -> tuple[Gate, str | None]:
    """The gate, and the answer that was found."""
    result = from_transcript(transcript, task="locker")
    (report,) = grade_sync([result], contracts=[CONTRACT])
    return report.gate, result.output.final_answer


REPLY = {"role": "assistant", "content": TOLD}
TEXT = {"type": "output_text", "text": TOLD}
MESSAGE = {"type": "message", "role": "assistant", "content": [TEXT]}
INVOKED = {
    "toolName": "get_locker",
    "args": {"locker": 12},
    "result": "9:00",
    "state": "result",
}


@pytest.mark.parametrize(
    "transcript",
    [
        [ASKED, *CALLED, REPLY],
        {
            "messages": [ASKED, *CALLED],
            "response": {"choices": [{"message": REPLY, "finish_reason": "stop"}]},
        },
        {"input": [ASKED, *CALLED], "response": {"output": [MESSAGE]}},
        {"messages": [ASKED, *CALLED], "response": REPLY},
        {"input": [ASKED, *CALLED], "output": REPLY},
        {"prompt": [ASKED, *CALLED], "completion": [REPLY]},
        {
            "object": "response",
            "output": [
                {
                    "type": "function_call",
                    "call_id": "c1",
                    "name": "get_locker",
                    "arguments": "{}",
                },
                MESSAGE,
            ],
        },
        [
            {"event": "user_message", "text": ASKED["content"]},
            {"event": "tool_call", "tool": "get_locker", "args": {}, "result": "9:00"},
            {"event": "agent_message", "text": TOLD},
        ],
        [ASKED, {**REPLY, "toolInvocations": [INVOKED]}],
        {
            "trajectory": [
                {"action": "get_locker 12", "observation": "9:00", "thought": "look"},
                {"action": "submit", "observation": "", "thought": ""},
            ],
            "history": [ASKED],
            "info": {"submission": TOLD},
        },
    ],
)
def test_the_answer_is_found(transcript: Any) -> None:
    assert graded(transcript) == (Gate.PASS, TOLD)


@pytest.mark.parametrize(
    "last",
    [
        {"type": "run_completed", "summary": TOLD},
        {"kind": "final", "body": {"lines": [TOLD]}},
        {"said": TOLD},
        {"content": TOLD},
        {"type": "message", "content": [TEXT]},
    ],
)
def test_a_last_message_of_no_known_form_may_have_been_the_answer(last: Any) -> None:
    gate, answer = graded([ASKED, *CALLED, last])
    assert (gate, answer) == (Gate.UNDECIDED, None)


@pytest.mark.parametrize("key", ["answer", "final_answer", "output", "submission"])
def test_a_text_beside_the_messages_may_be_the_answer_or_the_expected_one(
    key: str,
) -> None:
    assert graded({"messages": [ASKED, *CALLED], key: TOLD})[0] is Gate.UNDECIDED
    assert graded({"messages": [ASKED, *CALLED, REPLY], key: "x y"})[0] is Gate.PASS


def test_a_run_that_stopped_after_its_call_has_no_answer() -> None:
    assert graded([ASKED, *CALLED]) == (Gate.FAIL, None)
    said = {"role": "assistant", "content": "One moment.", "tool_calls": [CALL]}
    assert graded([ASKED, said, CALLED[1]]) == (Gate.FAIL, None)
    assert graded([ASKED, said]) == (Gate.FAIL, None)


@pytest.mark.parametrize(
    "trace",
    [
        [ASKED, *CALLED, {"said": TOLD}],
        [ASKED, {"role": "assistant", "content": "<tool_call>get_locker</tool_call>"}],
    ],
)
def test_a_result_without_output_and_with_an_unread_trace_is_undecided(
    trace: Any,
) -> None:
    line = {"result_id": "r", "task_id": "locker", "trace": trace}
    (report,) = grade_sync(line, contracts=[CONTRACT])
    assert report.gate is Gate.UNDECIDED


def test_the_first_word_of_a_command_is_its_tool() -> None:
    step = {"action": "erase_locker 12 --now", "observation": "ok"}
    result = from_transcript({"trajectory": [step], "history": [ASKED]}, task="locker")
    assert result.trace is not None
    called = result.trace.steps[-1]
    assert called.tool_name == "erase_locker"
    assert called.arguments_text == "12 --now"
    forbids = {**CONTRACT, "sop": {"forbidden_tools": ["erase_locker"]}}
    (report,) = grade_sync([result], contracts=[forbids])
    assert report.gate is Gate.FAIL


def test_a_stream_that_ends_early_is_not_whole() -> None:
    start = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    piece = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Locker"}
    result = from_transcript([{"type": "RUN_STARTED"}, start, piece], task="locker")
    assert result.trace is not None
    assert result.trace.unread == "the stream ends before its message does"


def test_chunks_of_ag_ui_need_no_start_and_no_end() -> None:
    chunk = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c"}
    told = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant"}
    events = [
        {"type": "RUN_STARTED"},
        {**chunk, "toolCallName": "get_locker", "delta": '{"locker"'},
        {**chunk, "delta": ": 12}"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "9:00"},
        {**told, "delta": TOLD[:9]},
        {**told, "delta": TOLD[9:]},
    ]
    assert graded(events) == (Gate.PASS, TOLD)
    unknown = {"type": "TEXT_MESSAGE_FINAL", "messageId": "m", "body": TOLD}
    assert graded([*events[:4], unknown])[0] is Gate.UNDECIDED


def test_a_task_of_a2a_that_shows_no_call_says_nothing_about_calls() -> None:
    parts = {"parts": [{"kind": "text", "text": TOLD}]}
    task = {
        "contextId": "c",
        "kind": "task",
        "history": [{"role": "user", **parts}],
        "status": {"state": "completed"},
        "artifacts": [parts],
    }
    gate, answer = graded(task)
    assert (gate, answer) == (Gate.UNDECIDED, TOLD)
