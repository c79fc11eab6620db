"""How a call ended, read from what it returned: the same in every wrapping, and unknown is no success."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.trace.call_outcome import call_succeeded
from judgemesh.validators.sop import sop

from .helpers import kinds, verdicts

Json = dict[str, Any]

_REASONS = ("out of paper", "E 17", "no such row", "declined by bank")
_ERRORS: list[Json] = [
    error
    for why in _REASONS
    for error in (
        {"error": why},
        {"success": False, "reason": why},
        {"ok": False, "detail": why},
        {"errors": [{"message": why}], "data": None},
        {"isError": True, "text": why},
        {"status": "error", "message": why},
        {"error_code": "E_7", "message": why},
        {"status": 400 + 7 * len(why), "message": why},
    )
]
_OPEN: list[Json] = [
    {"status": "queued"},
    {"status": "pending", "job": "j1"},
    {"dry_run": True, "status": "ok"},
    {"approved": False},
    {"decision": "denied"},
    {"status": "rejected"},
    {"partial": True},
    {"printed": False, "tray": "empty"},
    {"code": 7, "message": "no toner"},
    {"exit_code": 1, "stdout": ""},
    {"label": 4, "pending_pages": ["2"]},
    {"errors": ["page 2"], "printed": 4},
    {"status": 202, "job": "j1"},
    {"results": [{"id": 1, "status": "ok"}, {"id": 2, "error": "bounced"}]},
]
_DONE: list[Json] = [
    {"ok": True},
    {"status": "ok", "warnings": ["slow"]},
    {"error": None, "id": 4},
    {"errors": [], "id": 4},
    {"failed": 0, "done": 3},
    {"code": 0, "message": "success"},
    {"exit_code": 0},
    {"id": 4, "note": "the error of last week is mended"},
    {"status": "success", "retries": 2, "last_error": "time-out"},
    {},
]


def _wrappings(value: Json) -> list[object]:
    """A result as it is, and in what frameworks put around it."""
    text = json.dumps(value)
    return [
        value,
        text,
        {"data": value},
        [value],
        {"result": text},
        {"content": [{"type": "text", "text": text}]},
        {"request_id": "q", "response": value},
    ]


def ended(result: object, tool: str = "print_label") -> bool | None:
    """How a call of the tool ended."""
    return call_succeeded(TraceStep(tool_name=tool, result=result))


@pytest.mark.parametrize("result", _ERRORS)
def test_an_error_is_an_error_in_every_wrapping(result: Json) -> None:
    for wrapped in _wrappings(result):
        assert states_error(wrapped)
        assert ended(wrapped) is False


@pytest.mark.parametrize("result", _OPEN)
def test_what_is_neither_done_nor_failed_is_unknown(result: Json) -> None:
    assert {ended(wrapped) for wrapped in _wrappings(result)} == {None}


@pytest.mark.parametrize("result", _DONE)
def test_an_answer_is_a_success(result: Json) -> None:
    assert {ended(wrapped) for wrapped in _wrappings(result)} == {True}


@pytest.mark.parametrize(
    "text",
    ["HTTP 503 Service Unavailable", "404 Not Found", "Permission denied: admins only", "<error>stuck</error>",
     "Tool execution failed: offline", "The request timed out after 30 s", "Error: stuck", "KeyError: 'x'"],
)  # fmt: skip
def test_texts_of_errors(text: str) -> None:
    assert ended(text) is False


@pytest.mark.parametrize(
    "text",
    ["HTTP 200 OK", "Label printed; no errors.", "503 Main Street printed", "12.4 kg", "", "Printed 3 of 3", "4040 labels done"],
)  # fmt: skip
def test_texts_of_answers(text: str) -> None:
    assert ended(text) is True


@pytest.mark.parametrize("tool", ["validate_label", "run_tests", "get_errors", "check_form"])  # fmt: skip
def test_errors_that_a_tool_was_to_find_are_an_answer(tool: str) -> None:
    assert ended({"valid": False, "errors": ["zip missing"]}, tool) is True
    assert ended({"passed": 10, "failed": 2}, tool) is True


@given(st.sampled_from(["pending", "cancelled", "declined", "rejected", "queued"]))
def test_what_a_tool_reads_is_the_state_of_something_else(status: str) -> None:
    for tool in ("get_order", "list_orders", "search_orders"):
        assert ended({"id": 4, "status": status}, tool) is True
    assert ended({"id": 4, "status": "failed"}, "get_order") is not False


@given(st.sampled_from([*_DONE, *_OPEN, *_ERRORS]), st.integers(0, 6))
def test_only_a_success_is_a_step_before(result: Json, wrapping: int) -> None:
    """A rule that asks for a success first passes, fails or stays open as the call did."""
    wrapped = _wrappings(result)[wrapping]
    rule = {
        "id": "r",
        "template": "precedence",
        "first": {"tool": "print_label", "succeeded": True},
        "then": "ship",
    }
    trace: list[Json] = [
        {"tool_name": "print_label", "result": wrapped},
        {"tool_name": "ship", "arguments": {}},
    ]
    found = verdicts(sop, {"sop": {"rules": [rule]}}, {"output": "x", "trace": trace})
    assert (
        kinds(found)
        == {True: ["pass"], False: ["fail"], None: ["abstain"]}[ended(wrapped)]
    )


_IDS = st.sampled_from(["WT-7", "wt-7", "WT-8", 7, "7"])


@given(_IDS, _IDS)
def test_arguments_that_may_be_one_decide_nothing(left: Any, right: Any) -> None:
    """Equal values agree, values in another case may agree, others do not."""
    rule = {"id": "r", "template": "precedence", "first": "lock", "then": "open", "same": ["t"]}  # fmt: skip
    trace = [
        {"tool_name": "lock", "arguments": {"t": left}},
        {"tool_name": "open", "arguments": {"t": right}},
    ]
    found = verdicts(sop, {"sop": {"rules": [rule]}}, {"output": "x", "trace": trace})
    same, near = str(left) == str(right), str(left).lower() == str(right).lower()
    assert kinds(found) == [("pass" if same else "abstain" if near else "fail")]


@pytest.mark.parametrize("forwarder", ["call_tool", "use_mcp_tool", "call_tool_mcp", "mcp__hub__callTool", "invokeFunction"])  # fmt: skip
@pytest.mark.parametrize("key", ["name", "tool_name", "tool"])
def test_a_tool_called_by_another_is_called(forwarder: str, key: str) -> None:
    arguments: Json = {key: "erase_all", "arguments": {}}
    trace = [{"tool_name": forwarder, "arguments": arguments}]
    result = {"output": "x", "trace": trace}
    forbidden = {"sop": {"forbidden_tools": ["erase_*"]}}
    assert kinds(verdicts(sop, forbidden, result)) == ["fail"]
    other = {"sop": {"forbidden_tools": ["erase_other"]}}
    assert kinds(verdicts(sop, other, result)) == ["pass"]
