"""Completion: how the run ended, and whether it left anything behind."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.validators.completion import completion

from .helpers import codes, kinds, make_case, verdicts

FAILED_CALL = {"tool_name": "book", "error": "boom"}
TIMED_OUT = {"tool_name": "book", "status": "error", "error": "request timed out"}


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({"status": "timeout", "output": "All done."}, C.EXECUTION_TIMEOUT),
        ({"status": "abandoned"}, C.MISSING_FINAL_ANSWER),
        ({"status": "error"}, C.UNKNOWN_FAILURE),
        ({"status": "error", "trace": [FAILED_CALL]}, C.TOOL_FAILURE),
        (
            {
                "status": "error",
                "trace": [FAILED_CALL, {"role": "assistant", "content": "hm"}],
            },
            C.TOOL_FAILURE,
        ),
        ({"status": "error", "trace": [TIMED_OUT]}, C.TOOL_TIMEOUT),
        (
            {"status": "error", "trace": [{"tool_name": "book", "status": "timeout"}]},
            C.TOOL_TIMEOUT,
        ),
        (
            {
                "status": "error",
                "trace": [FAILED_CALL, {"tool_name": "book", "status": "ok"}],
            },
            C.UNKNOWN_FAILURE,
        ),
        ({}, C.MISSING_FINAL_ANSWER),
        ({"output": {"final_answer": ""}}, C.MISSING_FINAL_ANSWER),
        ({"output": " \n "}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"output": ":"}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"output": "Thought process:"}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"output": "\u200b"}, C.EMPTY_OR_INVALID_OUTPUT),
    ],
)
def test_failures(result: dict[str, Any], code: C) -> None:
    reported = verdicts(completion, {}, result)
    assert kinds(reported) == ["fail"]
    assert codes(reported) == {code}


@pytest.mark.parametrize(
    "result",
    [
        {"output": "42"},
        {"output": {"outputs": {"ticket": 1}}},
        {"output": {"citations": ["A"]}},
        {"output": {"ticket": 1}},
    ],
)
def test_anything_delivered_completes_a_run(result: dict[str, Any]) -> None:
    assert kinds(verdicts(completion, {}, result)) == ["pass"]


def test_structured_outputs_do_not_replace_a_final_answer_that_is_named() -> None:
    contract = {"success_criteria": {"required_outputs": ["Final answer"]}}
    reported = verdicts(completion, contract, {"output": {"outputs": {"ticket": 1}}})
    assert codes(reported) == {C.MISSING_FINAL_ANSWER}


def test_it_applies_to_every_contract() -> None:
    assert completion.applies(make_case({}, {}).contract)
