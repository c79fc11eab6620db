"""A few words in English that no rule knows leave a confirmation undecided; a question or another object do not."""

from __future__ import annotations

import pytest

from judgemesh.validators.execution import execution

from .helpers import kinds, verdicts


def said(reply: str) -> list[str]:
    """What is said of a refund of 18 EUR that the user was asked about and answered so."""
    record = {"kind": "refund", "target": "TK-31", "parameters": {"amount": 18}, "confirmation_id": "Q1"}  # fmt: skip
    trace = [
        {"role": "assistant", "content": "Shall I refund 18 EUR for ticket TK-31 or for the parking?"},
        {"role": "user", "content": reply},
        {"tool_name": "refund", "arguments": {"target": "TK-31", "amount": 18}, "result": {"id": "Q1"}},
    ]  # fmt: skip
    expected = {"kind": "refund", "target": "TK-31"}
    contract = {"execution": {"expected": [expected], "payments": ["refund"]}}
    result = {"output": "Done.", "records": [record], "trace": trace}
    return kinds(verdicts(execution, contract, result))


@pytest.mark.parametrize(
    "reply",
    ["I suppose so, if you must.", "Knock yourself out.", "I can't think of a reason not to.", "Whatever you think.",
     "It is what it is."],
)  # fmt: skip
def test_an_idiom_is_unknown(reply: str) -> None:
    assert said(reply) == ["abstain", "pass"]


@pytest.mark.parametrize(
    "reply",
    ["What?", "Is the concert sold out?", "The parking, please.", "My sister takes the tickets to the concert on Friday.", "No."],
)  # fmt: skip
def test_what_is_understood_is_no_confirmation(reply: str) -> None:
    assert "fail" in said(reply)
