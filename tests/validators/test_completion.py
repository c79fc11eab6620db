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


ERROR_RESULTS = [
    {"status": 504, "message": "Gateway Timeout"},
    {"code": 429, "message": "slow down"},
    {"status": 500, "title": "Internal", "type": "about:blank"},
    {"type": "error", "text": "no such row"},
    {"statusCode": 503},
    {"status": "404", "detail": "no such booking"},
    '{"http_status": 502, "elapsed_ms": 3}',
]
ANSWERS = [
    {"status": 200, "message": "OK"},
    {"code": 450, "description": "blue shirt", "price": 12},
    {"status": "confirmed", "code": "500"},
    {"code": 404, "message": "a house number", **dict.fromkeys("abcdefgh", 1)},
    {"type": "booking", "status": 3},
]


@pytest.mark.parametrize("result", ERROR_RESULTS)
def test_an_error_that_a_tool_returned_is_a_failed_call(result: object) -> None:
    assert _tool_codes(result) == {C.TOOL_FAILURE}


@pytest.mark.parametrize("result", ANSWERS)
def test_an_answer_of_a_tool_is_none(result: object) -> None:
    assert _tool_codes(result) == set()


def _tool_codes(result: object) -> set[C]:
    """The codes of a run whose only call returned this."""
    contract = {"success_criteria": {"must_not_include": ["TOOL_FAILURE"]}}
    run = {"output": "Booked.", "trace": [{"tool_name": "book", "result": result}]}
    return codes(verdicts(completion, contract, run))


STATED = [
    "I don't know who called, but the pallet weighs 310 kg.",
    "I could not find a batch number, but the label says 14 May.",
    "I cannot see the manifest, however the truck left Porto on Friday.",
    "No idea who signed, but the seal is intact.",
]
ADVISED = ["Call us tomorrow.", "Contact your bank.", "Please ask the landlord."]


@pytest.mark.parametrize("answer", ADVISED)
def test_advice_whom_to_ask_is_an_answer(answer: str) -> None:
    assert codes(verdicts(completion, {}, {"output": answer})) == set()


SILENT = [
    "I don't know, but thanks for asking.",
    "I don't know, but I will ask.",
    "I don't know, sorry.",
    "I could not find it, but let me know if you need more.",
]


@pytest.mark.parametrize("answer", STATED)
def test_a_statement_beside_declared_ignorance_is_an_answer(answer: str) -> None:
    assert codes(verdicts(completion, {}, {"output": answer})) == set()


@pytest.mark.parametrize("answer", SILENT)
def test_a_courtesy_beside_declared_ignorance_is_none(answer: str) -> None:
    found = codes(verdicts(completion, {}, {"output": answer}))
    assert found == {C.EMPTY_OR_INVALID_OUTPUT}
